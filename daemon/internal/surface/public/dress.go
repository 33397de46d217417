package public

import (
	"strconv"
	"strings"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"

	"edgesvc.dev/svc/daemon/internal/safehtml"
)

// dress fits sanitised content into the page: its headings come below the title
// without gaps, and what is wider than a phone scrolls by itself and can be
// reached with the keyboard.
func dress(content string) string {
	d := dresser{shift: shift(content), last: 1}
	d.out.Grow(len(content) + 256)
	eachToken(content, d.token)
	return d.out.String()
}

// shift is what makes the highest heading of the content a second-level one.
func shift(content string) int {
	highest := 6
	for _, h := range safehtml.Headings(content) {
		highest = min(highest, h.Level)
	}
	return 2 - highest
}

type dresser struct {
	out   strings.Builder
	shift int
	last  int   // level of the heading before; 1 is the page's title
	open  []int // levels of the headings that wait for their end tag
}

func (d *dresser) token(t html.Token) {
	opens := t.Type == html.StartTagToken
	switch {
	case t.DataAtom == atom.Table && opens:
		d.out.WriteString(`<div class="scroll" role="region" aria-label="Table" tabindex="0">` + t.String())
	case t.DataAtom == atom.Table:
		d.out.WriteString(t.String() + `</div>`)
	case t.DataAtom == atom.Pre && opens:
		t.Attr = append(t.Attr, html.Attribute{Key: "tabindex", Val: "0"})
		d.out.WriteString(t.String())
	case isHeading(t):
		d.heading(t, opens)
	default:
		d.out.WriteString(t.String())
	}
}

func isHeading(t html.Token) bool {
	return t.Type != html.TextToken && len(t.Data) == 2 && t.Data[0] == 'h' && '1' <= t.Data[1] && t.Data[1] <= '6'
}

func (d *dresser) heading(t html.Token, opens bool) {
	if opens {
		level := max(2, min(int(t.Data[1]-'0')+d.shift, d.last+1, 6))
		d.open = append(d.open, level)
		d.last = level
	}
	innermost := len(d.open) - 1
	t.Data = "h" + strconv.Itoa(d.open[innermost])
	t.DataAtom = 0
	if !opens {
		d.open = d.open[:innermost]
	}
	d.out.WriteString(t.String())
}

// absolute makes the addresses of sanitised content whole, for readers that show
// it elsewhere.
func absolute(content string, s site) string {
	var out strings.Builder
	out.Grow(len(content) + 256)
	eachToken(content, func(t html.Token) {
		for i, a := range t.Attr {
			if a.Key == "href" || a.Key == "src" {
				t.Attr[i].Val = s.Abs(a.Val)
			}
		}
		out.WriteString(t.String())
	})
	return out.String()
}

// eachToken reads content that was sanitised, and so is well-formed.
func eachToken(content string, f func(html.Token)) {
	z := html.NewTokenizer(strings.NewReader(content))
	for z.Next() != html.ErrorToken {
		f(z.Token())
	}
}
