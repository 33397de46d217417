# The chat: what the real svcd holds for visitors who say nothing, messages and
# answers over websockets, 300 visitors who ask a model at once, the domains in
# process, and the widget's size.
bench_chat() {
  local file
  bench_go chat ./cmd/svcd 'IdleSockets' 1x
  bench_go chat ./cmd/svcd 'ChatMessages' 8000x
  bench_go chat ./cmd/svcd 'FirstToken' 40x
  bench_go chat ./cmd/svcd 'Crowd' 5x
  bench_go chat ./daemon/internal/domain/chat 'Messages|FirstDelta' 2s
  bench_go chat ./daemon 'TRPC' 2s
  for file in widget/dist/widget.js widget/dist/panel.css; do
    row widget "${file##*/}, bytes by gzip -9" "$(gzip -9 -n -c "$file" | wc -c)"
  done
}

# bench_go LABEL PACKAGE PATTERN TIME runs benchmarks and prints a row for each.
bench_go() {
  go test -run '^$' -bench "$3" -benchtime "$4" -timeout 10m "$2" | awk -v label="$1" '/^Benchmark/ {
    line = ""
    for (i = 3; i < NF; i += 2) line = line (line ? ", " : "") $i " " $(i + 1)
    printf "%-12s %-34s %s\n", label, $1, line
  } /^(FAIL|---)/ { print; bad = 1 } END { exit bad }'
}
