package markup

import (
	"regexp"
	"slices"
	"strings"
)

// places are where videos and posts of other services are shown by their id.
var places = map[string]string{
	"youtube": "https://www.youtube.com/watch?v=", "youtubeembed": "https://www.youtube.com/watch?v=", "youtube-lite": "https://www.youtube.com/watch?v=",
	"liteyoutube": "https://www.youtube.com/watch?v=", "vimeo": "https://vimeo.com/", "gist": "https://gist.github.com/", "jsfiddle": "https://jsfiddle.net/",
	"codepen": "https://codepen.io/pen/", "instagram": "https://www.instagram.com/p/", "tweet": "https://twitter.com/i/status/", "twitter": "https://twitter.com/i/status/",
	"x": "https://x.com/i/status/", "spotify": "https://open.spotify.com/", "codesandbox": "https://codesandbox.io/s/", "stackblitz": "https://stackblitz.com/edit/",
}

// groups of marks that mean the same.
var (
	pictures = words("figure fig img image picture asset_img resize_image responsive-image responsive_image imgproc lazyimage thumbnail screenshot lightbox zoomable")
	refs     = words("ref relref link post_url post_path asset_path url_for full_url_for doc docref pageref get_url path url relative_url absolute_url")
	refLinks = words("post_link asset_link linkpage internal_link")
	codes    = words("highlight codeblock code prism code-block code_block codefence code-snippet source sourcecode")
	folds    = words("details collapse accordion spoiler expand expandable summary toggle collapsible fold accordionitem accordion-item")
	unwraps  = words("tabs tab tabpane tabset tablist steps step columns column col row cards cardgrid card-grid cardgroup cards-grid filetree fragment frame center " +
		"block div span section wrapper container grid p nolink lead content article suspense noscript markdown md tabpanel tabpanels flex box stack panel")
	quotes  = words("blockquote quote pullquote cite epigraph")
	silent  = words("toc tableofcontents br clear more break pagebreak layout extends block import icon seo head meta script style render-toc anchor vspace hr toclist")
	removed = words("include render partial include_relative include_cached includes embed js css")
)

func words(s string) map[string]bool {
	m := map[string]bool{}
	for word := range strings.FieldsSeq(s) {
		m[word] = true
	}
	return m
}

// known is a mark of any program as Markdown: what its name says it is, else its
// content.
func (e *evaluator) known(n node, name string, a args) string {
	if i := strings.LastIndexAny(name, "/"); i >= 0 {
		name = name[i+1:]
	}
	switch {
	case quotes[name] && n.paired:
		return e.quote(n, a)
	case isCallout(name) && n.paired:
		return e.callout(n, name, a)
	case pictures[name]:
		return image(a.or(e.picture(a), "src", "path", "href", "url", "file", "image", "link"), a.get("alt", "title"), firstOf(a.get("caption"), figureText(n, e)))
	case codes[name] && n.paired, strings.Contains(name, "code") && n.paired && strings.Contains(raw(n.inner), "\n"):
		return codeBlock(a.or(0, "lang", "language", "type", "file"), n.unprefixed(raw(n.inner)))
	case folds[name] && n.paired:
		return details(firstOf(a.get("summary", "title", "label"), strings.Join(a.list, " ")), e.content(n), false)
	case refs[name] && !n.paired:
		return ref(strings.TrimPrefix(a.or(0, "path", "page", "name"), "@/"))
	case refLinks[name]:
		return link(strings.Join(unmarked(a.list[min(len(a.list), 1):]), " "), ref(a.at(0)))
	case places[name] != "":
		return e.video(name, a)
	case name == "iframe" || name == "video" || name == "audio":
		return link(a.get("title"), a.or(0, "src", "url", "file"))
	case silent[name] && !n.paired:
		return ""
	case name == "include" && strings.Contains(a.at(0), "youtube"):
		return e.video("youtube", args{named: a.named})
	case removed[name]:
		return e.dropped("{% " + name + " " + a.at(0) + " %}")
	}
	return e.unknown(n, name, a)
}

// picture is the place of the argument that looks like an image.
func (e *evaluator) picture(a args) int {
	if i := slices.IndexFunc(a.list, func(s string) bool { return imageName.MatchString(s) }); i >= 0 {
		return i
	}
	return 0
}

var imageName = regexp.MustCompile(`(?i)\.(png|jpe?g|gif|webp|svg|avif|bmp|ico)([?#].*)?$`)

func figureText(n node, e *evaluator) string {
	if !n.paired {
		return ""
	}
	return strings.TrimSpace(e.content(n))
}

// raw is the text of nodes as it stood.
func raw(nodes []node) string {
	var b strings.Builder
	for _, n := range nodes {
		b.WriteString(n.raw)
		if n.alone && n.form != plainText {
			b.WriteString("\n")
		}
		b.WriteString(raw(n.inner))
	}
	return b.String()
}

func (n node) unprefixed(text string) string { return unindent(text, n.prefix) }

// callout takes kind and title from where programs have them: {% note warn %},
// {% callout "info" %}, {{< alert type="warning" title="…" >}}.
func (e *evaluator) callout(n node, name string, a args) string {
	word := firstOf(a.get("type", "kind", "level", "context", "color", "style"), name)
	title := a.get("title", "heading", "label")
	rest := a.list
	if len(rest) > 0 && isCallout(rest[0]) && a.get("type") == "" {
		word, rest = rest[0], rest[1:]
	}
	if title == "" {
		title = strings.Join(unmarked(rest), " ")
	}
	if !isCallout(word) {
		word = name
	}
	return callout(word, title, e.content(n))
}

// unmarked leaves out arguments that are switches of the mark.
func unmarked(list []string) []string {
	return slices.DeleteFunc(slices.Clone(list), func(s string) bool { return s == "true" || s == "false" || strings.HasSuffix(s, "-icon") })
}

func (e *evaluator) quote(n node, a args) string {
	out := "\n" + indent(strings.Trim(e.content(n), "\n")+"\n", "> ")
	if by := firstOf(a.get("author", "source", "by"), strings.Join(a.list, " ")); by != "" {
		out += ">\n> — " + by + "\n"
	}
	return out + "\n"
}

// video is a link to what another service would show.
func (e *evaluator) video(name string, a args) string {
	id := a.or(0, "id", "videoid", "video_id", "src", "url", "link")
	if name == "gist" || name == "jsfiddle" || name == "tweet" || name == "x" {
		if user := a.get("user"); user != "" && a.get("id") != "" {
			return link(a.get("title"), "https://"+map[bool]string{true: "x.com/", false: "twitter.com/"}[name == "x"]+user+"/status/"+a.get("id"))
		}
		if len(a.list) > 1 {
			id = a.list[0] + "/" + a.list[1]
		}
	}
	if id == "" {
		return e.dropped("{{ " + name + " }}")
	}
	address := id
	if !strings.Contains(id, "://") {
		address = places[name] + strings.TrimPrefix(id, "/")
	}
	title := firstOf(a.get("title", "label"), strings.Join(a.list[min(len(a.list), 2):], " "))
	if len(a.list) > 1 && strings.Contains(a.list[1], " ") {
		title = a.list[1]
	}
	return link(title, address)
}

// wordy is an argument that a reader can read.
var wordy = regexp.MustCompile(`^[\pL\pN][\pL\pN .,'’_-]*$`)

// unknown is a mark that nothing is known of. Its content stays; of one without
// content that is inside of a sentence, the one word that it was given.
func (e *evaluator) unknown(n node, name string, a args) string {
	if !n.paired || !unwraps[name] && name != "block" {
		e.notes.add(Mark, n.mark(name))
	}
	switch {
	case n.paired:
		return e.content(n)
	case !n.alone && n.form != output && len(a.list) == 1 && len(a.named) == 0 && wordy.MatchString(a.list[0]):
		return a.list[0]
	}
	return ""
}

// mark is how a note names a mark.
func (n node) mark(name string) string {
	switch n.form {
	case shortcode:
		return "{{< " + name + " >}}"
	case output:
		return "{{ " + name + "() }}"
	case tag:
		return "<" + n.name + ">"
	}
	return "{% " + name + " %}"
}
