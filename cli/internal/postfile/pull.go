package postfile

import (
	"encoding/json"
	"slices"
	"strconv"
	"strings"
	"time"

	"edgesvc.dev/svc/cli/internal/frontmatter"
	"edgesvc.dev/svc/sdk/api"
)

// Pull makes a file say what a post says. Members of the front matter, lines and
// links that say it already stay as their author wrote them, byte for byte.
type Pull struct {
	Name string // of the file, with its folders
	File *File
	Post *api.Post

	// Ready gives a file that was read again what it has of its folder.
	Ready func(*File)
	// Content is the text of a file as it is sent.
	Content func(*File) (string, error)
	// Differ tells how post and file differ, with the content that Content made.
	Differ func(f *File, content string) ([]Change, error)
	// Own puts the file's own links and pictures in place of the post's addresses.
	Own func(html string) (string, error)
	// Slug is what the front matter has to ask for, where nothing else leads to the
	// post's.
	Slug string
}

// edit is one way to change a file.
type edit func(d *frontmatter.Doc) error

// Bytes is the file as it is to be, and what it still says otherwise.
func (p *Pull) Bytes() ([]byte, []Change, error) {
	f := p.File
	changes, err := p.differ(f)
	if err != nil {
		return nil, nil, err
	}
	if p.Slug != "" && f.Slug == "" && f.Doc != nil {
		if next, left, ok := p.try(f, changes, "slug", p.scalar([]string{"slug"}, "slug", p.Slug)); ok {
			f, changes = next, left
		}
	}
	for _, c := range slices.Clone(changes) {
		edits := p.edits(f, c.Field)
		if c.Field == "content" {
			if edits, err = p.bodies(f); err != nil {
				return nil, nil, err
			}
		}
		if next, left, ok := p.try(f, changes, c.Field, edits); ok {
			f, changes = next, left
		}
	}
	return f.Doc.Bytes(), changes, nil
}

func (p *Pull) differ(f *File) ([]Change, error) {
	content, err := p.Content(f)
	if err != nil {
		return nil, err
	}
	return p.Differ(f, content)
}

// try makes the first of the edits after which the file says what the post says
// in that field, and nothing else otherwise than before. Of members that are the
// author's own, and of a text that no Markdown says, the first that reads is
// enough.
func (p *Pull) try(f *File, before []Change, field string, edits []edit) (*File, []Change, bool) {
	var nearest *File
	var left []Change
	for _, change := range edits {
		doc := *f.Doc
		if change(&doc) != nil {
			continue
		}
		next, err := Parse(p.Name, doc.Bytes())
		if err != nil {
			continue
		}
		p.Ready(next)
		after, err := p.differ(next)
		if err != nil || worse(before, after, field) {
			continue
		}
		if !has(after, field) {
			return next, after, true
		}
		if nearest == nil && (field == "content" || field == "metadata") {
			nearest, left = next, after
		}
	}
	return nearest, left, nearest != nil
}

func has(changes []Change, field string) bool {
	return slices.ContainsFunc(changes, func(c Change) bool { return c.Field == field })
}

// worse reports that something differs that did not, but for that field. Metadata
// may: they have the members of the front matter, of which one says it now.
func worse(before, after []Change, field string) bool {
	return slices.ContainsFunc(after, func(c Change) bool { return c.Field != field && c.Field != "metadata" && !has(before, c.Field) })
}

// edits are the ways in which a file can be made to say what the post says, the
// ones that keep most of it first.
func (p *Pull) edits(f *File, field string) []edit {
	post := p.Post
	switch field {
	case "title":
		return p.title(f)
	case "slug":
		return p.scalar([]string{"slug"}, "slug", post.Slug)
	case "description":
		return p.scalar(aboutKeys, "description", post.Description)
	case "status":
		return p.status()
	case "locale":
		return p.scalar([]string{"locale", "lang", "language"}, "locale", post.Locale)
	case "canonicalUrl":
		return p.scalar([]string{"canonicalurl", "canonical_url", "canonical"}, "canonicalUrl", post.CanonicalURL)
	case "author":
		name := ""
		if post.Author != nil {
			name = post.Author.Name
		}
		return p.scalar([]string{"author", "authors", "author_name", "authorname"}, "author", name)
	case "tags":
		return p.tags()
	case "aliases":
		return p.aliases()
	case "date":
		if post.Date == 0 {
			return nil // it is the author's
		}
		return p.date(dateKeys, post.Date)
	case "publishAt":
		return append(p.date([]string{"publishat", "publish_at"}, post.PublishAt), p.date(dateKeys, post.PublishAt)...)
	case "metadata":
		return []edit{p.metadata}
	case "image":
		return p.image(f)
	}
	return nil
}

// members are those of the given names, in the order of the names.
func members(d *frontmatter.Doc, keys []string) []frontmatter.Member {
	var out []frontmatter.Member
	for _, key := range keys {
		for _, m := range d.Members {
			if strings.EqualFold(m.Key, key) {
				out = append(out, m)
			}
		}
	}
	return out
}

// holders are the objects of other programs that hold members of texts.
var holders = []string{"extra", "params", "taxonomies"}

// setText gives a member a text in the form that its value has.
func setText(d *frontmatter.Doc, m frontmatter.Member, value string) error {
	switch was := m.Value.(type) {
	case []any:
		if len(was) > 0 {
			if _, plain := was[0].(string); !plain {
				return errForm
			}
		}
		if len(was) > 1 && strings.Contains(value, ", ") {
			return d.Set(m.Key, texts(strings.Split(value, ", ")))
		}
		return d.Set(m.Key, []any{value})
	case frontmatter.Map:
		for _, key := range []string{"name", "title", "url", "src", "path"} {
			for _, inner := range was {
				if strings.EqualFold(inner.Key, key) {
					return d.SetIn(m.Key, inner.Key, value)
				}
			}
		}
		return errForm
	}
	return d.Set(m.Key, value)
}

func texts(all []string) []any {
	out := make([]any, len(all))
	for i, s := range all {
		out[i] = s
	}
	return out
}

// nth does something with the n-th member of those names.
func nth(keys []string, n int, do func(*frontmatter.Doc, frontmatter.Member) error) edit {
	return func(d *frontmatter.Doc) error {
		all := members(d, keys)
		if n >= len(all) {
			return errForm
		}
		return do(d, all[n])
	}
}

// scalar are the ways to give one of the members of those names a text: the one
// that is there, one inside of another program's object, svc's own.
func (p *Pull) scalar(keys []string, own, value string) []edit {
	var out []edit
	for n := range 3 {
		if value == "" {
			out = append(out, nth(keys, n, func(d *frontmatter.Doc, m frontmatter.Member) error { return d.Remove(m.Key) }))
		}
		out = append(out, nth(keys, n, func(d *frontmatter.Doc, m frontmatter.Member) error { return setText(d, m, value) }))
	}
	for _, holder := range holders {
		out = append(out, nth([]string{holder}, 0, func(d *frontmatter.Doc, outer frontmatter.Member) error {
			all, _ := outer.Value.(frontmatter.Map)
			for _, inner := range all {
				if !slices.Contains(keys, strings.ToLower(inner.Key)) {
					continue
				}
				if _, list := inner.Value.([]any); list {
					return d.SetIn(outer.Key, inner.Key, texts(strings.Split(value, ", ")))
				}
				return d.SetIn(outer.Key, inner.Key, value)
			}
			return errForm
		}))
	}
	return append(out,
		func(d *frontmatter.Doc) error { return d.Set(own, value) },
		func(d *frontmatter.Doc) error { // in place of all others
			for _, m := range members(d, keys) {
				if err := d.Remove(m.Key); err != nil {
					return err
				}
			}
			return d.Set(own, value)
		})
}

// title changes the member, the heading that is the title, or both.
func (p *Pull) title(f *File) []edit {
	title := p.Post.Title
	heading := func(d *frontmatter.Doc) error { return f.setHeading(d, title) }
	front := p.scalar(titleKeys, "title", title)
	var out []edit
	for _, e := range front[:3] {
		out = append(out, func(d *frontmatter.Doc) error {
			if err := heading(d); err != nil {
				return err
			}
			return e(d)
		})
	}
	out = append(out, front[:3]...)
	out = append(out, func(d *frontmatter.Doc) error {
		for _, m := range d.Members {
			if strings.HasSuffix(strings.ToLower(m.Key), "title") {
				return setText(d, m, title)
			}
		}
		return errForm
	}, heading)
	out = append(out, front[3:]...)
	return append(out, func(d *frontmatter.Doc) error {
		if f.head == "" {
			return errForm
		}
		d.Body = strings.TrimPrefix(d.Body, f.head)
		return d.Set("title", title)
	})
}

// status says it with the word that the file has, or with svc's own.
func (p *Pull) status() []edit {
	status := strings.ToLower(p.Post.Status)
	draft := p.Post.Status == api.PostDraft
	out := []edit{
		nth([]string{"status"}, 0, func(d *frontmatter.Doc, m frontmatter.Member) error { return d.Set(m.Key, status) }),
		nth([]string{"draft"}, 0, func(d *frontmatter.Doc, m frontmatter.Member) error { return d.Set(m.Key, draft) }),
	}
	for _, key := range []string{"published", "publish"} {
		out = append(out, nth([]string{key}, 0, func(d *frontmatter.Doc, m frontmatter.Member) error {
			if _, ok := m.Value.(bool); !ok {
				return errForm
			}
			return d.Set(m.Key, !draft)
		}))
	}
	return append(out,
		func(d *frontmatter.Doc) error { return d.Set("status", status) },
		func(d *frontmatter.Doc) error {
			for _, m := range members(d, []string{"draft", "published", "publish", "private"}) {
				if _, ok := m.Value.(bool); !ok {
					continue
				}
				if err := d.Remove(m.Key); err != nil {
					return err
				}
			}
			return d.Set("status", status)
		})
}

var tagKeys = []string{"tags", "tag", "categories", "category", "topics", "keywords"}

// tags takes the words that are gone out of the members that have them, and puts
// new ones at the end of one of them.
func (p *Pull) tags() []edit {
	want := p.Post.Tags
	spread := func(d *frontmatter.Doc) error { return spreadTags(d, want) }
	var out []edit
	out = append(out, spread)
	for n := range 3 {
		out = append(out, nth(tagKeys, n, func(d *frontmatter.Doc, m frontmatter.Member) error {
			if _, list := m.Value.([]any); list || m.Value == nil {
				return d.Set(m.Key, texts(want))
			}
			between := ", "
			if s, _ := text(m.Value); !strings.Contains(s, ",") && strings.Contains(s, " ") {
				between = " "
			}
			return d.Set(m.Key, strings.Join(want, between))
		}))
	}
	out = append(out, nth([]string{"taxonomies"}, 0, func(d *frontmatter.Doc, outer frontmatter.Member) error {
		all, _ := outer.Value.(frontmatter.Map)
		for _, inner := range all {
			if slices.Contains(tagKeys, strings.ToLower(inner.Key)) {
				return d.SetIn(outer.Key, inner.Key, texts(want))
			}
		}
		return errForm
	}))
	return append(out,
		func(d *frontmatter.Doc) error { return d.Set("tags", texts(want)) },
		func(d *frontmatter.Doc) error {
			for _, m := range members(d, append(slices.Clone(tagKeys), "taxonomies")) {
				if err := d.Remove(m.Key); err != nil {
					return err
				}
			}
			return d.Set("tags", texts(want))
		})
}

func spreadTags(d *frontmatter.Doc, want []string) error {
	all := members(d, tagKeys)
	if len(all) < 2 {
		return errForm
	}
	missing := slices.Clone(want)
	for _, m := range all {
		list, ok := m.Value.([]any)
		if !ok {
			return errForm
		}
		kept := []any{}
		for _, item := range list {
			s, _ := text(item)
			if i := slices.Index(missing, s); i >= 0 {
				missing = slices.Delete(missing, i, i+1)
				kept = append(kept, item)
			} else if slices.Contains(want, s) {
				kept = append(kept, item)
			}
		}
		if len(kept) == len(list) {
			continue
		}
		if err := d.Set(m.Key, kept); err != nil {
			return err
		}
	}
	if len(missing) == 0 {
		return nil
	}
	last := members(d, tagKeys)[len(all)-1]
	list, _ := last.Value.([]any)
	return d.Set(last.Key, append(slices.Clone(list), texts(missing)...))
}

// aliases are set where other addresses are, without those that other members
// give.
func (p *Pull) aliases() []edit {
	want := p.Post.Aliases
	var out []edit
	with := func(d *frontmatter.Doc, m frontmatter.Member) error {
		var list []any
		old, isList := m.Value.([]any)
		if !isList {
			old = []any{m.Value}
		}
		for _, item := range old { // other names stay, and addresses keep their form
			s, _ := text(item)
			if !strings.Contains(s, "/") || slices.Contains(want, "/"+strings.Trim(s, "/")) {
				list = append(list, item)
			}
		}
		for _, alias := range want {
			if !slices.ContainsFunc(list, func(item any) bool { s, _ := text(item); return "/"+strings.Trim(s, "/") == alias }) {
				list = append(list, alias)
			}
		}
		return d.Set(m.Key, list)
	}
	for n := range 2 {
		out = append(out, nth(aliasKeys, n, with))
	}
	return append(out, func(d *frontmatter.Doc) error { return d.Set("aliases", texts(want)) },
		func(d *frontmatter.Doc) error {
			for _, m := range members(d, append(slices.Clone(aliasKeys), pathKeys...)) {
				if err := d.Remove(m.Key); err != nil {
					return err
				}
			}
			return d.Set("aliases", texts(want))
		})
}

// date writes a time in the form that was there: a day alone where it is midnight.
func (p *Pull) date(keys []string, at api.Time) []edit {
	if at == 0 {
		out := p.scalar(keys, "draft", "")[:6]
		return append(out, func(d *frontmatter.Doc) error { return d.Set("draft", true) })
	}
	when := at.Time().UTC()
	write := func(d *frontmatter.Doc, m frontmatter.Member) error {
		switch was := m.Value.(type) {
		case time.Time:
			return d.Set(m.Key, when.In(was.Location()))
		case string:
			for _, layout := range layouts {
				old, err := time.Parse(layout, strings.TrimSpace(was))
				if err != nil {
					continue
				}
				shown := when.In(old.Location())
				if back, err := time.Parse(layout, shown.Format(layout)); err == nil && back.Equal(when) {
					return d.Set(m.Key, shown.Format(layout))
				}
				break
			}
		}
		return d.Set(m.Key, when.Format(time.RFC3339))
	}
	var out []edit
	for n := range 2 {
		out = append(out, nth(keys, n, write))
	}
	own := "date"
	if keys[0] != "date" {
		own = "publishAt"
	}
	return append(out, func(d *frontmatter.Doc) error { return d.Set(own, when.Format(time.RFC3339)) })
}

// metadata writes what differs of it: a member of the front matter where the key
// says so. Members that the post has not are the author's, and stay.
func (p *Pull) metadata(d *frontmatter.Doc) error {
	now, err := Parse(p.Name, d.Bytes())
	if err != nil {
		return err
	}
	p.Ready(now)
	have := now.metadata(p.Post.Metadata)
	for key, value := range p.Post.Metadata {
		if have[key] == value {
			continue
		}
		name, own := strings.CutPrefix(key, MetadataPrefix)
		if !own {
			if d.SetIn("metadata", key, value) != nil {
				all := frontmatter.Map{}
				if f := now.Metadata; f != nil {
					for k, v := range *f {
						all = append(all, frontmatter.Member{Key: k, Value: v})
					}
				}
				slices.SortFunc(all, func(a, b frontmatter.Member) int { return strings.Compare(a.Key, b.Key) })
				all = slices.DeleteFunc(all, func(m frontmatter.Member) bool { return m.Key == key })
				if err := d.Set("metadata", append(all, frontmatter.Member{Key: key, Value: value})); err != nil {
					return err
				}
			}
			continue
		}
		if err := setOwn(d, name, value); err != nil {
			return err
		}
	}
	return nil
}

// setOwn writes a member of another program's, at the top or in its object.
func setOwn(d *frontmatter.Doc, name, value string) error {
	for _, m := range d.Members {
		if m.Key == name {
			return d.Set(name, like(m.Value, value))
		}
	}
	for _, holder := range members(d, holders) {
		all, _ := holder.Value.(frontmatter.Map)
		for _, inner := range all {
			if inner.Key == name {
				return d.SetIn(holder.Key, name, like(inner.Value, value))
			}
		}
	}
	return d.Set(name, like(nil, value))
}

// like reads a value that metadata have in words, as the kind that it was.
func like(was any, value string) any {
	switch was.(type) {
	case bool:
		if b, err := strconv.ParseBool(value); err == nil {
			return b
		}
	case int, int64, uint64:
		if n, err := strconv.ParseInt(value, 10, 64); err == nil {
			return n
		}
	case float64:
		if n, err := strconv.ParseFloat(value, 64); err == nil {
			return n
		}
	case string:
		return value
	}
	if strings.HasPrefix(value, "[") || strings.HasPrefix(value, "{") {
		var v any
		if json.Unmarshal([]byte(value), &v) == nil {
			return v
		}
	}
	return value
}

func (p *Pull) image(f *File) []edit {
	img := Image{}
	if i := p.Post.FeaturedImage; i != nil {
		img = Image{URL: i.URL, Alt: i.Alt}
	}
	if img.URL == "" {
		out := p.scalar(imageKeys, "image", "")
		return append(out, func(d *frontmatter.Doc) error { return d.Set("image", "") })
	}
	if own, err := p.Own(`<img src="` + img.URL + `">`); err == nil { // the file's own path of a picture that it has
		if _, rest, ok := strings.Cut(own, `src="`); ok {
			img.URL, _, _ = strings.Cut(rest, `"`)
		}
	}
	if f.Image != nil && f.Image.Alt == img.Alt || img.Alt == "" {
		if out := p.scalar(imageKeys, "image", img.URL); f.Image != nil || img.Alt == "" {
			return append(out, p.whole(img)...)
		}
	}
	return append([]edit{nth(imageKeys, 0, func(d *frontmatter.Doc, m frontmatter.Member) error {
		all, _ := m.Value.(frontmatter.Map)
		for _, inner := range all {
			var err error
			switch strings.ToLower(inner.Key) {
			case "url", "src", "path", "image":
				err = d.SetIn(m.Key, inner.Key, img.URL)
			case "alt":
				err = d.SetIn(m.Key, inner.Key, img.Alt)
			}
			if err != nil {
				return err
			}
		}
		return nil
	})}, p.whole(img)...)
}

func (p *Pull) whole(img Image) []edit {
	value := frontmatter.Map{{Key: "url", Value: img.URL}, {Key: "alt", Value: img.Alt}}
	return []edit{
		nth(imageKeys, 0, func(d *frontmatter.Doc, m frontmatter.Member) error { return d.Set(m.Key, value) }),
		func(d *frontmatter.Doc) error { return d.Set("image", value) },
	}
}
