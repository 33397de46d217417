package op

import (
	"bytes"
	"slices"

	"github.com/go-json-experiment/json/jsontext"
)

// sent is what a caller wrote of one object, for a decoded zero does not tell
// whether it was sent. A member that is null counts as absent. It is read when
// it is first asked for.
type sent struct {
	raw     jsontext.Value // valid JSON, nil for none
	params  []Param        // sent beside it
	read    bool
	members []sentMember
}

type sentMember struct {
	name  string
	value jsontext.Value
}

func (a *Args) sent() *sent { return &sent{raw: a.Body, params: a.Params} }

// has reports whether the member was sent.
func (s *sent) has(name string) bool { return s.param(name) || s.member(name) != nil }

func (s *sent) param(name string) bool {
	return slices.ContainsFunc(s.params, func(p Param) bool { return p.Name == name })
}

// pointer is where the member was sent: into the body, or a parameter's name.
func (s *sent) pointer(name string) string {
	if s.param(name) {
		return name
	}
	return "/" + name
}

// in is the member as an object of its own.
func (s *sent) in(name string) *sent { return &sent{raw: s.member(name)} }

// at is element i of the list that s is.
func (s *sent) at(i int) *sent {
	s.scan()
	if i >= len(s.members) {
		return &sent{}
	}
	return &sent{raw: s.members[i].value}
}

func (s *sent) member(name string) jsontext.Value {
	if !s.read && !s.mayHave(name) {
		return nil
	}
	s.scan()
	for i := range s.members {
		if s.members[i].name == name {
			return s.members[i].value
		}
	}
	return nil
}

// mayHave is a quick look for most members that were not sent: the name is
// nowhere, and none is written with escapes, which only letters of ASCII could be.
func (s *sent) mayHave(name string) bool {
	return bytes.Contains(s.raw, []byte(`"`+name+`"`)) || bytes.Contains(s.raw, []byte(`\u00`))
}

// scan lists the members of an object, or the elements of a list.
func (s *sent) scan() {
	if s.read || len(s.raw) == 0 {
		return
	}
	s.read = true
	dec := jsontext.NewDecoder(bytes.NewReader(s.raw))
	begin, err := dec.ReadToken()
	if err != nil || begin.Kind() != '{' && begin.Kind() != '[' {
		return
	}
	for dec.PeekKind() != begin.Kind()+2 { // the closing bracket
		var m sentMember
		if begin.Kind() == '{' {
			name, err := dec.ReadToken()
			if err != nil {
				return
			}
			m.name = name.String()
		}
		value, err := dec.ReadValue()
		if err != nil {
			return
		}
		end := dec.InputOffset()
		m.value = s.raw[end-int64(len(value)) : end]
		if value.Kind() != 'n' || begin.Kind() == '[' {
			s.members = append(s.members, m)
		}
	}
}
