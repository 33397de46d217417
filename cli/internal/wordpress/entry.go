package wordpress

import (
	"fmt"
	"net/url"
	"path"
	"slices"
	"strings"
	"time"

	"edgesvc.dev/svc/cli/internal/exported"
	"edgesvc.dev/svc/cli/internal/postsync"
)

// entry is an item as an entry of the import.
func (x *export) entry(it *item) *postsync.Entry {
	slug := x.slug(it)
	e := &postsync.Entry{Key: "wordpress:" + x.host() + ":" + or(it.id, slug), Name: slug, Page: it.kind == "page"}
	switch {
	case e.Page:
		e.Name = "pages/" + slug
	case it.kind != "post":
		e.Name = it.kind + "/" + slug
		if !slices.Contains(x.opt.Types, it.kind) {
			e.Skip = "is of the type " + it.kind + ", not a post or page; --type " + it.kind + " takes it"
			return e
		}
	}
	var changes exported.Changes
	var m exported.Members
	m.Add("title", or(exported.PlainText(it.title), slug))
	m.Add("slug", slug)
	x.status(it, e, &m, &changes)
	x.words(it, &m)
	about(it, &m)
	x.picture(it, &m)
	x.addresses(it, e, &m, &changes)
	m.Add("locale", x.locale)
	if it.sticky {
		m.Add("sticky", "true")
	}
	own(it, &m)
	c := &content{export: x, item: it, changes: &changes}
	body, err := c.html()
	if err != nil {
		e.Err = fmt.Errorf("its text cannot be read: %w; correct or empty it in the old site and export again", err)
	}
	e.HTML, e.Members, e.Changes = body, m, changes
	return e
}

// host names the site: ids of posts are small numbers, which every site has.
func (x *export) host() string {
	for _, site := range x.sites {
		if u, err := url.Parse(site); err == nil && u.Host != "" {
			return strings.TrimPrefix(strings.ToLower(u.Host), "www.") + strings.TrimRight(u.Path, "/")
		}
	}
	return ""
}

func (x *export) slug(it *item) string {
	name := it.name
	if decoded, err := url.PathUnescape(name); err == nil {
		name = decoded
	}
	name = path.Base("/" + strings.Trim(name, "/"))
	if name == "/" {
		name = ""
	}
	for _, ending := range []string{".html", ".htm", ".php"} {
		name = strings.TrimSuffix(name, ending)
	}
	if name == "" {
		name = postsync.Slug(exported.PlainText(it.title) + ".md")
	}
	if name == "" {
		name = "post-" + it.id
	}
	return name
}

// status decides who may read the text: only what everybody could.
func (x *export) status(it *item, e *postsync.Entry, m *exported.Members, changes *exported.Changes) {
	at := moment(it.dateGMT)
	if at.IsZero() && (it.status == "publish" || it.status == "private" || it.status == "future") {
		at = moment(it.date)
	}
	if at.IsZero() && it.status == "publish" {
		if read, err := time.Parse(time.RFC1123Z, it.published); err == nil && read.Year() >= 1900 {
			at = read.UTC()
		}
	}
	e.Draft = true
	switch {
	case it.status == "trash":
		e.Skip = "is in the trash"
	case it.status == "auto-draft":
		e.Skip = "was never saved by its author"
	case it.password != "":
		changes.Add("posts with a password became drafts")
	case it.status == "private":
		changes.Add("private posts became drafts")
	case it.status == "publish":
		e.Draft = false
		m.Add("draft", false)
	case it.status == "future" && at.After(time.Now()):
		e.Draft = false // the date publishes it
	case it.status == "future":
		changes.Add("scheduled posts whose time is past became drafts")
	case it.status != "draft" && it.status != "":
		changes.Add("posts of the status " + it.status + " became drafts")
	}
	if !at.IsZero() {
		m.Add("date", at.Format(time.RFC3339))
	}
	if created := moment(or(it.dateGMT, it.date)); !created.IsZero() {
		m.Add("created_on", created.Format(time.RFC3339))
	} else if created := moment(it.date); !created.IsZero() {
		m.Add("created_on", created.Format(time.RFC3339))
	}
	if changed := moment(it.modifiedGMT); !changed.IsZero() {
		m.Add("updated", changed.Format(time.RFC3339))
	}
}

// moment is a time of the export, zero for 0000-00-00.
func moment(s string) time.Time {
	at, err := time.Parse("2006-01-02 15:04:05", strings.TrimSpace(s))
	if err != nil || at.Year() < 1900 {
		return time.Time{}
	}
	return at
}

// words are the tags and the authors.
func (x *export) words(it *item, m *exported.Members) {
	var tags, authors []string
	others := map[string][]string{}
	for _, t := range it.terms {
		switch t.domain {
		case "category", "post_tag", "":
			if t.slug != "uncategorized" {
				tags = append(tags, or(t.name, t.slug))
			}
		case "author": // of Co-Authors Plus
			login := strings.TrimPrefix(t.slug, "cap-")
			authors = append(authors, or(x.authors[login], x.authors[t.name], t.name, login))
		default:
			others[t.domain] = append(others[t.domain], or(t.name, t.slug))
		}
	}
	m.Add("tags", exported.List(tags))
	if len(authors) == 0 {
		authors = []string{or(x.authors[it.creator], it.creator)}
	}
	m.Add("authors", exported.List(authors))
	for _, domain := range sortedKeys(others) {
		m.Add("taxonomy_"+domain, strings.Join(others[domain], ", "))
	}
}

// The names under which plugins keep what is meant for search engines.
var (
	descriptions = []string{"_yoast_wpseo_metadesc", "rank_math_description", "_aioseo_description", "_aioseop_description", "_genesis_description", "_seopress_titles_desc", "_metaseo_metadesc"}
	titles       = []string{"_yoast_wpseo_title", "rank_math_title", "_aioseo_title", "_aioseop_title", "_genesis_title", "_seopress_titles_title"}
	canonicals   = []string{"_yoast_wpseo_canonical", "rank_math_canonical_url", "_aioseop_custom_link", "_genesis_canonical_uri", "_seopress_robots_canonical"}
)

func first(meta map[string]string, keys []string) string {
	for _, key := range keys {
		if meta[key] != "" {
			return meta[key]
		}
	}
	return ""
}

func about(it *item, m *exported.Members) {
	excerpt, description := exported.PlainText(it.excerpt), exported.PlainText(first(it.meta, descriptions))
	m.Add("description", or(excerpt, description))
	if excerpt != "" && excerpt != description {
		m.Add("seo_description", description)
	}
	m.Add("seo_title", first(it.meta, titles))
	m.Add("canonical_url", first(it.meta, canonicals))
}

// own are the fields that the authors made themselves.
func own(it *item, m *exported.Members) {
	for _, key := range sortedKeys(it.meta) {
		if strings.HasPrefix(key, "_") || slices.Contains(descriptions, key) || slices.Contains(titles, key) || slices.Contains(canonicals, key) || key == "footnotes" || strings.HasPrefix(key, "rank_math_") {
			continue
		}
		m.Add("field_"+key, it.meta[key])
	}
}

func (x *export) picture(it *item, m *exported.Members) {
	file := x.files[it.meta["_thumbnail_id"]]
	if file == nil || file.file == "" {
		return
	}
	m.Add("image", exported.Image(file.file, file.alt()))
	m.Add("image_caption", exported.PlainText(file.excerpt))
}

func (it *item) alt() string { return exported.PlainText(it.meta["_wp_attachment_image_alt"]) }

// addresses are where the text was, and its earlier slugs.
func (x *export) addresses(it *item, e *postsync.Entry, m *exported.Members, changes *exported.Changes) {
	var aliases []string
	if old := exported.OldPath(it.link); old != "" {
		aliases = append(aliases, old)
		for _, slug := range it.oldSlugs {
			if slug = strings.Trim(slug, "/"); slug != "" {
				aliases = append(aliases, path.Join(path.Dir(old), slug))
			}
		}
	} else if it.status == "publish" && !e.Page {
		changes.Add("old addresses such as ?p=1 cannot lead here: a path is missing")
	}
	m.Add("aliases", exported.List(aliases))
	e.Addresses = slices.Concat(aliases, []string{"?p=" + it.id, "?page_id=" + it.id})
}
