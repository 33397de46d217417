package safehtml_test

import (
	"strings"
	"testing"

	"edgesvc.dev/svc/daemon/internal/safehtml"
)

func TestSanitize(t *testing.T) {
	tests := []struct{ name, in, want string }{
		{"script", `<script>alert(1)</script><p>ok</p>`, `<p>ok</p>`},
		{"split scheme", `<a href="jav&#x09;ascript:alert(1)">x</a>`, `x`},
		{"foreign content", `<math><mtext><table><mglyph><style><!--</style><img title="--&gt;&lt;img src=1 onerror=alert(1)&gt;">`, `<table></table>`},
		{"handler", `<p onclick="x()" style="position:fixed" id="main" class="skip">a</p>`, `<p id="main">a</p>`},
		{"ids", `<h2 id="setup">a</h2><p id="location">b</p><span id="x y">c</span><a name="old">d</a>`, `<h2 id="setup">a</h2><p id="user-content-location">b</p><span>c</span><a id="old">d</a>`},
		{"fragments", `<a href="#setup">a</a><a href="/t/p#location">b</a><a href="https://example.com/#location">c</a><a href="#Sch%C3%B6n">d</a>`,
			`<a href="#setup">a</a><a href="/t/p#user-content-location">b</a><a href="https://example.com/#location" rel="noopener nofollow">c</a><a href="#user-content-Sch%C3%B6n">d</a>`},
		{"no script", `<noscript><p>shown</p></NOSCRIPT ><scr<noscript>ipt>alert(1)</script>`, `<p>shown</p>`},
		{"elements that have no place", `<center>a</center><aside>b</aside><main>c</main><font color="red">d</font>`, `a<aside>b</aside>cd`},
		{"external link", `<a href="https://example.com/?a=1&amp;b=2" target="_blank">x</a>`, `<a href="https://example.com/?a=1&amp;b=2" rel="noopener nofollow">x</a>`},
		{"link without scheme", `<a href="//example.com">x</a>`, `<a href="//example.com" rel="noopener nofollow">x</a>`},
		{"local link", `<a href="/blog/next">x</a>`, `<a href="/blog/next">x</a>`},
		{"mail", `<a href="mailto:a@example.com">x</a>`, `<a href="mailto:a@example.com">x</a>`},
		{"image", `<img src="https://example.com/a.png" alt="A" width="10" height="20" onerror=x>`, `<img src="https://example.com/a.png" alt="A" width="10" height="20" loading="lazy">`},
		{"image without alt", `<img src="/media/media_1">`, `<img src="/media/media_1" alt="" loading="lazy">`},
		{"image of data", `<img src="data:image/svg+xml,x" alt="kept">`, `<img alt="kept" loading="lazy">`},
		{"code language", `<pre><code class="language-go">a &lt; b</code></pre>`, `<pre><code class="language-go">a &lt; b</code></pre>`},
		{"other class", `<code class="language-go evil">a</code>`, `<code>a</code>`},
		{"alert", `<div class="markdown-alert markdown-alert-tip"><div class="markdown-alert-title">Tip</div></div><div class="masthead">x</div>`,
			`<div class="markdown-alert markdown-alert-tip"><div class="markdown-alert-title">Tip</div></div><div>x</div>`},
		{"table", `<table><tr><th scope="col" align="right">a<td colspan=2>b</table>`, `<table><tr><th scope="col" align="right">a</th><td colspan="2">b</td></tr></table>`},
		{"direction", `<p dir="rtl" lang="ar">س</p>`, `<p dir="rtl" lang="ar">س</p>`},
		{"end tags left out", `<p>a<p>b<ul><li>c<li>d</ul>`, `<p>a</p><p>b</p><ul><li>c</li><li>d</li></ul>`},
		{"tags left open", `<div><b>a<i>b`, `<div><b>a<i>b</i></b></div>`},
		{"closing what it did not open", `a</div></article></main>b`, `ab`},
		{"links do not nest", `<a href="/a">1<a href="/b">2</a></a>`, `<a href="/a">1</a><a href="/b">2</a>`},
		{"slash that HTML ignores", `<p/>a<br/>b`, `<p>a<br>b</p>`},
		{"form", `<form action="/x"><input name=a><button>go</button></form>`, `go`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if got := safehtml.Sanitize(tt.in); got != tt.want {
				t.Errorf("Sanitize(%q)\n got %q\nwant %q", tt.in, got, tt.want)
			}
		})
	}
}

func TestSanitizeBoundsNesting(t *testing.T) {
	got := safehtml.Sanitize(strings.Repeat("<div>", 50_000) + "deep" + strings.Repeat("</i>", 50_000))
	if opened, closed := strings.Count(got, "<div>"), strings.Count(got, "</div>"); opened > 100 || opened != closed {
		t.Errorf("%d elements opened and %d closed, want the same number below 100", opened, closed)
	}
	if !strings.Contains(got, "deep") {
		t.Error("the text is lost")
	}
}
