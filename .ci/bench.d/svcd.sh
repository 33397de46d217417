# svcd with everything on but rate limits: with one team, with a hundred, and
# with much data.

posts=/svc-api/v1/posts

# svcd_start DIR starts svcd on its data in DIR and keeps its address in base.
svcd_start() {
  local port
  port=$(free_port)
  base=http://127.0.0.1:$port
  export SVCD_DATA=$work/$1 SVCD_LISTEN=127.0.0.1:$port SVCD_ADMIN="" SVCD_LOG_LEVEL=warn SVCD_LIMITS=read=0,write=0,login=0
  [ -d "$SVCD_DATA" ] || AUTH="Bearer $(bin/svcd init --json | field key)"
  export AUTH
  start svcd "$port" bin/svcd serve
}

svcd_stop() {
  stop
  unset AUTH SVCD_DATA SVCD_LISTEN SVCD_ADMIN SVCD_LOG_LEVEL SVCD_LIMITS
}

bench_svcd() {
  local base
  svcd_start svcd
  memory svcd idle

  post_body "$work/post.json"
  echo "$posts" >"$work/paths"
  METHOD=POST BODY=$work/post.json PATHS=$work/paths load svcd "creates, durable when answered" "$base"
  curl -fsS -H "Authorization: $AUTH" "$base$posts?limit=100" | grep -o '"id":"post_[^"]*"' | cut -d'"' -f4 | sed "s#^#$posts/#" >"$work/paths"
  PATHS=$work/paths load svcd "gets by id" "$base"
  echo "$posts?limit=20" >"$work/paths"
  PATHS=$work/paths load svcd "lists of 20, without content" "$base"
  memory svcd "after the load"
  svcd_stop
}

# bench_teams spreads creates over a hundred teams: their keys lie apart.
bench_teams() {
  local base n
  export SVCD_DATA=$work/teams
  for n in $(seq 100); do
    bin/svcd init --another --slug "blog-$n" --email "owner-$n@localhost" --json | field key
  done >"$work/keys"
  AUTH="Bearer $(head -n 1 "$work/keys")"
  svcd_start teams
  post_body "$work/post.json"
  echo "$posts" >"$work/paths"
  METHOD=POST BODY=$work/post.json PATHS=$work/paths KEYS=$work/keys load svcd "creates of 100 teams" "$base"
  memory svcd "after the load"
  svcd_stop
}

# bench_large starts svcd on what creates leave behind in BENCH_LARGE seconds (25).
bench_large() {
  local base seconds=${BENCH_LARGE:-25}
  svcd_start large
  post_body "$work/post.json"
  echo "$posts" >"$work/paths"
  METHOD=POST BODY=$work/post.json PATHS=$work/paths load svcd "creates until there is much" "$base"
  memory svcd "after the load"
  stop
  svcd_start large
  memory svcd "idle, with $(($(du -sm "$SVCD_DATA" | cut -f1))) MiB of data"
  svcd_stop
}
