package posts

import (
	"net/url"
	"strings"
	"unicode/utf8"

	"edgesvc.dev/svc/daemon/internal/field"
	"edgesvc.dev/svc/sdk/api"
)

const (
	maxMetadata      = 50
	maxMetadataKey   = 64
	maxMetadataValue = 500
)

// failures adds the rules that only posts have.
type failures struct{ field.Failures }

// createRules and patchRules are check for an input alone; see op.Also.
func createRules(in api.PostCreate) []api.FieldError {
	p := asked(&in)
	return field.Errors(check(&p))
}

func patchRules(in api.PostPatch) []api.FieldError {
	p := api.Post{Title: "any", Slug: "any"}
	apply(&p, &in.PostChanges)
	return field.Errors(check(&p))
}

// check holds a post to the rules that its schema cannot say, and brings its
// text into the form in which it is kept.
func check(p *api.Post) error {
	if err := field.CheckHTML(p.Content); err != nil {
		return err
	}
	var f failures
	f.Title("/title", &p.Title)
	f.Line("/description", &p.Description)
	f.Content(p.Content)
	if code, message := slugs.Check(p.Slug); code != "" {
		f.Add("/slug", code, "%s", message)
	}
	p.Tags = f.Tags(p.Tags)
	f.metadata(p.Metadata)
	f.Locale(p.Locale)
	if p.CanonicalURL != "" && !webURL(p.CanonicalURL) {
		f.Add("/canonicalUrl", "format", "must be an http or https address")
	}
	if p.Author != nil {
		f.Line("/author", &p.Author.Name)
	}
	f.image(p.FeaturedImage)
	return f.Err()
}

func (f *failures) metadata(m map[string]string) {
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
		case field.HasControl(k, ""):
			f.Add("/metadata", "control_character", "has a control character in a key")
		case utf8.RuneCountInString(v) > maxMetadataValue:
			f.Add(at, "too_long", "may have at most %d characters", maxMetadataValue)
		case field.HasControl(v, "\t\n\r"):
			f.Add(at, "control_character", "has a control character")
		}
	}
}

// image accepts addresses on the web and paths of this server.
func (f *failures) image(img *api.Image) {
	if img == nil {
		return
	}
	f.Line("/featuredImage/alt", &img.Alt)
	path := strings.HasPrefix(img.URL, "/") && !strings.HasPrefix(img.URL, "//") &&
		!strings.ContainsAny(img.URL, "\\ \"<>") && !field.HasControl(img.URL, "")
	if !path && !webURL(img.URL) {
		f.Add("/featuredImage/url", "format", "must be an http or https address, or a path of this server")
	}
	if img.Source == "" {
		img.Source = "external"
	}
}

func webURL(s string) bool {
	u, err := url.Parse(s)
	return err == nil && (u.Scheme == "http" || u.Scheme == "https") && u.Host != "" && u.User == nil &&
		!strings.ContainsAny(s, "\\ \"<>") && !field.HasControl(s, "")
}
