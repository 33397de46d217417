package postfile

import (
	"maps"
	"slices"
	"strings"
	"time"

	"edgesvc.dev/svc/cli/internal/markup"
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
	if p.Date != 0 {
		f.Date = p.Date.String()
	}
	if p.Author != nil && p.Author.ID == "" {
		f.Author = &p.Author.Name
	}
	if len(p.Aliases) > 0 {
		aliases := slices.Clone(p.Aliases)
		f.Aliases = &aliases
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
	published, publish := f.times(time.Now())
	in := api.PostCreate{Title: f.Title, Content: content, Slug: f.Slug, Status: f.Status, PublishAt: publish, PublishedAt: published, Metadata: f.metadata(nil)}
	if in.Status == api.PostArchived || publish != 0 {
		in.Status = "" // a post begins as a draft, and waits as one
	}
	set(&in.Description, f.Description)
	set(&in.Author, f.Author)
	set(&in.Locale, f.Locale)
	set(&in.CanonicalURL, f.CanonicalURL)
	set(&in.Aliases, f.Aliases)
	if f.Tags != nil {
		in.Tags = *f.Tags
	}
	if f.Image != nil && f.Image.URL != "" {
		in.FeaturedImage = &api.Image{URL: f.Image.URL, Alt: f.Image.Alt}
	}
	return in, nil
}

// metadata is what the post's metadata are to be: those that the file names, and
// the members of its front matter that have no other place. Keys that the file
// does not speak of stay.
func (f *File) metadata(have map[string]string) map[string]string {
	want := map[string]string{}
	switch {
	case f.Metadata != nil:
		maps.Copy(want, *f.Metadata)
	default:
		for key, value := range have {
			if !strings.HasPrefix(key, MetadataPrefix) || f.Doc == nil || key == CategoryKey {
				want[key] = value
			}
		}
	}
	maps.Copy(want, f.extra)
	if len(want) == 0 {
		return nil
	}
	return want
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
	published, publish := f.times(time.Now())
	d := differ{}
	patch := api.PostPatch{PostRef: api.PostRef{ID: p.ID}}
	member(&d, "title", p.Title, given(f.Title), &patch.Title)
	member(&d, "slug", p.Slug, given(f.Slug), &patch.Slug)
	member(&d, "description", p.Description, f.Description, &patch.Description)
	if publish == 0 || f.Status != api.PostPublished || p.Status == api.PostArchived { // what is scheduled waits as a draft
		member(&d, "status", p.Status, given(f.Status), &patch.Status)
	}
	member(&d, "locale", p.Locale, f.Locale, &patch.Locale)
	member(&d, "canonicalUrl", p.CanonicalURL, f.CanonicalURL, &patch.CanonicalURL)
	author := ""
	if p.Author != nil {
		author = p.Author.Name
	}
	member(&d, "author", author, f.Author, &patch.Author)
	if content != nil && !f.says(p.Content, *content) {
		member(&d, "content", p.Content, content, &patch.Content)
	}
	if f.Tags != nil && !slices.Equal(*f.Tags, p.Tags) {
		d.add("tags", strings.Join(p.Tags, ", "), strings.Join(*f.Tags, ", "))
		patch.Tags = api.Some([]string(*f.Tags))
	}
	if f.Aliases != nil && !slices.Equal(*f.Aliases, p.Aliases) {
		d.add("aliases", strings.Join(p.Aliases, ", "), strings.Join(*f.Aliases, ", "))
		patch.Aliases = api.Some(*f.Aliases)
	}
	if published != 0 && published != p.Date && published != p.PublishedAt {
		d.add("date", p.Date.String(), published.String())
		patch.PublishedAt = api.Some(published)
	}
	if publish != 0 && publish != p.PublishAt && p.Status == api.PostDraft && publish.Time().After(time.Now()) {
		d.add("publishAt", p.PublishAt.String(), publish.String())
		patch.PublishAt = api.Some(publish)
	}
	if want := f.metadata(p.Metadata); !maps.Equal(want, p.Metadata) {
		d.add("metadata", join(p.Metadata), join(want))
		patch.Metadata = api.Some(metadataPatch(p.Metadata, want))
	}
	f.patchImage(&d, p, &patch)
	return patch, d.changes, nil
}

// says reports that pages show the post's content as they would show the file's.
func (f *File) says(have, want string) bool {
	if have == want || f.HTML {
		return have == want || markup.Same(have, want)
	}
	same, err := sameText(have, want)
	return err == nil && same
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
