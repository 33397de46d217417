package public_test

import (
	"strings"
	"testing"

	"github.com/chromedp/chromedp"

	"edgesvc.dev/svc/daemon/internal/safehtml/xsstest"
	"edgesvc.dev/svc/daemon/internal/surface/public"
)

// On a phone of 320 px nothing but code and tables scrolls sideways, what
// scrolls can be reached with the keyboard, and only this server is asked.
func TestPhone(t *testing.T) {
	m := blog()
	wide := strings.Repeat("unbreakable", 40)
	p := newPost(0, "wide", wide, "<p>"+wide+"</p><pre><code>"+wide+"</code></pre><table><tr>"+strings.Repeat("<td>cell</td>", 40)+"</tr></table>")
	p.Description, p.Tags = wide, []string{wide}
	for range 100 {
		p.Tags = append(p.Tags, "tag")
	}
	m.posts = append(m.posts, p)
	base := serve(t, m, public.Options{})
	browser := xsstest.Browser(t)
	for _, path := range []string{"/notes/wide", "/notes/first", "/notes/", "/notes/none"} {
		if err := chromedp.Do(browser, chromedp.EmulateViewport(320, 640), chromedp.Navigate(base+path)); err != nil {
			t.Fatal(err)
		}
		width, err := chromedp.Run(browser, chromedp.Evaluate[int](`document.documentElement.scrollWidth`))
		if err != nil || width > 320 {
			t.Errorf("%s is %d px wide, %v", path, width, err)
		}
		stuck, err := chromedp.Run(browser, chromedp.Evaluate[[]string](`[...document.querySelectorAll('main *')]
			.filter(e => e.scrollWidth > e.clientWidth && getComputedStyle(e).overflowX === 'auto' && e.tabIndex < 0).map(e => e.outerHTML)`))
		if err != nil || len(stuck) > 0 {
			t.Errorf("%s: the keyboard does not reach %q, %v", path, stuck, err)
		}
		loaded, err := chromedp.Run(browser, chromedp.Evaluate[[]string](`performance.getEntriesByType('resource').map(e => e.name)`))
		if err != nil || len(loaded) == 0 {
			t.Errorf("%s loaded %q, %v", path, loaded, err)
		}
		for _, address := range loaded {
			if !strings.HasPrefix(address, base+"/") {
				t.Errorf("%s asks %s", path, address)
			}
		}
	}
}
