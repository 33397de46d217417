package postsync

import (
	"net/url"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"unicode"

	"edgesvc.dev/svc/cli/internal/images"
	"edgesvc.dev/svc/cli/internal/markup"
	"edgesvc.dev/svc/sdk/anchor"
	"edgesvc.dev/svc/sdk/api"
)

// index finds the files of a folder by the ways in which texts link to each
// other.
type index struct {
	byPath map[string][]*source // path without ending, in lower case; addresses that files name
	byName map[string][]*source // stem, title and other names, in lower case
	mounts map[string]bool      // first parts of addresses at which the site may have the folder
	wiki   bool                 // some [[link]] leads somewhere
	team   string               // slug of the team
	pages  map[string]*api.Post // what the team has, by slug
	old    []*url.URL           // addresses of the site that the texts come from
	folder *images.Folder
	were   map[string]string // slugs that texts had when they were synced, by those that they have
	export bool              // the texts are of an export

	byAddress map[string]*source // of an export: where its texts were
}

func newIndex(sources []*source, dir, team string, old []*url.URL, folder *images.Folder) *index {
	x := &index{byAddress: map[string]*source{}, byPath: map[string][]*source{}, byName: map[string][]*source{}, mounts: map[string]bool{}, team: team, old: old, folder: folder}
	for _, s := range sources {
		if s.file == nil || s.err != nil {
			continue
		}
		x.add(s)
	}
	if abs, err := filepath.Abs(dir); err == nil && dir != "" {
		for range 3 {
			x.mounts[strings.ToLower(strings.TrimLeft(filepath.Base(abs), "_"))] = true
			abs = filepath.Dir(abs)
		}
	}
	for _, s := range sources {
		if s.file == nil || s.err != nil || s.skip != "" {
			continue
		}
		if page, err := s.file.Page(); err == nil && strings.Contains(page.HTML, `"wiki:`) {
			for _, m := range wikiHref.FindAllStringSubmatch(page.HTML, -1) {
				name, _, _, _, _ := markup.Name("wiki:" + m[1])
				x.wiki = x.wiki || name != "" && x.named(s, name) != nil
			}
		}
	}
	return x
}

var wikiHref = regexp.MustCompile(`(?:href|src)="wiki:([^"]*)"`)

func (x *index) add(s *source) {
	put := func(m map[string][]*source, key string) {
		if key = strings.ToLower(key); key != "" && !slices.Contains(m[key], s) {
			m[key] = append(m[key], s)
		}
	}
	if s.entry != nil {
		for _, address := range s.entry.Addresses {
			x.byAddress[oldAddress(address)] = s
		}
	}
	bare := strings.TrimSuffix(s.path, path.Ext(s.path))
	put(x.byPath, bare)
	dir := path.Dir(s.path)
	if isIndex(s.path) {
		put(x.byPath, dir)
	} else {
		put(x.byPath, path.Join(dir, stem(s.path)))
		put(x.byPath, path.Join(dir, slugify(stem(s.path))))
	}
	for _, name := range append(slices.Clone(s.file.Names), s.file.Slug) {
		if name != "" {
			put(x.byPath, path.Join(dir, name))
			put(x.byName, name)
		}
	}
	if s.file.Aliases != nil {
		for _, alias := range *s.file.Aliases {
			put(x.byPath, strings.Trim(plainPath(alias), "/"))
		}
	}
	put(x.byName, stem(s.path))
	put(x.byName, path.Base(bare))
	put(x.byName, s.file.Title)
}

// plainPath is a path without what addresses of pages end in.
func plainPath(p string) string {
	p = strings.TrimSuffix(p, "/")
	for _, ending := range []string{".html", ".htm", ".md", ".mdx", ".markdown"} {
		if rest, ok := strings.CutSuffix(p, ending); ok {
			p = rest
			break
		}
	}
	for _, base := range []string{"/index", "/_index", "/README", "/readme"} {
		p = strings.TrimSuffix(p, base)
	}
	return p
}

// best chooses among files: those of the same language, in the same folder, then
// those with the shortest path.
func best(from *source, found []*source) *source {
	if len(found) == 0 {
		return nil
	}
	rank := func(s *source) int {
		n := len(s.path)
		if s.language != from.language {
			n += 10000
		}
		if path.Dir(s.path) != path.Dir(from.path) {
			n += 1000
		}
		return n
	}
	return slices.MinFunc(found, func(a, b *source) int { return rank(a) - rank(b) })
}

func (x *index) at(from *source, p string) *source {
	return best(from, x.byPath[strings.ToLower(strings.Trim(plainPath(path.Clean(p)), "/"))])
}

// named finds a file by its name alone, or by the end of its path.
func (x *index) named(from *source, name string) *source {
	name = strings.Trim(plainPath(name), "/")
	if s := x.relative(from, name); s != nil {
		return s
	}
	if s := x.at(from, name); s != nil {
		return s
	}
	if s := best(from, x.byName[strings.ToLower(name)]); s != nil {
		return s
	}
	if s := best(from, x.byName[strings.ToLower(datePrefix.ReplaceAllString(path.Base(name), ""))]); s != nil {
		return s
	}
	var ends []*source
	for key, found := range x.byPath {
		if strings.HasSuffix(key, "/"+strings.ToLower(name)) {
			ends = append(ends, found...)
		}
	}
	return best(from, ends)
}

// relative finds what a path means beside the file, or beside the address that
// the file has where addresses end in a slash.
func (x *index) relative(from *source, p string) *source {
	dir := path.Dir(from.path)
	candidates := []string{path.Join(dir, p), path.Join(dir, stem(from.path), p)}
	if isIndex(from.path) {
		candidates = append(candidates, path.Join(path.Dir(dir), p))
	}
	for _, candidate := range candidates {
		if strings.HasPrefix(candidate, "../") || candidate == ".." {
			continue
		}
		if s := x.at(from, candidate); s != nil {
			return s
		}
	}
	return nil
}

var digits = regexp.MustCompile(`^\d+$`)

// absolute finds what a path from the root of the site means: the path itself,
// or what is left of it without the place that the folder has on the site, a
// language and a date.
func (x *index) absolute(from *source, p string) *source {
	p = strings.Trim(p, "/")
	if s := x.at(from, p); s != nil {
		return s
	}
	for dir := path.Dir(from.path); dir != "."; dir = path.Dir(dir) { // a site, or a language, inside of the folder
		if s := x.at(from, path.Join(dir, p)); s != nil && strings.Contains(p, "/") || s != nil && dir == from.languageDir {
			return s
		}
	}
	parts := strings.Split(p, "/")
	for i := 0; i < len(parts)-1; i++ {
		part := strings.ToLower(parts[i])
		if !x.mounts[part] && !digits.MatchString(part) && languageName(part) == "" {
			break
		}
		rest := strings.Join(parts[i+1:], "/")
		if s := x.at(from, rest); s != nil {
			return s
		}
		if languageName(part) == "" && from.language != "" {
			if s := x.at(from, path.Join(from.languageDir, rest)); s != nil {
				return s
			}
		}
	}
	return x.dated(from, parts)
}

// dated finds a file by an address with a date, as Jekyll's have it: the name is
// the last part, and the date is the file's.
func (x *index) dated(from *source, parts []string) *source {
	n := len(parts)
	if n < 4 || !digits.MatchString(parts[n-2]) || !digits.MatchString(parts[n-3]) || len(parts[n-4]) != 4 || !digits.MatchString(parts[n-4]) {
		return nil
	}
	name := strings.ToLower(plainPath(parts[n-1]))
	var found []*source
	for _, s := range x.byName[name] {
		if strings.HasPrefix(path.Base(s.path), strings.Join(parts[n-4:n-1], "-")) || strings.HasPrefix(s.file.Date, strings.Join(parts[n-4:n-1], "-")) {
			found = append(found, s)
		}
	}
	return best(from, found)
}

// target is where a link of the folder leads.
type target struct {
	source *source
	part   string // as the link has it
}

// find says where a link leads: to a file of the folder, to somewhere else, or to
// nothing.
func (x *index) find(from *source, u *url.URL) (t target, elsewhere bool) {
	t.part = u.Fragment
	p := u.Path
	switch {
	case u.Scheme != "" || u.Host != "":
		if !x.isOld(u) {
			return t, true
		}
		p = "/" + strings.TrimLeft(p, "/")
	case p == "":
		t.source = from
		return t, false
	}
	if s := x.byAddress[oldAddress(u.String())]; s != nil {
		t.source = x.follow(s)
		return t, false
	}
	for _, prefix := range []string{"@/", "@site/", "~/"} { // the root of the content
		if rest, ok := strings.CutPrefix(p, prefix); ok {
			p = "/" + rest
		}
	}
	if strings.HasPrefix(p, "/") {
		t.source = x.absolute(from, p)
	} else if t.source = x.relative(from, p); t.source == nil {
		t.source = x.absolute(from, p)
	}
	t.source = x.follow(t.source)
	return t, t.source == nil && x.own(p)
}

// own reports an address that svc serves.
func (x *index) own(p string) bool {
	if p == "/" || strings.HasPrefix(p, "/media/med_") {
		return true
	}
	below, ok := strings.CutPrefix(p, "/"+x.team)
	below = strings.Trim(below, "/")
	return ok && x.team != "" && (below == "" || below == "feed.xml" || x.pages[below] != nil)
}

func (x *index) isOld(u *url.URL) bool {
	return slices.ContainsFunc(x.old, func(o *url.URL) bool {
		return strings.EqualFold(strings.TrimPrefix(o.Host, "www."), strings.TrimPrefix(u.Host, "www.")) && strings.HasPrefix(u.Path, o.Path)
	})
}

// follow goes on from a file that only leads to another.
func (x *index) follow(s *source) *source {
	for range 5 {
		if s == nil || s.file.Elsewhere == "" {
			break
		}
		u, err := url.Parse(s.file.Elsewhere)
		if err != nil {
			return nil
		}
		next := x.absolute(s, u.Path)
		if !strings.HasPrefix(u.Path, "/") {
			next = x.relative(s, u.Path)
		}
		if next == s {
			return nil
		}
		s = next
	}
	if s == nil || s.err != nil || s.skip != "" {
		return nil
	}
	return s
}

// resolver says where the links of a file lead. What it cannot find it notes.
func (x *index) resolver(from *source, image func(string) (markup.Place, error), note func(markup.Kind, string)) markup.Resolver {
	return markup.Resolver{
		Image: func(src string) (markup.Place, error) {
			if name, _, _, wiki, ok := markup.Name(src); ok {
				if wiki {
					if known := x.folder.Named(path.Base(name)); known != "" {
						name = "/" + known
					}
				}
				src = (&url.URL{Path: name}).EscapedPath()
			}
			return image(src)
		},
		Link: func(dest string) markup.Place { return x.link(from, dest, image, note) },
	}
}

func (x *index) link(from *source, dest string, image func(string) (markup.Place, error), note func(markup.Kind, string)) markup.Place {
	if name, part, raw, wiki, ok := markup.Name(dest); ok {
		return x.reference(from, name, part, raw, wiki, note)
	}
	u, err := url.Parse(dest)
	if err != nil || dest == "" {
		if dest != "" {
			note(markup.Link, dest)
		}
		return markup.Place{Drop: true}
	}
	if dest == "#" || dest == "#top" {
		return markup.Place{Address: "#"}
	}
	t, elsewhere := x.find(from, u)
	switch {
	case elsewhere && u.Scheme != "" && !slices.Contains([]string{"http", "https", "mailto", "tel"}, strings.ToLower(u.Scheme)):
		note(markup.Link, dest)
		return markup.Place{Drop: true}
	case elsewhere && u.Scheme == "" && u.Host == "" && u.Fragment != "" && (u.Path == "/" || strings.Trim(u.Path, "/") == x.team):
		note(markup.Fragment, dest) // of the first page, which is another now
		return markup.Place{Address: u.Path}
	case elsewhere:
		return markup.Place{Address: dest}
	case t.source != nil:
		return x.to(from, t, dest, note)
	case picture.MatchString(u.Path):
		if place, err := image(dest); err == nil && !place.Drop {
			return place
		}
	}
	if len(x.old) > 0 { // it is still there
		base := *x.old[0]
		base.Path = strings.TrimRight(base.Path, "/") + "/" + path.Dir(from.path) + "/"
		if abs := base.ResolveReference(u); abs != nil {
			if x.export {
				note(markup.Behind, abs.String())
			}
			return markup.Place{Address: abs.String()}
		}
	}
	note(markup.Link, dest)
	return markup.Place{Drop: true}
}

var picture = regexp.MustCompile(`(?i)\.(png|jpe?g|gif|webp|svg)$`)

// reference is a link by name.
func (x *index) reference(from *source, name, part, raw string, wiki bool, note func(markup.Kind, string)) markup.Place {
	t := target{source: from, part: strings.TrimPrefix(part, "^")}
	if name != "" {
		t.source = x.follow(x.named(from, name))
	}
	if t.source != nil {
		return x.to(from, t, raw, note)
	}
	if wiki && !x.wiki { // not a link in this folder
		return markup.Place{Drop: true, Text: "[[" + raw + "]]"}
	}
	note(markup.Link, raw)
	return markup.Place{Drop: true}
}

// to is the address of a part of a file.
func (x *index) to(from *source, t target, dest string, note func(markup.Kind, string)) markup.Place {
	address := ""
	if t.source.path != from.path {
		if t.source.file.IsDraft() {
			note(markup.Link, dest+" (a draft)")
			return markup.Place{Drop: true}
		}
		address = url.PathEscape(t.source.slug)
	}
	if t.part == "" || strings.HasPrefix(t.part, ":~:") {
		if address == "" {
			address = url.PathEscape(from.slug)
		}
		return markup.Place{Address: address}
	}
	id := findPart(t.source.parts, t.part)
	switch {
	case id != "":
		return markup.Place{Address: address + "#" + url.PathEscape(id)}
	case t.part == "top":
		return markup.Place{Address: address + "#"}
	}
	note(markup.Fragment, dest)
	if address == "" {
		return markup.Place{Drop: true}
	}
	return markup.Place{Address: address}
}

// findPart finds the id that a fragment means. Programs make ids of headings by
// rules of their own, which have the letters and digits in common.
func findPart(parts []markup.Part, fragment string) string {
	if i := strings.LastIndexByte(fragment, '#'); i >= 0 { // the way through the headings above
		fragment = fragment[i+1:]
	}
	safe := anchor.Safe(fragment)
	for _, p := range parts {
		if p.ID == safe && safe != "" || p.Given == fragment {
			return p.ID
		}
	}
	for _, fold := range []func(string) string{letterKey, looseKey} {
		key := fold(fragment)
		if key == "" {
			continue
		}
		for _, p := range parts {
			if fold(p.ID) == key || fold(p.Given) == key || fold(p.Heading) == key {
				return p.ID
			}
		}
	}
	return ""
}

// letterKey is a text's letters and digits.
func letterKey(s string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsLetter(r) || unicode.IsDigit(r) {
			return unicode.ToLower(r)
		}
		return -1
	}, s)
}

// looseKey is letterKey of a slug: without accents, and without digits in front.
func looseKey(s string) string { return strings.TrimLeft(letterKey(slugify(s)), "0123456789") }
