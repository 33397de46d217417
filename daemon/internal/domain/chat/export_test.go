package chat

import "edgesvc.dev/svc/kv"

// SetVisitor stores a conversation as that of the visitor with another id.
func SetVisitor(tx kv.Tx, team, conversation, visitor string) error {
	r, err := conversations.Get(tx, team, conversation)
	if err != nil {
		return err
	}
	r.C.Visitor.ID = visitor
	return conversations.Put(tx, team, conversation, r)
}
