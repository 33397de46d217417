package superjson

import (
	"errors"
	"fmt"
	"strconv"
)

// Decode revives a payload. A payload that is no object, or has no json member,
// is undefined, as for the library; null is refused.
func Decode(raw []byte) (*Value, error) {
	payload, err := Parse(raw)
	if err != nil {
		return nil, err
	}
	return Revive(payload)
}

// Revive applies a parsed payload's annotations, changing it.
func Revive(payload *Value) (*Value, error) {
	if payload.Kind == Null {
		return nil, errors.New("the payload is null")
	}
	root, meta := payload.Member("json"), payload.Member("meta")
	if root == nil {
		root = &Value{}
	}
	dropProto(root)
	if meta == nil || meta.Kind == Null {
		return root, nil
	}
	if meta.Kind != Object {
		return nil, errors.New("meta must be an object")
	}
	r := reviver{root: root}
	if err := r.version(meta.Member("v")); err != nil {
		return nil, err
	}
	if values := meta.Member("values"); values != nil && values.Kind != Null {
		if err := r.annotate(root, values); err != nil {
			return nil, err
		}
	}
	if refs := meta.Member("referentialEqualities"); refs != nil && refs.Kind != Null {
		if err := r.share(refs); err != nil {
			return nil, err
		}
		if err := bounded(root); err != nil {
			return nil, err
		}
	}
	return root, nil
}

// dropProto removes members that the library's copy of the JSON would lose.
func dropProto(v *Value) {
	for i := 0; i < len(v.Items); i++ {
		if v.Kind == Object && v.Keys[i] == "__proto__" {
			v.Keys, v.Items = append(v.Keys[:i], v.Keys[i+1:]...), append(v.Items[:i], v.Items[i+1:]...)
			i--
			continue
		}
		dropProto(v.Items[i])
	}
}

type reviver struct {
	root   *Value
	legacy bool
	count  int // of annotations and references
}

func (r *reviver) version(v *Value) error {
	if v == nil || v.Kind == Null {
		r.legacy = true
		return nil
	}
	n, err := strconv.ParseFloat(v.Text, 64)
	if v.Kind != Number || err != nil {
		return errors.New("meta.v must be a number")
	}
	r.legacy = n < 1
	return nil
}

func (r *reviver) spend() error {
	if r.count++; r.count > maxAnnotations {
		return fmt.Errorf("more than %d annotations", maxAnnotations)
	}
	return nil
}

// annotate applies a node of meta.values to v: an object has annotations of
// what is inside v, a list that of v itself and then of its inside.
func (r *reviver) annotate(v, node *Value) error {
	if err := r.spend(); err != nil {
		return err
	}
	switch {
	case node.Kind == Object:
		return r.inside(v, node)
	case node.Kind != Array || len(node.Items) < 1 || len(node.Items) > 2:
		return errors.New("an annotation must be an object or a list of one or two")
	case len(node.Items) == 2:
		if node.Items[1].Kind != Object {
			return errors.New("annotations inside a value must be an object")
		}
		if err := r.inside(v, node.Items[1]); err != nil {
			return err
		}
	}
	return transform(v, node.Items[0])
}

func (r *reviver) inside(v, children *Value) error {
	for i, key := range children.Keys {
		segs, err := splitPath(key, r.legacy)
		if err != nil {
			return err
		}
		at, err := v.place(segs)
		if err != nil {
			return err
		}
		if err := r.annotate(*at, children.Items[i]); err != nil {
			return err
		}
	}
	return nil
}

// share applies meta.referentialEqualities. Places that hold the root itself
// make a cycle and are refused.
func (r *reviver) share(refs *Value) error {
	if refs.Kind == Array {
		if len(refs.Items) < 1 || len(refs.Items) > 2 || refs.Items[0].Kind != Array {
			return errors.New("references must be an object or a list of one or two")
		}
		if len(refs.Items[0].Items) > 0 {
			return errCycle
		}
		if len(refs.Items) == 1 {
			return nil
		}
		refs = refs.Items[1]
	}
	if refs.Kind != Object {
		return errors.New("references must be an object")
	}
	for i, from := range refs.Keys {
		if err := r.equal(from, refs.Items[i]); err != nil {
			return err
		}
	}
	return nil
}

func (r *reviver) equal(from string, targets *Value) error {
	source, err := r.at(from)
	if err != nil {
		return err
	}
	if targets.Kind != Array {
		return errors.New("the places of a reference must be a list")
	}
	for _, t := range targets.Items {
		if t.Kind != String {
			return errors.New("a place of a reference must be text")
		}
		at, err := r.at(t.Text)
		if err != nil {
			return err
		}
		*at = *source
	}
	return nil
}

func (r *reviver) at(path string) (**Value, error) {
	if err := r.spend(); err != nil {
		return nil, err
	}
	segs, err := splitPath(path, r.legacy)
	if err != nil {
		return nil, err
	}
	return r.root.place(segs)
}

var errCycle = errors.New("a value contains itself")

// bounded refuses cycles, and trees that shared values make too large or too
// deep when they are written out.
func bounded(root *Value) error {
	sizes := map[*Value]int{}
	var walk func(v *Value, depth int) (int, error)
	walk = func(v *Value, depth int) (int, error) {
		if len(v.Items) == 0 {
			return 1, nil
		}
		size, seen := sizes[v]
		switch {
		case seen && size == 0:
			return 0, errCycle
		case depth > maxDepth:
			return 0, errDepth
		case seen:
			return size, nil
		}
		sizes[v], size = 0, 1
		for _, item := range v.Items {
			n, err := walk(item, depth+1)
			if size += n; err != nil || size > maxNodes {
				return 0, errors.Join(err, tooLarge(size))
			}
		}
		sizes[v] = size
		return size, nil
	}
	_, err := walk(root, 1)
	return err
}

func tooLarge(size int) error {
	if size <= maxNodes {
		return nil
	}
	return fmt.Errorf("more than %d values", maxNodes)
}
