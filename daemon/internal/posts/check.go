package posts

import (
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"regexp"
	"strings"
	"unicode/utf8"

	"edgesvc.dev/svc/sdk/api"
)

const (
	maxHTML          = 1 << 20
	maxTag           = 60
	maxMetadata      = 50
	maxMetadataKey   = 64
	maxMetadataValue = 500
)

// failures collects everything that is wrong with an input.
type failures []api.FieldError

func (f *failures) add(pointer, code, message string, args ...any) {
	*f = append(*f, api.FieldError{Pointer: pointer, Code: code, Message: fmt.Sprintf(message, args...)})
}

func (f failures) err() error {
	if len(f) == 0 {
		return nil
	}
	e := api.NewError(http.StatusUnprocessableEntity, api.CodeValidationFailed, "%d of the fields sent cannot be accepted.", len(f))
	if len(f) == 1 {
		e.Detail = strings.TrimPrefix(f[0].Pointer, "/") + " " + f[0].Message + "."
	}
	e.Errors = f
	return e
}

// createRules and patchRules are check for an input alone; see op.Also.
func createRules(in api.PostCreate) []api.FieldError {
	p := asked(&in)
	return fieldErrors(check(&p))
}

func patchRules(in api.PostPatch) []api.FieldError {
	p := api.Post{Title: "any", Slug: "any"}
	apply(&p, &in.PostChanges)
	return fieldErrors(check(&p))
}

func fieldErrors(err error) []api.FieldError {
	if e, ok := errors.AsType[*api.Error](err); ok {
		return e.Errors
	}
	return nil
}

// check holds a post to the rules that its schema cannot say, and brings its
// text into the form in which it is kept.
func check(p *api.Post) error {
	if len(p.Content) > maxHTML {
		e := api.NewError(http.StatusUnprocessableEntity, api.CodeHTMLTooLarge, "The content may have at most %d bytes, this has %d.", maxHTML, len(p.Content))
		e.Errors = []api.FieldError{{Pointer: "/content", Code: string(api.CodeHTMLTooLarge), Message: "is too large"}}
		return e
	}
	var f failures
	f.line("/title", &p.Title)
	if p.Title == "" {
		f.add("/title", "required", "cannot be empty")
	}
	f.line("/description", &p.Description)
	if hasControl(p.Content, "\t\n\r") {
		f.add("/content", "control_character", "has a control character")
	}
	if code, message := checkSlug(p.Slug); code != "" {
		f.add("/slug", code, "%s", message)
	}
	f.tags(p)
	f.metadata(p.Metadata)
	if p.Locale != "" && !localePattern.MatchString(p.Locale) {
		f.add("/locale", "format", "must be a language tag, like en or pt-BR")
	}
	if p.CanonicalURL != "" && !webURL(p.CanonicalURL) {
		f.add("/canonicalUrl", "format", "must be an http or https address")
	}
	if p.Author != nil {
		f.line("/author", &p.Author.Name)
	}
	f.image(p.FeaturedImage)
	return f.err()
}

var localePattern = regexp.MustCompile(`^[A-Za-z]{2,8}(-[A-Za-z0-9]{1,8})*$`)

// line trims a text of one line.
func (f *failures) line(pointer string, s *string) {
	*s = strings.TrimSpace(*s)
	if hasControl(*s, "") {
		f.add(pointer, "control_character", "has a control character or a line break")
	}
}

// tags trims them and drops repetitions, which differ at most in case.
func (f *failures) tags(p *api.Post) {
	seen := make(map[string]bool, len(p.Tags))
	kept := make([]string, 0, len(p.Tags))
	for i, tag := range p.Tags {
		at := fmt.Sprintf("/tags/%d", i)
		f.line(at, &tag)
		switch n := utf8.RuneCountInString(tag); {
		case n == 0:
			f.add(at, "required", "cannot be empty")
		case n > maxTag:
			f.add(at, "too_long", "may have at most %d characters, this has %d", maxTag, n)
		}
		if fold := foldTag(tag); !seen[fold] {
			seen[fold] = true
			kept = append(kept, tag)
		}
	}
	p.Tags = kept
}

func (f *failures) metadata(m map[string]string) {
	if len(m) > maxMetadata {
		f.add("/metadata", "too_many", "may have at most %d keys, this has %d", maxMetadata, len(m))
		return
	}
	for k, v := range m {
		at := "/metadata/" + strings.NewReplacer("~", "~0", "/", "~1").Replace(k)
		switch {
		case k == "":
			f.add("/metadata", "required", "has an empty key")
		case utf8.RuneCountInString(k) > maxMetadataKey:
			f.add("/metadata", "too_long", "has a key of more than %d characters", maxMetadataKey)
		case hasControl(k, ""):
			f.add("/metadata", "control_character", "has a control character in a key")
		case utf8.RuneCountInString(v) > maxMetadataValue:
			f.add(at, "too_long", "may have at most %d characters", maxMetadataValue)
		case hasControl(v, "\t\n\r"):
			f.add(at, "control_character", "has a control character")
		}
	}
}

// image accepts addresses on the web and paths of this server.
func (f *failures) image(img *api.Image) {
	if img == nil {
		return
	}
	f.line("/featuredImage/alt", &img.Alt)
	path := strings.HasPrefix(img.URL, "/") && !strings.HasPrefix(img.URL, "//") &&
		!strings.ContainsAny(img.URL, "\\ \"<>") && !hasControl(img.URL, "")
	if !path && !webURL(img.URL) {
		f.add("/featuredImage/url", "format", "must be an http or https address, or a path of this server")
	}
	if img.Source == "" {
		img.Source = "external"
	}
}

func webURL(s string) bool {
	u, err := url.Parse(s)
	return err == nil && (u.Scheme == "http" || u.Scheme == "https") && u.Host != "" && u.User == nil &&
		!strings.ContainsAny(s, "\\ \"<>") && !hasControl(s, "")
}

// hasControl reports a C0 or C1 control character that is not among allowed.
func hasControl(s, allowed string) bool {
	for i := range len(s) {
		if !suspect[s[i]] {
			continue
		}
		c := s[i]
		if c != c1Lead && strings.IndexByte(allowed, c) < 0 {
			return true
		}
		if c == c1Lead && i+1 < len(s) && s[i+1] < 0xa0 && allowed == "" {
			return true
		}
	}
	return false
}

// c1Lead is the first of the two bytes of a C1 control character in UTF-8.
const c1Lead = 0xc2

// suspect are the bytes that a control character can begin with.
var suspect = func() (set [256]bool) {
	for c := range 0x20 {
		set[c] = true
	}
	set[0x7f], set[c1Lead] = true, true
	return set
}()
