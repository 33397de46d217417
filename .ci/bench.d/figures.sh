# Sizes and start times of the programs themselves.
figures() {
  local program begun runs=50
  for program in svcd svcctl; do
    row $program "binary" "$(($(stat -c %s bin/$program) >> 20)) MiB"
  done
  begun=$(date +%s%N)
  for _ in $(seq $runs); do bin/svcctl version >/dev/null; done
  row svcctl "version, mean of $runs" "$(awk -v t=$(($(date +%s%N) - begun)) -v n=$runs 'BEGIN { printf "%.1f ms", t / n / 1e6 }')"
}

# post_body FILE writes a post of 2 KB of content with a title of its own.
post_body() {
  local words
  words=$(printf 'The quick brown fox jumps over the lazy dog. %.0s' $(seq 45))
  printf '{"title":"Post %%d","slug":"post-%%d","status":"PUBLISHED","content":"<p>%s</p>"}' "$words" >"$1"
}
