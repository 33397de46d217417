// Package ghost reads Ghost's exports.
package ghost

import (
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"time"

	"edgesvc.dev/svc/cli/internal/exported"
	"edgesvc.dev/svc/cli/internal/postsync"
)

// Options say what an export does not.
type Options struct {
	Site string // address of the old site, empty where nobody said it
	Path string // where the old site had its posts, such as /{slug}/
}

// post is a row of the export.
type post struct {
	ID, UUID, Title, Slug       string
	HTML, Mobiledoc, Lexical    string
	FeatureImage, Image         string
	Type, Status, Visibility    string
	Page, Featured              flag
	PublishedAt, CreatedAt      moment
	UpdatedAt                   moment
	CustomExcerpt, CanonicalURL string
	Locale, AuthorID            string
	meta                        map[string]string
}

// extras are columns of a post, or of its row in posts_meta, that are kept.
var extras = []string{
	"meta_title", "meta_description", "og_title", "og_description", "og_image", "twitter_title", "twitter_description", "twitter_image",
	"feature_image_alt", "feature_image_caption", "custom_template", "codeinjection_head", "codeinjection_foot", "email_subject", "frontmatter", "custom_excerpt",
}

type export struct {
	posts    []*post
	meta     map[string]map[string]string // by post
	tags     map[string]named
	users    map[string]named
	tagsOf   map[string][]link
	authorOf map[string][]link
	settings map[string]string
	ignored  map[string]int
	seen     bool // some table
}

type named struct{ name, visibility string }

type link struct {
	id    string
	order float64
}

// NotGhostError says what a file is that is not an export of Ghost.
type NotGhostError struct{ Reason string }

func (e *NotGhostError) Error() string { return e.Reason }

// Read reads an export, one row at a time.
func Read(r io.Reader, o Options) (*postsync.Export, []string, error) {
	x := &export{meta: map[string]map[string]string{}, tags: map[string]named{}, users: map[string]named{}, tagsOf: map[string][]link{}, authorOf: map[string][]link{}, settings: map[string]string{}, ignored: map[string]int{}}
	dec := json.NewDecoder(r)
	if err := x.top(dec); err != nil {
		return nil, nil, fmt.Errorf("after %d bytes: %w", dec.InputOffset(), err)
	}
	if !x.seen {
		return nil, nil, &NotGhostError{"this JSON has no tables of Ghost (db, data, posts); in Ghost: Settings, Import/Export, Export content"}
	}
	out := &postsync.Export{}
	if o.Site != "" {
		out.Sites = []string{o.Site}
	}
	for _, p := range x.posts {
		out.Entries = append(out.Entries, x.entry(p, o))
	}
	slices.SortStableFunc(out.Entries, func(a, b *postsync.Entry) int { return pagesLast(a) - pagesLast(b) })
	return out, x.notes(), nil
}

func pagesLast(e *postsync.Entry) int {
	if strings.HasPrefix(e.Name, "pages/") {
		return 1
	}
	return 0
}

// top finds the tables: at db[0].data, or at data where a program wrote the file.
func (x *export) top(dec *json.Decoder) error {
	return object(dec, func(key string) error {
		switch key {
		case "db":
			return array(dec, func() error { return x.top(dec) })
		case "data":
			return object(dec, func(table string) error { return x.table(dec, table) })
		}
		return skip(dec)
	})
}

// quiet are tables that say nothing of texts, and people miss none of them.
var quiet = []string{"migrations", "migrations_lock", "permissions", "permissions_roles", "permissions_users", "roles", "roles_users", "permissions_apps", "apps", "app_fields", "app_settings",
	"settings", "sessions", "tokens", "brute", "jobs", "actions", "mobiledoc_revisions", "post_revisions", "invites", "refreshtokens", "accesstokens", "clients", "client_trusted_domains",
	"custom_theme_settings", "snippets", "members_resources", "collections", "collections_posts", "posts_products", "benefits", "products_benefits", "stripe_products", "stripe_prices"}

func (x *export) table(dec *json.Decoder, name string) error {
	rows := map[string]func(row){
		"posts": x.post, "posts_meta": func(r row) { x.meta[r.text("post_id")] = r.texts(append(slices.Clone(extras), "email_only")) },
		"tags":          func(r row) { x.tags[r.text("id")] = named{r.text("name"), r.text("visibility")} },
		"users":         func(r row) { x.users[r.text("id")] = named{name: r.text("name")} },
		"posts_tags":    func(r row) { x.link(x.tagsOf, r, "tag_id") },
		"posts_authors": func(r row) { x.link(x.authorOf, r, "author_id") },
		"settings":      func(r row) { x.settings[r.text("key")] = r.text("value") },
	}
	take := rows[name]
	return array(dec, func() error {
		if take == nil {
			if !slices.Contains(quiet, name) {
				x.ignored[name]++
			}
			return skip(dec)
		}
		var r row
		if err := dec.Decode(&r); err != nil {
			return fmt.Errorf("table %s: %w", name, unexpected(err))
		}
		x.seen = x.seen || name == "posts"
		take(r)
		return nil
	})
}

func (x *export) link(of map[string][]link, r row, key string) {
	id := r.text("post_id")
	order, _ := r["sort_order"].(float64)
	of[id] = append(of[id], link{r.text(key), order})
}

func (x *export) post(r row) {
	p := &post{
		ID: r.text("id"), UUID: r.text("uuid"), Title: r.text("title"), Slug: r.text("slug"), HTML: r.text("html"), Mobiledoc: r.text("mobiledoc"), Lexical: r.text("lexical"),
		FeatureImage: r.text("feature_image"), Image: r.text("image"), Type: r.text("type"), Status: r.text("status"), Visibility: r.text("visibility"),
		Page: r.flag("page"), Featured: r.flag("featured"), PublishedAt: r.moment("published_at"), CreatedAt: r.moment("created_at"), UpdatedAt: r.moment("updated_at"),
		CustomExcerpt: r.text("custom_excerpt"), CanonicalURL: r.text("canonical_url"), Locale: r.text("locale"), AuthorID: r.text("author_id"), meta: r.texts(extras),
	}
	x.posts = append(x.posts, p)
}

// notes say once what of the export is not imported.
func (x *export) notes() []string {
	var parts []string
	for _, name := range slices.Sorted(maps.Keys(x.ignored)) {
		parts = append(parts, fmt.Sprintf("%s (%d)", strings.ReplaceAll(name, "_", " "), x.ignored[name]))
	}
	if len(parts) == 0 {
		return nil
	}
	return []string{"not imported: " + strings.Join(parts, ", ")}
}

// all is what is known of a post besides its columns.
func (x *export) all(p *post) map[string]string {
	all := maps.Clone(p.meta)
	maps.Copy(all, x.meta[p.ID])
	return all
}

func (x *export) entry(p *post, o Options) *postsync.Entry {
	e := &postsync.Entry{Key: "ghost:" + cmpOr(p.ID, p.UUID, p.Slug), Name: cmpOr(p.Slug, p.ID)}
	page := p.Type == "page" || bool(p.Page)
	e.Page = page
	if page {
		e.Name = "pages/" + e.Name
	}
	var changes exported.Changes
	meta := x.all(p)
	var m exported.Members
	m.Add("title", p.Title)
	m.Add("slug", p.Slug)
	x.status(p, meta, e, &m, &changes)
	x.words(p, &m)
	x.about(p, meta, &m)
	x.picture(p, meta, o, &m)
	if p.Slug != "" {
		e.Addresses = []string{pathOf(p, page, o.Path, x.settings["permalinks"])}
		m.Add("aliases", exported.List(e.Addresses))
		e.Addresses = append(e.Addresses, "/"+p.Slug+"/") // as editors link
	}
	if locale := cmpOr(p.Locale, x.settings["locale"], x.settings["lang"], x.settings["default_locale"]); locale != "" {
		m.Add("locale", locale)
	}
	if !p.CreatedAt.IsZero() {
		m.Add("created_on", p.CreatedAt.String())
	}
	if !p.UpdatedAt.IsZero() {
		m.Add("updated", p.UpdatedAt.String())
	}
	if p.Featured {
		m.Add("featured", "true")
	}
	body, err := content(p, o.Site, &changes)
	if err != nil {
		e.Err = fmt.Errorf("its text cannot be read: %w; correct or empty it in the old site and export again", err)
	}
	e.HTML, e.Members, e.Changes = body, m, changes
	return e
}

// status decides who may read the post: only what everybody could.
func (x *export) status(p *post, meta map[string]string, e *postsync.Entry, m *exported.Members, changes *exported.Changes) {
	future := p.PublishedAt.After(time.Now())
	switch {
	case p.Status == "published" && (p.Visibility == "" || p.Visibility == "public") && !truth(meta["email_only"]):
		m.Add("draft", false)
	case p.Status == "published":
		e.Draft = true
		changes.Add("posts that not everybody could read became drafts (members, paid or by mail only)")
		m.Add("visibility", cmpOr(p.Visibility, "email"))
	case p.Status == "sent":
		e.Draft = true
		changes.Add("posts that were only sent by mail became drafts")
	case p.Status == "scheduled" && p.Visibility != "" && p.Visibility != "public":
		e.Draft = true
		changes.Add("posts that not everybody could read became drafts (members, paid or by mail only)")
		m.Add("visibility", p.Visibility)
	case p.Status == "scheduled" && future: // a date to come publishes it
	case p.Status == "scheduled":
		e.Draft = true
		changes.Add("scheduled posts whose time is past became drafts")
	default:
		e.Draft = true
		if p.Status != "draft" && p.Status != "" {
			changes.Add("posts of the status " + p.Status + " became drafts")
		}
	}
	if !p.PublishedAt.IsZero() {
		m.Add("date", p.PublishedAt.String())
	}
}

// words are the tags and the authors, in their order.
func (x *export) words(p *post, m *exported.Members) {
	var tags, inner []string
	for _, l := range sorted(x.tagsOf[p.ID]) {
		t := x.tags[l.id]
		if t.visibility == "internal" || strings.HasPrefix(t.name, "#") {
			inner = append(inner, t.name)
			continue
		}
		tags = append(tags, t.name)
	}
	m.Add("tags", exported.List(tags))
	if len(inner) > 0 {
		m.Add("internal_tags", strings.Join(inner, ", "))
	}
	var authors []string
	for _, l := range sorted(x.authorOf[p.ID]) {
		authors = append(authors, x.users[l.id].name)
	}
	if len(authors) == 0 {
		authors = append(authors, x.users[p.AuthorID].name)
	}
	m.Add("authors", exported.List(authors))
}

func sorted(links []link) []link {
	slices.SortStableFunc(links, func(a, b link) int {
		switch {
		case a.order < b.order:
			return -1
		case a.order > b.order:
			return 1
		}
		return 0
	})
	return links
}

// about is the description, and what else is said of the post for search engines.
func (x *export) about(p *post, meta map[string]string, m *exported.Members) {
	about := cmpOr(p.CustomExcerpt, meta["custom_excerpt"], meta["meta_description"])
	m.Add("description", about)
	for _, key := range extras {
		value := meta[key]
		switch key {
		case "feature_image_alt", "feature_image_caption", "custom_excerpt":
			continue
		case "og_image", "twitter_image":
			value = strings.ReplaceAll(value, ghostURL, "")
		}
		if value != about || key != "meta_description" {
			m.Add(key, value)
		}
	}
	m.Add("canonical_url", p.CanonicalURL)
}

func (x *export) picture(p *post, meta map[string]string, o Options, m *exported.Members) {
	image := cmpOr(p.FeatureImage, p.Image)
	if image == "" {
		return
	}
	m.Add("image", exported.Image(onSite(image, o.Site), exported.PlainText(meta["feature_image_alt"])))
	m.Add("image_caption", exported.PlainText(meta["feature_image_caption"]))
}

// pathOf is where the old site had a post.
func pathOf(p *post, page bool, path, permalinks string) string {
	at := time.Time(p.PublishedAt)
	if path == "" {
		path = permalinks
	}
	if path == "" || page {
		return "/" + p.Slug + "/"
	}
	path = strings.NewReplacer(":slug", "{slug}", ":year", "{year}", ":month", "{month}", ":day", "{day}", ":id", "{id}").Replace(path)
	return strings.NewReplacer("{slug}", p.Slug, "{id}", p.ID, "{year}", at.Format("2006"), "{month}", at.Format("01"), "{day}", at.Format("02")).Replace(path)
}

// Looks reports whether a beginning of JSON is that of an export of Ghost.
func Looks(head []byte) bool {
	text := string(head)
	return strings.Contains(text, `"db"`) || strings.Contains(text, `"exported_on"`) || strings.Contains(text, `"posts"`) && strings.Contains(text, `"data"`)
}
