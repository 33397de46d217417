package posts

import (
	"net/url"
	"strings"

	"edgesvc.dev/svc/daemon/internal/field"
	"edgesvc.dev/svc/daemon/internal/text"
	"edgesvc.dev/svc/sdk/api"
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
	f.Metadata(p.Metadata)
	p.Aliases = text.CheckAliases(&f.Failures, p.Aliases)
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
