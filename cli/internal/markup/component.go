package markup

import (
	"strings"
)

// tag is a component, or an element with attributes that are not HTML's.
func (e *evaluator) tag(n node) string {
	if !isComponent(n.name) && n.name != "Fragment" {
		return e.element(n)
	}
	name := strings.ToLower(n.name[strings.LastIndexByte(n.name, '.')+1:])
	inner := func() string { return e.content(n) }
	title := e.value(n, "title", "label", "header", "heading", "name", "text")
	href := e.value(n, "href", "to", "link", "url")
	switch {
	case isCallout(name) && (n.paired || title != ""):
		word := firstOf(e.value(n, "type", "variant", "kind", "intent", "color"), name)
		if !isCallout(word) {
			word = name
		}
		return callout(word, title, inner())
	case folds[name] && n.paired:
		return details(title, inner(), false)
	case strings.HasSuffix(name, "image") || strings.HasSuffix(name, "img") || name == "figure" || name == "picture" || name == "screenshot":
		if src := e.value(n, "src", "img", "image", "url", "light", "sources"); src != "" {
			return image(src, e.value(n, "alt", "title"), firstOf(e.value(n, "caption"), strings.TrimSpace(inner())))
		}
	case name == "code" && !n.paired:
		if text := e.value(n, "code"); text != "" {
			return codeBlock(e.value(n, "lang", "language"), text)
		}
	case places[name] != "" || strings.Contains(name, "youtube"):
		if places[name] == "" {
			name = "youtube"
		}
		return e.video(name, args{named: map[string]string{"id": e.value(n, "id", "videoid", "video", "src", "url"), "title": title}})
	case name == "iframe" || name == "video" || name == "audio":
		return link(title, e.value(n, "src", "url"))
	case name == "icon" || strings.HasSuffix(name, "icon"):
		return ""
	case href != "":
		return e.linked(n, title, href)
	case name == "badge" || name == "tag" || name == "label" || name == "chip":
		return firstOf(title, strings.TrimSpace(inner()))
	}
	return e.unwrapped(n, name, title)
}

// linked is a component that leads somewhere: a card, a button, a link.
func (e *evaluator) linked(n node, title, href string) string {
	inner := strings.TrimSpace(e.content(n))
	switch {
	case title == "" && !strings.Contains(inner, "\n"):
		return link(strings.NewReplacer("[", "", "]", "").Replace(inner), href)
	case title == "":
		return inner + "\n\n" + link("", href)
	}
	about := firstOf(e.value(n, "description", "desc", "subtitle"), inner)
	if about == "" {
		if n.alone {
			return "- " + link(title, href)
		}
		return link(title, href)
	}
	if strings.Contains(about, "\n") {
		return "**" + link(title, href) + "**\n\n" + about + "\n"
	}
	return "- " + link(title, href) + " – " + about
}

// unwrapped is the content of a component that pages have no place for.
func (e *evaluator) unwrapped(n node, name, title string) string {
	if !n.paired {
		if !n.single && len(n.attrs) == 0 && !e.mdx {
			return escaped(n.raw) // a word between angle brackets, such as <VERSION>
		}
		if !silent[name] {
			e.notes.add(Component, "<"+n.name+">")
		}
		return firstOf(title, e.value(n, "description"))
	}
	if !unwraps[name] && !silent[name] && !folds[name] {
		e.notes.add(Component, "<"+n.name+">")
	}
	inner := e.content(n)
	if title == "" || !n.alone {
		return inner
	}
	return "\n**" + strings.Trim(title, "*") + "**\n\n" + inner
}

// kept are the attributes of an element that mean something in a text.
var kept = words("id href src alt title width height colspan rowspan align start type open lang dir cite datetime name")

// element is an element of HTML with the attributes that HTML has.
func (e *evaluator) element(n node) string {
	var b strings.Builder
	b.WriteString("<" + n.name)
	for _, a := range n.attrs {
		name := strings.TrimPrefix(strings.ToLower(a.name), ":")
		if !kept[name] {
			continue
		}
		value := a.value
		if a.code || strings.HasPrefix(a.name, ":") {
			if value = e.value(n, name); value == "" {
				continue
			}
		}
		b.WriteString(" " + name)
		if value != "" {
			b.WriteString(`="` + escaped(value) + `"`)
		}
	}
	open := b.String() + ">"
	switch {
	case n.paired && n.alone && !isInline[strings.ToLower(n.name)]:
		return "\n" + open + "\n\n" + strings.Trim(e.content(n), "\n") + "\n\n</" + n.name + ">\n"
	case n.paired:
		return open + e.all(n.inner) + "</" + n.name + ">"
	case n.single && !isVoid[strings.ToLower(n.name)]:
		return open + "</" + n.name + ">"
	}
	return open
}

var (
	isInline = words("a abbr b bdi bdo cite code dfn em i kbd mark q s samp small span strong sub sup time u var button label")
	isVoid   = words("img br hr wbr col input source track embed area")
)
