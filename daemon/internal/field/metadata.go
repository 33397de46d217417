package field

import (
	"maps"
	"strings"
	"unicode/utf8"

	"edgesvc.dev/svc/sdk/api"
)

const (
	maxMetadata      = 50
	maxMetadataKey   = 64
	maxMetadataValue = 500
)

// Metadata notes what is wrong with an object's metadata.
func (f *Failures) Metadata(m map[string]string) {
	if len(m) > maxMetadata {
		f.Add("/metadata", "too_many", "may have at most %d keys, this has %d", maxMetadata, len(m))
		return
	}
	for k, v := range m {
		at := "/metadata/" + strings.NewReplacer("~", "~0", "/", "~1").Replace(k)
		switch {
		case k == "":
			f.Add("/metadata", "required", "has an empty key")
		case utf8.RuneCountInString(k) > maxMetadataKey:
			f.Add("/metadata", "too_long", "has a key of more than %d characters", maxMetadataKey)
		case HasControl(k, ""):
			f.Add("/metadata", "control_character", "has a control character in a key")
		case utf8.RuneCountInString(v) > maxMetadataValue:
			f.Add(at, "too_long", "may have at most %d characters", maxMetadataValue)
		case HasControl(v, "\t\n\r"):
			f.Add(at, "control_character", "has a control character")
		}
	}
}

// Merged is metadata after a merge patch (RFC 7396).
func Merged(have map[string]string, patch api.Opt[map[string]*string]) map[string]string {
	if !patch.Set {
		return have
	}
	if patch.Null {
		return nil
	}
	out := maps.Clone(have)
	for k, v := range patch.Value {
		if v == nil {
			delete(out, k)
			continue
		}
		if out == nil {
			out = map[string]string{}
		}
		out[k] = *v
	}
	return out
}
