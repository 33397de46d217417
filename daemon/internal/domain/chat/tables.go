package chat

import "edgesvc.dev/svc/kv"

// Tables are what verifies the conversations in a store.
func Tables() []kv.Checker { return []kv.Checker{conversations, messages, secrets, usages} }
