package frontmatter

import (
	"encoding/json"
	"maps"
	"slices"
	"strings"

	"github.com/pelletier/go-toml/v2"
)

func fromTOML(data string) ([]Member, error) {
	var all map[string]any
	if err := toml.Unmarshal([]byte(data), &all); err != nil {
		return nil, err
	}
	members := sorted(all)
	at := func(key string) int {
		if i := slices.IndexFunc(tomlSpans(data), func(s span) bool { return s.key == key }); i >= 0 {
			return i
		}
		return len(data) // members of tables come last
	}
	slices.SortStableFunc(members, func(a, b Member) int { return at(a.Key) - at(b.Key) })
	return members, nil
}

func sorted(all map[string]any) Map {
	var out Map
	for _, key := range slices.Sorted(maps.Keys(all)) {
		out = append(out, Member{Key: key, Value: plain(all[key])})
	}
	return out
}

// fromJSON keeps the order of the members.
func fromJSON(data string) ([]Member, error) {
	dec := json.NewDecoder(strings.NewReader(data))
	if _, err := dec.Token(); err != nil { // the opening brace
		return nil, err
	}
	var out []Member
	for dec.More() {
		key, err := dec.Token()
		if err != nil {
			return nil, err
		}
		var value any
		if err := dec.Decode(&value); err != nil {
			return nil, err
		}
		name, _ := key.(string)
		out = append(out, Member{Key: name, Value: plain(value)})
	}
	return out, nil
}
