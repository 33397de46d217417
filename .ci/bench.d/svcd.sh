# svcd with everything on but rate limits, and one team.
bench_svcd() {
  local port base posts=/svc-api/v1/posts
  port=$(free_port)
  base=http://127.0.0.1:$port
  export SVCD_DATA=$work/svcd SVCD_LISTEN=127.0.0.1:$port SVCD_ADMIN="" SVCD_LOG_LEVEL=warn SVCD_LIMITS=read=0,write=0,login=0
  AUTH="Bearer $(bin/svcd init --json | field key)"
  export AUTH
  start svcd "$port" bin/svcd serve
  memory svcd idle

  post_body "$work/post.json"
  echo "$posts" >"$work/paths"
  METHOD=POST BODY=$work/post.json PATHS=$work/paths load svcd "creates, durable when answered" "$base"
  curl -fsS -H "Authorization: $AUTH" "$base$posts?limit=100" | grep -o '"id":"post_[^"]*"' | cut -d'"' -f4 | sed "s#^#$posts/#" >"$work/paths"
  PATHS=$work/paths load svcd "gets by id" "$base"
  echo "$posts?limit=20" >"$work/paths"
  PATHS=$work/paths load svcd "lists of 20, without content" "$base"
  memory svcd "after the load"
  stop
  start svcd "$port" bin/svcd serve
  stop
  row svcd "data file" "$(($(du -sm "$work/svcd" | cut -f1))) MiB"
  unset AUTH SVCD_DATA SVCD_LISTEN SVCD_ADMIN SVCD_LOG_LEVEL SVCD_LIMITS
}
