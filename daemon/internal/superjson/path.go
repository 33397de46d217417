package superjson

import (
	"fmt"
	"strconv"
	"strings"
)

// forbidden are the names that reach an object's prototype in JavaScript.
func forbidden(name string) bool {
	return name == "__proto__" || name == "constructor" || name == "prototype"
}

// splitPath splits a path at its dots. Version 1 escapes a dot and a backslash
// with a backslash; before it, only a dot.
func splitPath(path string, legacy bool) ([]string, error) {
	var segs []string
	var seg strings.Builder
	for i := 0; i < len(path); i++ {
		switch {
		case path[i] == '.':
			segs = append(segs, seg.String())
			seg.Reset()
			continue
		case path[i] == '\\' && i+1 < len(path) && (path[i+1] == '.' || path[i+1] == '\\' && !legacy):
			i++
		case path[i] == '\\' && !legacy:
			return nil, fmt.Errorf("invalid path %q", path)
		}
		seg.WriteByte(path[i])
	}
	if segs = append(segs, seg.String()); len(segs) > maxDepth {
		return nil, errDepth
	}
	for _, s := range segs {
		if forbidden(s) {
			return nil, fmt.Errorf("%s is not allowed as a property", s)
		}
	}
	return segs, nil
}

func joinPath(dst []byte, segs []string) []byte {
	for i, s := range segs {
		if i > 0 {
			dst = append(dst, '.')
		}
		for j := range len(s) {
			if s[j] == '.' || s[j] == '\\' {
				dst = append(dst, '\\')
			}
			dst = append(dst, s[j])
		}
	}
	return dst
}

// slot finds the place that the path's first segments name inside v, and what
// of the path is left: a place in a Map takes two segments.
func (v *Value) slot(segs []string) (**Value, []string, error) {
	i, rest := -1, segs[1:]
	switch v.Kind {
	case Object, Error:
		i = v.find(segs[0])
	case Array, Set:
		i = index(segs[0], len(v.Items))
	case Map:
		row, side := index(segs[0], len(v.Items)/2), -1
		if len(rest) > 0 {
			side, rest = index(rest[0], 2), rest[1:]
		}
		if row >= 0 && side >= 0 {
			i = 2*row + side
		}
	}
	if i < 0 {
		return nil, nil, fmt.Errorf("there is nothing at %q", joinPath(nil, segs))
	}
	return &v.Items[i], rest, nil
}

// place follows segs, of which there is at least one, to the place they name.
func (v *Value) place(segs []string) (**Value, error) {
	for {
		at, rest, err := v.slot(segs)
		if err != nil || len(rest) == 0 {
			return at, err
		}
		v, segs = *at, rest
	}
}

// index reads a canonical array index below n, or gives -1.
func index(s string, n int) int {
	i, err := strconv.Atoi(s)
	if err != nil || i < 0 || i >= n || strconv.Itoa(i) != s {
		return -1
	}
	return i
}
