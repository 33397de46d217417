package postfile

import (
	"net/url"
	"path"
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"

	"edgesvc.dev/svc/cli/internal/frontmatter"
	"edgesvc.dev/svc/sdk/api"
)

// reader understands front matter, svc's own and that of other programs.
type reader struct {
	file *File
	name string // of the file, without folders
	tags []string
	has  bool // tags are given, if only an empty list
	old  []string
}

// MetadataPrefix begins the keys of metadata that hold members of front matter.
const MetadataPrefix = "fm."

// Members of front matter by what they say, in the order in which they count.
var (
	dateKeys  = []string{"date", "pubdate", "pubdatetime", "publishdate", "publish_date", "published", "published_at", "publishedat", "published_on", "datepublished", "date_published", "posted", "post_date"}
	titleKeys = []string{"title", "linktitle", "name"}
	aboutKeys = []string{"description", "summary", "excerpt", "abstract", "desc", "subtitle", "lead", "teaser"}
	imageKeys = []string{"image", "cover", "cover_image", "coverimage", "featured_image", "featuredimage", "feature_image", "featureimage", "thumbnail", "hero", "heroimage", "hero_image", "banner", "header_image", "og_image", "ogimage", "socialimage", "images"}
	pathKeys  = []string{"permalink", "path", "url"}
	aliasKeys = []string{"aliases", "alias", "redirect_from", "redirectfrom", "redirects", "redirects_from", "old_urls", "oldurl", "old_url"}
)

func (r *reader) all(members []frontmatter.Member) error {
	f := r.file
	for _, m := range members {
		if m.Value == nil {
			continue
		}
		if err := r.member(strings.ToLower(m.Key), m); err != nil {
			return err
		}
	}
	r.first(members, aboutKeys, func(m frontmatter.Member) bool {
		about, ok := text(m.Value)
		if about = strings.Join(strings.Fields(about), " "); !ok || about == "" && m.Key != "description" {
			return false
		}
		f.Description = new(string)
		*f.Description = cut(about, maxDescription)
		return true
	})
	r.first(members, titleKeys, func(m frontmatter.Member) bool {
		f.Title, _ = text(m.Value)
		f.Title = cut(strings.Join(strings.Fields(f.Title), " "), maxTitle)
		return f.Title != ""
	})
	r.otherTitle(members)
	r.first(members, imageKeys, func(m frontmatter.Member) bool { return r.image(m) })
	r.first(members, dateKeys, func(m frontmatter.Member) bool {
		at, ok := text(m.Value)
		if _, err := ParseTime(at); !ok || err != nil {
			return false
		}
		f.Date = at
		return true
	})
	if f.Date == "" {
		f.Date = nameDate(r.name)
	}
	if f.Date == "" {
		r.first(members, []string{"created", "created_at", "createdat", "date_created"}, func(m frontmatter.Member) bool {
			at, ok := text(m.Value)
			if _, err := ParseTime(at); !ok || err != nil {
				return false
			}
			f.Date = at
			return true
		})
	}
	if r.has {
		tags := cleanTags(r.tags)
		f.Tags = &tags
	}
	r.addresses()
	return nil
}

const (
	maxTitle       = 300
	maxDescription = 500
	maxTag         = 60
	maxTags        = 50
	maxAliases     = 20
	maxMetadata    = 50
)

// first gives the members of those names to take, in the order of the names, until
// it takes one. The others are kept as metadata.
func (r *reader) first(members []frontmatter.Member, keys []string, take func(frontmatter.Member) bool) {
	done := false
	for _, key := range keys {
		for _, m := range members {
			if strings.ToLower(m.Key) != key || m.Value == nil || r.taken(key, m) {
				continue
			}
			if !done && take(m) {
				done = true
				continue
			}
			r.keep(m, false)
		}
	}
}

// taken reports members that another rule took.
func (r *reader) taken(key string, m frontmatter.Member) bool {
	_, isBool := m.Value.(bool)
	return key == "published" && isBool
}

// otherTitle takes the first member whose name ends in title where there is none.
func (r *reader) otherTitle(members []frontmatter.Member) {
	if r.file.Title != "" {
		return
	}
	for _, m := range members {
		key := strings.ToLower(m.Key)
		if t, ok := text(m.Value); ok && strings.HasSuffix(key, "title") && t != "" && !slices.Contains(titleKeys, key) {
			r.file.Title = cut(strings.Join(strings.Fields(t), " "), maxTitle)
			return
		}
	}
}

// member reads what stands for itself.
func (r *reader) member(key string, m frontmatter.Member) error {
	f := r.file
	value, isText := text(m.Value)
	switch key {
	case "id":
		if ownID.MatchString(value) {
			f.ID = value
		} else {
			f.Names = append(f.Names, value)
			r.keep(m, false)
		}
	case "slug":
		r.slug(value)
	case "status":
		r.status(value, m)
	case "draft":
		if truth(m.Value) {
			r.draft()
		} else if f.Status == "" {
			f.Status = api.PostPublished
		}
	case "published":
		if b, ok := m.Value.(bool); ok {
			if !b {
				r.draft()
			} else if f.Status == "" {
				f.Status = api.PostPublished
			}
		}
	case "publish":
		if b, ok := m.Value.(bool); ok && !b {
			r.draft()
		}
		r.keep(m, true)
	case "private":
		if truth(m.Value) {
			r.draft()
		}
		r.keep(m, true)
	case "publishat", "publish_at":
		f.PublishAt = value
	case "locale", "lang", "language":
		r.locale(value, m)
	case "canonicalurl", "canonical_url", "canonical":
		if u, err := url.Parse(value); err == nil && (u.Scheme == "http" || u.Scheme == "https") && u.Host != "" {
			f.CanonicalURL = &value
		} else {
			r.keep(m, true)
		}
	case "tags", "tag", "categories", "category", "topics", "keywords":
		if words := r.words(m); key == "category" && len(words) > 0 {
			f.category = strings.TrimSpace(words[0])
		}
		r.has = true
		r.tags = append(r.tags, r.words(m)...)
	case "taxonomies":
		r.taxonomies(m)
	case "author", "authors", "author_name", "authorname":
		r.author(m)
	case "metadata":
		return r.metadata(m)
	case "redirect_to", "redirect", "redirectto":
		if isText {
			f.Elsewhere = value
		}
	default:
		r.other(key, value, m)
	}
	return nil
}

var ownID = regexp.MustCompile(`^(?:post|art)_[0-9a-z]+$`)

// other keeps what svc has no place for.
func (r *reader) other(key, value string, m frontmatter.Member) {
	switch {
	case slices.Contains(dateKeys, key), slices.Contains(titleKeys, key), slices.Contains(aboutKeys, key), slices.Contains(imageKeys, key):
	case slices.Contains(aliasKeys, key):
		r.aliases(m)
	case slices.Contains(pathKeys, key):
		if value != "" && !strings.Contains(value, ":") {
			r.old = append(r.old, value)
		} else {
			r.keep(m, false)
		}
	case key == "extra" || key == "params": // where Zola and Hugo have what is not theirs
		nested, _ := m.Value.(frontmatter.Map)
		for _, inner := range nested {
			if strings.EqualFold(inner.Key, "author") && r.file.Author == nil {
				r.author(inner)
				continue
			}
			r.keep(inner, false)
		}
	default:
		r.keep(m, !slices.Contains(understood, key))
	}
}

// understood are members that have a meaning which svc keeps without using it.
var understood = []string{"origin", "created_on", "image_caption", "series", "weight", "lastmod", "updated", "last_modified_at", "modified", "updated_at", "lastupdated"}

// keep puts a member into the metadata. unused says that it means nothing to svc.
func (r *reader) keep(m frontmatter.Member, unused bool) {
	f := r.file
	if unused {
		f.Unused = append(f.Unused, m.Key)
	}
	key, value := MetadataPrefix+m.Key, written(m.Value)
	if value == "" {
		return
	}
	if len(f.extra) >= maxMetadata || utf8.RuneCountInString(key) > 64 || utf8.RuneCountInString(value) > 500 || strings.ContainsFunc(key+value, control) {
		f.Lost = append(f.Lost, m.Key)
		return
	}
	if f.extra == nil {
		f.extra = map[string]string{}
	}
	f.extra[key] = value
}

func (r *reader) draft() { r.file.Status, r.file.never = api.PostDraft, true }

func (r *reader) status(value string, m frontmatter.Member) {
	word := strings.ToLower(strings.TrimSpace(value))
	switch {
	case word == "draft" || word == "private" || word == "pending" || word == "unpublished":
		r.draft()
	case statuses[word] != "":
		r.file.Status = statuses[word]
	case word != "":
		r.keep(m, true)
	}
}

func (r *reader) locale(value string, m frontmatter.Member) {
	value = strings.ReplaceAll(strings.TrimSpace(value), "_", "-")
	if value != "" && (!tagForm.MatchString(value) || len(value) > 35) {
		r.keep(m, true)
		return
	}
	r.file.Locale = &value
}

// words are tags: a list, or one text with commas. Jekyll's files, which have a
// date in their name, part them by blanks.
func (r *reader) words(m frontmatter.Member) []string {
	switch v := m.Value.(type) {
	case []any:
		var out []string
		for _, item := range v {
			if s, ok := text(item); ok {
				out = append(out, s)
			} else if named, ok := item.(frontmatter.Map); ok {
				s, _ := text(firstValue(named, "name", "title", "label", "slug"))
				out = append(out, s)
			}
		}
		return out
	case frontmatter.Map:
		r.keep(m, true)
		return nil
	}
	s, _ := text(m.Value)
	if !strings.Contains(s, ",") && dated.MatchString(r.name) && strings.HasSuffix(strings.ToLower(m.Key), "s") {
		return strings.Fields(s)
	}
	return strings.Split(s, ",")
}

func (r *reader) taxonomies(m frontmatter.Member) {
	all, _ := m.Value.(frontmatter.Map)
	for _, inner := range all {
		switch strings.ToLower(inner.Key) {
		case "authors", "author":
			r.author(inner)
		default:
			r.has = true
			r.tags = append(r.tags, r.words(inner)...)
		}
	}
}

// author takes names out of the forms that they have: a text, a list, objects with
// a name.
func (r *reader) author(m frontmatter.Member) {
	names := authorNames(m.Value)
	if len(names) == 0 {
		return
	}
	if r.file.Author != nil { // author and authors: the first counts
		r.keep(m, false)
		return
	}
	name := cut(strings.Join(names, ", "), 200)
	r.file.Author = &name
}

// Authors are the names that the file gives its authors.
func (f *File) authors(known map[string]string) string {
	if f.Author == nil {
		return ""
	}
	names := strings.Split(*f.Author, ", ")
	for i, name := range names {
		if full := known[name]; full != "" {
			names[i] = full
		}
	}
	return strings.Join(names, ", ")
}

// ResolveAuthors puts names in place of the keys that a site's list of authors has.
func (f *File) ResolveAuthors(known map[string]string) {
	if f.Author == nil || len(known) == 0 {
		return
	}
	name := f.authors(known)
	f.Author = &name
}

func (r *reader) metadata(m frontmatter.Member) error {
	all, ok := m.Value.(frontmatter.Map)
	if !ok {
		r.keep(m, true)
		return nil
	}
	data := map[string]string{}
	for _, inner := range all {
		data[inner.Key] = written(inner.Value)
	}
	r.file.Metadata = &data
	return nil
}

// image takes the address of the featured image.
func (r *reader) image(m frontmatter.Member) bool {
	image, ok := imageOf(m.Value)
	if ok {
		r.file.Image = &image
	}
	return ok
}

// slug takes a name for addresses; a path in its place is where the text was.
func (r *reader) slug(value string) {
	value = strings.TrimSpace(value)
	if strings.Contains(strings.Trim(value, "/"), "/") || strings.HasPrefix(value, "/") {
		r.old = append(r.old, value)
		value = path.Base(strings.Trim(value, "/"))
		if value == "." {
			return
		}
		r.file.Names = append(r.file.Names, value)
		return
	}
	r.file.Slug = value
}

// aliases are other addresses of the text, or its other names.
func (r *reader) aliases(m frontmatter.Member) {
	list, ok := m.Value.([]any)
	if !ok {
		list = []any{m.Value}
	}
	for _, item := range list {
		s, _ := text(item)
		switch s = strings.TrimSpace(s); {
		case s == "":
		case strings.HasPrefix(s, "/"), strings.Contains(s, "/") && !strings.Contains(s, " "), strings.HasSuffix(s, ".html"):
			r.old = append(r.old, s)
		default:
			r.file.Names = append(r.file.Names, s)
		}
	}
}

// addresses are the paths where the text was, in the form of aliases.
func (r *reader) addresses() {
	var aliases []string
	for _, s := range r.old {
		u, err := url.Parse(s)
		if err != nil {
			continue
		}
		p := "/" + strings.Trim(u.Path, "/")
		p = strings.TrimSuffix(strings.TrimSuffix(p, "index.html"), "/")
		if p != "" && p != "/" && len(p) <= 500 && !strings.ContainsAny(p, "{}?#\\*") && !slices.Contains(aliases, p) && len(aliases) < maxAliases {
			aliases = append(aliases, p)
		}
	}
	if len(aliases) > 0 {
		r.file.Aliases = &aliases
	}
}

// KeepDraft makes the text a draft that no date publishes.
func (f *File) KeepDraft() { f.Status, f.never = api.PostDraft, true }

// IsDraft reports a text that is not public until somebody publishes it.
func (f *File) IsDraft() bool { return f.never }

// CategoryKey is the key of metadata that holds the category of a text which has
// such, in place of a tag.
const CategoryKey = MetadataPrefix + "category"

// takeCategory makes the category a member of its own.
func (f *File) takeCategory() {
	if f.category == "" {
		return
	}
	if f.extra == nil {
		f.extra = map[string]string{}
	}
	f.extra[CategoryKey] = f.category
	tags := slices.DeleteFunc(slices.Clone(*f.Tags), func(tag string) bool { return tag == f.category })
	f.Tags = &tags
	if len(tags) == 0 {
		f.Tags = nil
	}
}

// Without takes members out that a text has no place for, and keeps them as
// metadata. A text that a date would publish stays a draft without that.
func (f *File) Without(members []string) {
	r := reader{file: f}
	for _, name := range members {
		switch name {
		case "publishAt":
			if at := f.Scheduled(); at != 0 {
				r.keep(frontmatter.Member{Key: name, Value: at.String()}, true)
				f.PublishAt, f.Date = "", ""
				r.draft()
			}
		case "image":
			if f.Image != nil && f.Image.URL != "" {
				r.keep(frontmatter.Member{Key: name, Value: f.Image.URL}, true)
			}
			f.Image = nil
		case "canonicalUrl":
			if f.CanonicalURL != nil {
				r.keep(frontmatter.Member{Key: name, Value: *f.CanonicalURL}, true)
			}
			f.CanonicalURL = nil
		case "category": // it has one of its own
			f.takeCategory()
		case "author":
			if f.Author != nil {
				r.keep(frontmatter.Member{Key: name, Value: *f.Author}, true)
			}
			f.Author = nil
		}
	}
}
