# PocketBase 0.40.4: one base collection with public rules and an index on the
# order of its list.
pocketbase() {
  local version=v0.40.4 zip dir
  dir=$SVC_CACHE/pocketbase-$version
  if [ ! -x "$dir/pocketbase" ]; then
    say "building PocketBase $version (once per machine)"
    # Its go.mod names a newer Go, so the download ends with an error and the
    # zip. It builds with this Go once that line is lowered and the JSON
    # package that it uses is switched on.
    zip=$({ go mod download -json "github.com/pocketbase/pocketbase@$version" || true; } | field Zip)
    unzip -q -o "$zip" -d "$dir.src"
    (cd "$dir.src/github.com/pocketbase/pocketbase@$version" &&
      go mod edit -go="$(go env GOVERSION | sed 's/^go//')" &&
      GOFLAGS= GOEXPERIMENT=jsonv2 CGO_ENABLED=0 go build -trimpath -ldflags '-s -w' -o "$dir/pocketbase" ./examples/base) >&2
    rm -rf "$dir.src"
  fi
  echo "$dir/pocketbase"
}

bench_pocketbase() {
  local program port base token records=/api/collections/posts/records
  program=$(pocketbase)
  port=$(free_port)
  base=http://127.0.0.1:$port
  "$program" superuser upsert bench@example.org bench-password --dir "$work/pb" >/dev/null 2>&1
  start pocketbase "$port" "$program" serve --http "127.0.0.1:$port" --dir "$work/pb"
  token=$(curl -sS -H 'Content-Type: application/json' -d '{"identity":"bench@example.org","password":"bench-password"}' \
    "$base/api/collections/_superusers/auth-with-password" | field token)
  curl -fsS -H "Authorization: $token" -H 'Content-Type: application/json' -d @.ci/bench.d/pocketbase.json "$base/api/collections" >/dev/null
  memory pocketbase idle

  post_body "$work/post.json"
  echo "$records" >"$work/paths"
  METHOD=POST BODY=$work/post.json PATHS=$work/paths load pocketbase "creates, not synced per commit" "$base"
  curl -fsS "$base$records?perPage=100&fields=id" | grep -o '"id":"[^"]*"' | cut -d'"' -f4 | sed "s#^#$records/#" >"$work/paths"
  PATHS=$work/paths load pocketbase "gets by id" "$base"
  echo "$records?perPage=20&sort=-created&skipTotal=1&fields=id,title,slug,status,created,updated" >"$work/paths"
  PATHS=$work/paths load pocketbase "lists of 20, without content" "$base"
  memory pocketbase "after the load"
  stop
  start pocketbase "$port" "$program" serve --http "127.0.0.1:$port" --dir "$work/pb"
  stop
}
