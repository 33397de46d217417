package postfile

import (
	"maps"
	"slices"
	"strings"

	"edgesvc.dev/svc/sdk/api"
)

// FromPost is a post as a file, with every member that a person may edit. As
// HTML the body is the post's own, else Markdown made from it.
func FromPost(p *api.Post, html bool) (*File, error) {
	tags := Tags(slices.Clone(p.Tags))
	f := &File{HTML: html, Body: p.Content, Front: Front{
		ID: p.ID, Title: p.Title, Slug: p.Slug, Status: strings.ToLower(p.Status),
		Description: &p.Description, Tags: &tags, PublishAt: p.PublishAt.String(),
	}}
	if tags == nil {
		*f.Tags = Tags{}
	}
	if p.Locale != "" {
		f.Locale = &p.Locale
	}
	if p.CanonicalURL != "" {
		f.CanonicalURL = &p.CanonicalURL
	}
	if p.FeaturedImage != nil {
		f.Image = &Image{URL: p.FeaturedImage.URL, Alt: p.FeaturedImage.Alt}
	}
	if len(p.Metadata) > 0 {
		f.Metadata = &p.Metadata
	}
	if html {
		return f, nil
	}
	body, err := Markdown(p.Content)
	f.Body = body
	return f, err
}

// Create is the file as a new post with the given content.
func (f *File) Create(content string) (api.PostCreate, error) {
	at, err := f.publishAt()
	if err != nil {
		return api.PostCreate{}, err
	}
	in := api.PostCreate{Title: f.Title, Content: content, Slug: f.Slug, Status: f.Status, PublishAt: at}
	if in.Status == api.PostArchived {
		in.Status = "" // a post begins as a draft
	}
	set(&in.Description, f.Description)
	set(&in.Locale, f.Locale)
	set(&in.CanonicalURL, f.CanonicalURL)
	set(&in.Metadata, f.Metadata)
	if f.Tags != nil {
		in.Tags = *f.Tags
	}
	if f.Image != nil && f.Image.URL != "" {
		in.FeaturedImage = &api.Image{URL: f.Image.URL, Alt: f.Image.Alt}
	}
	return in, nil
}

func set[T any](dst *T, src *T) {
	if src != nil {
		*dst = *src
	}
}

// Change is one difference between a file and a post.
type Change struct {
	Field     string
	Old, New  string
	Multiline bool
}

// Patch is what makes the post say what the file says, and the differences in
// words. Content is compared when it is given.
func (f *File) Patch(p *api.Post, content *string) (api.PostPatch, []Change, error) {
	at, err := f.publishAt()
	if err != nil {
		return api.PostPatch{}, nil, err
	}
	d := differ{}
	patch := api.PostPatch{PostRef: api.PostRef{ID: p.ID}}
	member(&d, "title", p.Title, given(f.Title), &patch.Title)
	member(&d, "slug", p.Slug, given(f.Slug), &patch.Slug)
	member(&d, "description", p.Description, f.Description, &patch.Description)
	member(&d, "status", p.Status, given(f.Status), &patch.Status)
	member(&d, "locale", p.Locale, f.Locale, &patch.Locale)
	member(&d, "canonicalUrl", p.CanonicalURL, f.CanonicalURL, &patch.CanonicalURL)
	member(&d, "content", p.Content, content, &patch.Content)
	if f.Tags != nil && !slices.Equal(*f.Tags, p.Tags) {
		d.add("tags", strings.Join(p.Tags, ", "), strings.Join(*f.Tags, ", "))
		patch.Tags = api.Some([]string(*f.Tags))
	}
	if at != 0 && at != p.PublishAt && p.Status == api.PostDraft {
		d.add("publishAt", p.PublishAt.String(), at.String())
		patch.PublishAt = api.Some(at)
	}
	if f.Metadata != nil && !maps.Equal(*f.Metadata, p.Metadata) {
		d.add("metadata", join(p.Metadata), join(*f.Metadata))
		patch.Metadata = api.Some(metadataPatch(p.Metadata, *f.Metadata))
	}
	f.patchImage(&d, p, &patch)
	return patch, d.changes, nil
}

func (f *File) patchImage(d *differ, p *api.Post, patch *api.PostPatch) {
	if f.Image == nil {
		return
	}
	old := Image{}
	if p.FeaturedImage != nil {
		old = Image{URL: p.FeaturedImage.URL, Alt: p.FeaturedImage.Alt}
	}
	switch {
	case *f.Image == old:
	case f.Image.URL == "":
		d.add("image", old.URL, "")
		patch.FeaturedImage = api.Null[api.Image]()
	default:
		d.add("image", strings.TrimSpace(old.URL+" "+old.Alt), strings.TrimSpace(f.Image.URL+" "+f.Image.Alt))
		patch.FeaturedImage = api.Some(api.Image{URL: f.Image.URL, Alt: f.Image.Alt})
	}
}

type differ struct{ changes []Change }

func (d *differ) add(field, old, new string) {
	d.changes = append(d.changes, Change{Field: field, Old: old, New: new, Multiline: field == "content"})
}

func member(d *differ, field, old string, new *string, out *api.Opt[string]) {
	if new == nil || *new == old {
		return
	}
	d.add(field, old, *new)
	*out = api.Some(*new)
}

// given is nil for an empty text, which says nothing.
func given(s string) *string {
	if s == "" {
		return nil
	}
	return &s
}

func join(m map[string]string) string {
	lines := make([]string, 0, len(m))
	for _, key := range slices.Sorted(maps.Keys(m)) {
		lines = append(lines, key+"="+m[key])
	}
	return strings.Join(lines, ", ")
}

// metadataPatch turns was into is: keys that are gone become null.
func metadataPatch(was, is map[string]string) map[string]*string {
	patch := map[string]*string{}
	for k := range was {
		patch[k] = nil
	}
	for k, v := range is {
		patch[k] = &v
	}
	return patch
}
