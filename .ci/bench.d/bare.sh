# The same HTTP server and store as svcd's with nothing between them: the
# ceiling of the design.
bench_bare() {
  local port base
  port=$(free_port)
  base=http://127.0.0.1:$port
  go build -o "$work/bare" ./.ci/bench.d/bare
  export AUTH="Bearer bare"
  start bare "$port" "$work/bare" "127.0.0.1:$port" "$work/bare.data" bare
  memory bare idle

  post_body "$work/post.json"
  echo /posts >"$work/paths"
  METHOD=POST BODY=$work/post.json PATHS=$work/paths load bare "creates, durable when answered" "$base"
  curl -fsS -H "Authorization: $AUTH" "$base/posts" | grep -o '"id":"post_[^"]*"' | cut -d'"' -f4 | sed "s#^#/posts/#" >"$work/paths"
  PATHS=$work/paths load bare "gets by id" "$base"
  echo /posts >"$work/paths"
  PATHS=$work/paths load bare "lists of 20, without content" "$base"
  memory bare "after the load"
  stop
  unset AUTH
}
