package rest

import (
	"slices"
	"strings"

	"edgesvc.dev/svc/daemon/internal/op"
)

// target is what a path and method lead to: a row or a hand-written route.
type target struct {
	op    *op.Op
	route *Route
}

// node is one segment of the paths. A fixed segment wins over a parameter.
type node struct {
	fixed map[string]*node
	param *node
	name  string // of the parameter that leads here
	by    map[string]target
}

func (n *node) add(method, path string, t target) {
	for seg := range strings.SplitSeq(strings.TrimPrefix(path, "/"), "/") {
		n = n.child(seg)
	}
	if n.by == nil {
		n.by = map[string]target{}
	}
	if _, taken := n.by[method]; taken {
		panic("rest: two rows serve " + method + " " + path)
	}
	n.by[method] = t
}

func (n *node) child(seg string) *node {
	if strings.HasPrefix(seg, "{") {
		if n.param == nil {
			n.param = &node{name: seg[1 : len(seg)-1]}
		}
		if n.param.name != seg[1:len(seg)-1] {
			panic("rest: one place has two parameter names: " + n.param.name + " and " + seg)
		}
		return n.param
	}
	if n.fixed == nil {
		n.fixed = map[string]*node{}
	}
	if n.fixed[seg] == nil {
		n.fixed[seg] = &node{}
	}
	return n.fixed[seg]
}

// find returns the target of a path, or the methods that the path allows when
// the method is not among them.
func (n *node) find(method, path string) (target, []op.Param, []string) {
	var params []op.Param
	end := n.walk(path[1:], &params)
	if end == nil || end.by == nil {
		return target{}, nil, nil
	}
	if t, ok := end.by[method]; ok {
		return t, params, nil
	}
	allow := make([]string, 0, len(end.by)+1)
	for m := range end.by {
		allow = append(allow, m)
		if m == "GET" {
			allow = append(allow, "HEAD")
		}
	}
	slices.Sort(allow)
	return target{}, nil, allow
}

func (n *node) walk(path string, params *[]op.Param) *node {
	seg, rest, more := strings.Cut(path, "/")
	next := func(child *node) *node {
		if !more {
			return child
		}
		return child.walk(rest, params)
	}
	if child := n.fixed[seg]; child != nil {
		if end := next(child); end != nil && end.by != nil {
			return end
		}
	}
	if n.param == nil || seg == "" {
		return nil
	}
	*params = append(*params, op.Param{Name: n.param.name, Value: seg})
	return next(n.param)
}
