package postsync

import (
	"path"
	"regexp"
	"slices"
	"strings"
)

// codes are the languages of ISO 639-1, and those of three letters that sites use.
var codes = func() map[string]bool {
	m := map[string]bool{}
	for code := range strings.FieldsSeq(`aa ab ae af ak am an ar as av ay az ba be bg bh bi bm bn bo br bs ca ce ch co cr cs cu cv cy da de dv dz ee el en eo es et
		eu fa ff fi fj fo fr fy ga gd gl gn gu gv ha he hi ho hr ht hu hy hz ia id ie ig ii ik io is it iu ja jv ka kg ki kj kk kl km kn ko kr ks ku kv kw ky la lb lg li ln
		lo lt lu lv mg mh mi mk ml mn mr ms mt my na nb nd ne ng nl nn no nr nv ny oc oj om or os pa pi pl ps pt qu rm rn ro ru rw sa sc sd se sg si sk sl sm sn so sq sr ss
		st su sv sw ta te tg th ti tk tl tn to tr ts tt tw ty ug uk ur uz ve vi vo wa wo xh yi yo za zh zu fil ckb`) {
		m[code] = true
	}
	return m
}()

var regional = regexp.MustCompile(`^([A-Za-z]{2,3})[-_]([A-Za-z]{2}|[A-Za-z]{4})$`)

// languageName is a folder's name as a language tag, empty for other names.
func languageName(folder string) string {
	lower := strings.ToLower(folder)
	if codes[lower] {
		return lower
	}
	m := regional.FindStringSubmatch(folder)
	if m == nil || !codes[strings.ToLower(m[1])] {
		return ""
	}
	region := strings.ToUpper(m[2])
	if len(region) == 4 {
		region = region[:1] + strings.ToLower(region[1:])
	}
	return strings.ToLower(m[1]) + "-" + region
}

// findLanguages finds the folders of languages: they are named like one, and hold
// files of the same names as another such folder or as the folder above. Files
// of the folder above, or else of the first such folder, are the base: those of
// the others have the language in front of their slugs.
func findLanguages(sources []*source) {
	files := map[string]map[string]bool{} // below each folder, by their paths in it
	note := func(dir, rest string) {
		if files[dir] == nil {
			files[dir] = map[string]bool{}
		}
		files[dir][strings.TrimSuffix(rest, path.Ext(rest))] = true
	}
	for _, s := range sources {
		note(".", s.path)
		for i, r := range s.path {
			if r == '/' {
				note(s.path[:i], s.path[i+1:])
			}
		}
	}
	above := map[string][]string{} // the folders of languages by the folder that they lie in
	for dir := range files {
		if dir != "." && languageName(path.Base(dir)) != "" {
			above[path.Dir(dir)] = append(above[path.Dir(dir)], dir)
		}
	}
	chosen := map[string]bool{} // folder of a language → whether it is the base
	for parent, dirs := range above {
		slices.Sort(dirs)
		dirs = slices.DeleteFunc(dirs, func(dir string) bool { return !mirrored(files, parent, dir, dirs) })
		if len(dirs) == 0 {
			continue
		}
		root := slices.ContainsFunc(dirs, func(dir string) bool { return shared(files[dir], files[parent]) > 0 })
		first := dirs[0]
		for _, dir := range dirs {
			if len(files[dir]) > len(files[first]) || path.Base(dir) == "en" && len(files[dir]) >= len(files[first]) {
				first = dir
			}
		}
		for _, dir := range dirs {
			chosen[dir] = !root && dir == first
		}
	}
	for _, s := range sources {
		for dir := path.Dir(s.path); dir != "."; dir = path.Dir(dir) {
			if base, ok := chosen[dir]; ok {
				s.language, s.languageDir, s.base = languageName(path.Base(dir)), dir, base
				break
			}
		}
	}
}

// mirrored reports that a third of a folder's files, or of the other's, are also
// in the folder above or in another language's.
func mirrored(files map[string]map[string]bool, parent, dir string, dirs []string) bool {
	enough := func(other string) bool {
		n := shared(files[dir], files[other])
		return n > 0 && 3*n >= min(len(files[dir]), len(files[other]))
	}
	if strings.ContainsAny(path.Base(dir), "-_") && len(dirs) == 1 { // no other word looks like that
		return true
	}
	return enough(parent) || slices.ContainsFunc(dirs, func(other string) bool { return other != dir && enough(other) })
}

func shared(a, b map[string]bool) int {
	n := 0
	for name := range a {
		if b[name] {
			n++
		}
	}
	return n
}
