package text

import "edgesvc.dev/svc/sdk/api"

// CheckDate refuses a time of publication that an author cannot give: it has
// passed, and lies after 1970. None is fine.
func CheckDate(at, now api.Time) error {
	switch {
	case at > now:
		return api.Invalid("/publishedAt", "too_large", "publishedAt must be in the past; publishAt is for what is to come")
	case at < 0:
		return api.Invalid("/publishedAt", "too_small", "publishedAt must be after 1970")
	}
	return nil
}

// Redate sets the time of publication that the author of a patch gives. A text
// that is public shows it at once; without one a text that is public keeps the
// time that it shows.
func Redate(f Fields, at api.Opt[api.Time]) {
	if !at.Set {
		return
	}
	*f.Date = at.Value
	if *f.PublishedAt != 0 && at.Value != 0 {
		*f.PublishedAt = at.Value
	}
}
