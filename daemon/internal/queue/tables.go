package queue

import "edgesvc.dev/svc/kv"

// Tables are the tables of this package, for the store's checker.
func Tables() []kv.Checker { return []kv.Checker{rows, clocks} }
