# The search: ranking alone, then through the help centre's service on its store.
bench_search() {
  bench_go search ./daemon/internal/search . 300ms
  bench_go search ./daemon/internal/domain/helpdesk . 100x
}

# Real help centres and blogs, where they lie beside the checkout: what the search
# finds, what the agent without a model says, what becomes of a synced folder.
bench_corpus() {
  local corpora=${SVC_CORPORA:-../shared/corpora}
  if [ ! -d "$corpora/help" ]; then
    row corpus "left out" "there is no $corpora/help (SVC_CORPORA names another place)"
    return
  fi
  need python3
  python3 "$corpora/help/measure.py" --svcd bin/svcd --svcctl bin/svcctl --json "$work/help.json" >"$work/help.txt"
  sed 's/^/             /' "$work/help.txt"
  python3 .ci/bench.d/corpus.py "$work/help.json"
  if [ -d "$corpora/blogs" ]; then
    python3 "$corpora/blogs/measure.py" --svcd bin/svcd --svcctl bin/svcctl | sed 's/^/             /'
  fi
}
