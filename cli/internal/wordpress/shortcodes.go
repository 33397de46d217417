package wordpress

import (
	"regexp"
	"slices"
	"strings"

	"edgesvc.dev/svc/cli/internal/exported"
)

var (
	shortcode = regexp.MustCompile(`\[(\[?)(/?)([A-Za-z][\w-]*)((?:\s+[^\[\]]*|=[^\[\]]*)?)(/?)\](\]?)`)
	codeText  = regexp.MustCompile(`(?is)<pre\b[^>]*>.*?</pre>|<code\b[^>]*>.*?</code>|<!--.*?-->`)
	attribute = regexp.MustCompile(`([\w-]+)\s*=\s*(?:"([^"]*)"|'([^']*)'|([^\s"']+))|"([^"]*)"|(\S+)`)
)

// attrs are the attributes of a shortcode; those without a name are numbered.
type attrs map[string]string

func parseAttrs(s string) attrs {
	a := attrs{}
	s = strings.NewReplacer("“", `"`, "”", `"`, "″", `"`, "&quot;", `"`, "&#8221;", `"`, "&#8243;", `"`).Replace(strings.TrimPrefix(strings.TrimSpace(s), "="))
	for _, m := range attribute.FindAllStringSubmatch(s, -1) {
		switch {
		case m[1] != "":
			a[strings.ToLower(m[1])] = m[2] + m[3] + m[4]
		case a[""] == "":
			a[""] = m[5] + m[6]
		}
	}
	return a
}

// languages are the shortcodes of code that are called like its language.
var languages = strings.Fields("bash shell sh cpp c csharp css diff go html java javascript js json perl php powershell python py ruby rust scala sql swift typescript xml yaml")

// shortcodes translates the marks in brackets that are known, and leaves out those
// that only a program understands. Brackets that are text stay.
func (c *content) shortcodes(src string) string {
	if !strings.Contains(src, "[") {
		return src
	}
	var b strings.Builder
	for len(src) > 0 {
		m := shortcode.FindStringSubmatchIndex(src)
		code := codeText.FindStringIndex(src)
		switch {
		case m == nil:
			return b.String() + src
		case code != nil && code[0] < m[0]:
			b.WriteString(src[:code[1]])
			src = src[code[1]:]
			continue
		}
		b.WriteString(src[:m[0]])
		out, used := c.shortcode(src[m[0]:], m)
		b.WriteString(out)
		src = src[m[0]+used:]
	}
	return b.String()
}

// shortcode is one mark at the beginning of src, and how much of src it is.
func (c *content) shortcode(src string, at []int) (out string, used int) {
	part := func(i int) string { return src[at[2*i]-at[0] : at[2*i+1]-at[0]] }
	used = at[1] - at[0]
	if part(1) != "" && part(6) != "" { // [[written]]
		return src[1 : used-1], used
	}
	name, a := strings.ToLower(part(3)), parseAttrs(part(4))
	if part(2) != "" { // an end without a beginning
		if strings.ContainsAny(name, "-_") {
			return "", used
		}
		return src[:used], used
	}
	inner, whole, closed := "", used, false
	if part(5) == "" {
		inner, whole, closed = enclosed(src, used, part(3))
	}
	if out, enclosing, known := c.known(name, a, inner, closed); known {
		if enclosing && closed {
			return out, whole
		}
		return out, used
	}
	if !closed && !strings.Contains(part(4), "=") && !strings.ContainsAny(name, "-_") {
		return src[:used], used // text in brackets
	}
	c.changes.Add("marks of plugins were left out: [" + name + "]")
	if closed {
		return c.shortcodes(inner), whole
	}
	return "", used
}

// enclosed is what is between a mark and its end.
func enclosed(src string, from int, name string) (inner string, used int, closed bool) {
	end := "[/" + name + "]"
	i := strings.Index(src[from:], end)
	if i < 0 {
		return "", from, false
	}
	return src[from : from+i], from + i + len(end), true
}

// known translates a mark. enclosing says that its content is part of it.
func (c *content) known(name string, a attrs, inner string, closed bool) (out string, enclosing, known bool) {
	switch name {
	case "caption", "wp_caption":
		return c.caption(a, inner), true, true
	case "gallery", "slideshow":
		return c.gallery(a), false, true
	case "embed", "youtube", "vimeo", "twitter", "tweet", "instagram", "soundcloud", "spotify", "ted", "dailymotion", "wpvideo", "gist", "googlemaps", "wp_embed":
		return c.changes.Embed(embedAddress(name, a, inner), a["title"], ""), true, true
	case "audio", "video":
		what := exported.Sounds
		if name == "video" {
			what = exported.Videos
		}
		return c.changes.File(what, or(a["src"], a["mp3"], a["mp4"], a["m4a"], a["ogg"], a["webm"], a["m4v"], a["wav"], a["ogv"], a["flv"], a[""]), "", ""), true, true
	case "code", "sourcecode", "codeblock", "crayon":
		if !closed {
			return "", false, false
		}
		return codeOf(or(a["language"], a["lang"], a[""]), inner), true, true
	case "playlist":
		c.changes.Add("lists of sounds or videos were left out")
		return "", false, true
	}
	if closed && slices.Contains(languages, name) {
		return codeOf(name, inner), true, true
	}
	return "", false, false
}

// codeOf is code as the classic editor kept it, with its signs written as HTML has
// them or not.
func codeOf(language, code string) string {
	code = strings.NewReplacer("&lt;", "<", "&gt;", ">", "&quot;", `"`, "&amp;", "&").Replace(strings.Trim(code, "\n"))
	return exported.Code(language, code, "")
}

func embedAddress(name string, a attrs, inner string) string {
	address := or(inner, a["url"], a["src"], a[""], a["id"])
	switch {
	case isURL(address):
		return address
	case address == "":
		return ""
	case name == "youtube":
		return "https://www.youtube.com/watch?v=" + address
	case name == "vimeo":
		return "https://vimeo.com/" + address
	case name == "gist":
		return "https://gist.github.com/" + address
	case name == "wpvideo":
		return "https://videopress.com/v/" + address
	case name == "dailymotion":
		return "https://www.dailymotion.com/video/" + address
	}
	return ""
}

var pictureTag = regexp.MustCompile(`(?is)^\s*((?:<a\b[^>]*>\s*)?<img\b[^>]*>(?:\s*</a>)?)(.*)$`)

// caption is a picture with the words below it, inside of the mark or, as long
// ago, in its attribute.
func (c *content) caption(a attrs, inner string) string {
	m := pictureTag.FindStringSubmatch(inner)
	if m == nil {
		return c.shortcodes(inner)
	}
	under := or(m[2], a["caption"])
	return "<figure>" + m[1] + "<figcaption>" + under + "</figcaption></figure>"
}

// gallery is the pictures that a mark names, or those that were uploaded to the post.
func (c *content) gallery(a attrs) string {
	var pictures []exported.Picture
	if ids := or(a["ids"], a["include"]); ids != "" {
		for _, id := range strings.FieldsFunc(ids, func(r rune) bool { return r == ',' || r == ' ' }) {
			if file := c.export.files[id]; file != nil {
				pictures = append(pictures, file.picture())
			} else {
				c.changes.Add("pictures of galleries that are not in the export were left out")
			}
		}
		return c.changes.Gallery(pictures, "")
	}
	for _, id := range sortedKeys(c.export.files) {
		if file := c.export.files[id]; file.parent == c.item.id && c.item.id != "" && imageFile.MatchString(file.file) {
			pictures = append(pictures, file.picture())
		}
	}
	return c.changes.Gallery(pictures, "")
}

var imageFile = regexp.MustCompile(`(?i)\.(?:png|jpe?g|gif|webp|svg)(?:\?.*)?$`)

func (it *item) picture() exported.Picture {
	return exported.Picture{Src: it.file, Alt: it.alt(), Caption: strings.TrimSpace(it.excerpt)}
}
