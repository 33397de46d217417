package op

import (
	"reflect"

	"edgesvc.dev/svc/kv"
)

// note is a privileged act under way.
type note struct {
	audit  func(tx kv.Tx, who *Caller, action, target string) error
	who    *Caller
	action string
	target string // "" for what is only being made
}

func (n *note) write(tx kv.Tx, out any) error {
	target := n.target
	if target == "" {
		target = idOf(out)
	}
	return n.audit(tx, n.who, n.action, target)
}

// idOf is the member ID of an input or an answer, "" where there is none.
func idOf(of any) string {
	v := reflect.Indirect(reflect.ValueOf(of))
	if v.Kind() != reflect.Struct {
		return ""
	}
	if id := v.FieldByName("ID"); id.IsValid() && id.Kind() == reflect.String {
		return id.String()
	}
	return ""
}
