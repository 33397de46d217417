package safehtml_test

import (
	"testing"

	"edgesvc.dev/svc/daemon/internal/safehtml"
)

func TestActive(t *testing.T) {
	for _, src := range []string{
		"", "plain text, 1 < 2", `<p>Hello</p><h2>on the road</h2>`, `<p class="lead">x</p>`,
		`<a href="https://example.com/?a=1&amp;b=2">x</a>`, `<a href="/docs#on">x</a>`, `<a href="mailto:a@b.example">x</a>`,
		`<img src="/media/med_1.png" alt="javascript: the good parts" width="3">`, `<pre><code class="language-go">a &lt; b</code></pre>`,
		`<table><tr><td>1</td></tr></table><br/><hr>`,
		`<h2 id="on-the-road">x</h2><a name="old">y</a>`,
	} {
		if safehtml.Active(src) {
			t.Errorf("%q is taken for active", src)
		}
	}
	for _, src := range []string{
		`<script>alert(1)</script>`, `<SCRIPT src=x>`, `<p onclick=alert(1)>x</p>`, `<img src=x onerror=alert(1)>`,
		`<a href="jav&#x09;ascript:alert(1)">x</a>`, `<a href=" javascript:alert(1)">x</a>`, `<a href="JaVaScRiPt:alert(1)">x</a>`,
		`<iframe src="https://example.com"></iframe>`, `<svg><animate onbegin=alert(1)></svg>`, `<form action=/x>`,
		`<math><mtext><table><mglyph><style><!--</style><img title="--&gt;&lt;img src=1 onerror=alert(1)&gt;">`,
		`<p><!-- x --></p>`, `<base href=//evil.example>`, `<a href="data:text/html,x">x</a>`, `<p style="x">`, `<a xlink:href=x>`,
		`<script src=//evil.example/x.js`, `<p>x</p><script src=">`, `<img src=x onerror=alert(1) `, `<p`, `x</p`, `<p id="location">x</p>`, `<p id="svc-main">x</p>`, `<img name="forms">`,
	} {
		if !safehtml.Active(src) {
			t.Errorf("%q is taken for inert", src)
		}
	}
}

func BenchmarkActive(b *testing.B) {
	src := post
	b.SetBytes(int64(len(src)))
	for b.Loop() {
		safehtml.Active(src)
	}
}
