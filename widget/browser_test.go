package widget_test

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/input"
	"github.com/chromedp/chromedp"
)

// tab is a page of Chromium that carries the widget.
type tab struct {
	t   testing.TB
	w   *world
	ctx context.Context
}

// open starts headless Chromium, the one that CHROMIUM names or that is
// installed, and looks at the demo page.
func (w *world) open() *tab {
	w.t.Helper()
	ctx, cancel := context.WithTimeout(w.t.Context(), 2*time.Minute)
	w.t.Cleanup(cancel)
	ctx, stop := chromedp.NewExecAllocator(ctx, append(chromedp.DefaultExecAllocatorOptions[:],
		chromedp.ExecPath(executable(w.t)), chromedp.NoSandbox,
		chromedp.Flag("host-resolver-rules", "MAP * ~NOTFOUND, EXCLUDE 127.0.0.1"))...)
	w.t.Cleanup(stop)
	ctx, closeTab := chromedp.NewContext(ctx)
	w.t.Cleanup(closeTab)
	b := &tab{w.t, w, ctx}
	b.do(chromedp.EmulateViewport(1100, 800))
	b.visit("/widget/demo?site=" + w.site)
	return b
}

func executable(t testing.TB) string {
	t.Helper()
	if name := os.Getenv("CHROMIUM"); name != "" {
		return name
	}
	for _, name := range []string{"chromium", "chromium-browser", "google-chrome"} {
		if path, err := exec.LookPath(name); err == nil {
			return path
		}
	}
	if os.Getenv("CI") != "" {
		t.Fatal("no Chromium: run make test, or set CHROMIUM to its path")
	}
	t.Skip("no Chromium: set CHROMIUM to its path")
	return ""
}

func (b *tab) do(actions ...chromedp.Action[chromedp.Void]) {
	b.t.Helper()
	if err := chromedp.Do(b.ctx, actions...); err != nil {
		b.t.Fatal(err)
	}
}

// visit goes to a path and waits for the launcher.
func (b *tab) visit(path string) {
	b.t.Helper()
	b.do(chromedp.Navigate(b.w.url + path))
	b.until(`!!$('.launcher')?.getAttribute('aria-label')`)
}

// dollar finds in the widget's shadow tree.
const dollar = `const host = document.querySelector('svc-chat'), root = host?.shadowRoot, $ = s => root?.querySelector(s), $$ = s => [...(root?.querySelectorAll(s) || [])]; `

func eval[T any](b *tab, expression string) T {
	b.t.Helper()
	v, err := chromedp.Run(b.ctx, chromedp.Evaluate[T]("(async () => {"+dollar+"return "+expression+"})()", chromedp.EvalAwaitPromise))
	if err != nil {
		b.t.Fatalf("%s: %v", expression, err)
	}
	return v
}

// until waits for an expression to become true.
func (b *tab) until(expression string) {
	b.t.Helper()
	_, err := chromedp.Run(b.ctx, chromedp.Poll[chromedp.Void]("(() => {"+dollar+"return "+expression+"})()",
		chromedp.WithPollingTimeout(15*time.Second), chromedp.WithPollingInterval(20*time.Millisecond)))
	if err != nil {
		b.shot("failed")
		b.t.Fatalf("%s: %v; the log shows %q", expression, err, eval[[]string](b, `$$('.log > *').map(e => e.innerText)`))
	}
}

func (b *tab) click(selector string) {
	b.t.Helper()
	at := eval[[2]float64](b, fmt.Sprintf(`(() => {const e = $(%q); e.scrollIntoView({block: 'nearest'}); const r = e.getBoundingClientRect(); return [r.x + r.width / 2, r.y + r.height / 2]})()`, selector))
	b.do(chromedp.MouseClickXY(at[0], at[1]))
}

func (b *tab) keys(keys string) {
	b.t.Helper()
	b.do(chromedp.KeyEvent(keys))
}

// openPanel clicks the launcher and waits until one can write.
func (b *tab) openPanel() {
	b.t.Helper()
	b.click(".launcher")
	b.until(`root.activeElement === $('textarea')`)
}

// say types a message and sends it with the keyboard.
func (b *tab) say(text string) {
	b.t.Helper()
	eval[bool](b, `($('textarea').focus(), true)`)
	b.keys(text)
	b.press("Enter", 13)
}

// press is a key. Unlike chromedp's, its character comes only if the page lets
// the key act.
func (b *tab) press(key string, code int64) {
	b.t.Helper()
	b.do(chromedp.Func(func(ctx context.Context, _ *chromedp.Target) error {
		p := input.DispatchKeyEventParams{Type: input.DispatchKeyEventTypeKeyDown, Key: key, Code: key, WindowsVirtualKeyCode: code}
		if key == "Enter" {
			p.Text = "\r"
		}
		_, err := chromedp.Call(ctx, input.DispatchKeyEvent, p)
		if p.Type, p.Text = input.DispatchKeyEventTypeKeyUp, ""; err == nil {
			_, err = chromedp.Call(ctx, input.DispatchKeyEvent, p)
		}
		return err
	}))
}

// texts are the bubbles from top to bottom.
func (b *tab) texts() []string {
	b.t.Helper()
	return eval[[]string](b, `$$('.msg .text').map(e => e.innerText.trim())`)
}

func (b *tab) hasText(text string) {
	b.t.Helper()
	q, _ := json.Marshal(text)
	b.until(`$$('.msg:not(.sending) .text').some(e => e.innerText.trim() === ` + string(q) + `)`)
}

func (b *tab) media(name, value string) {
	b.t.Helper()
	b.do(chromedp.Func(func(ctx context.Context, _ *chromedp.Target) error {
		_, err := chromedp.Call(ctx, emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{Features: []*emulation.MediaFeature{{Name: name, Value: value}}})
		return err
	}))
}

// rest waits for the end of the animations that have one.
func (b *tab) rest() {
	b.t.Helper()
	eval[bool](b, `(await Promise.all(root.getAnimations().filter(a => a.effect.getTiming().iterations === 1).map(a => a.finished)), true)`)
}

// shot keeps a picture where SVC_TEST_SHOTS says, for people to look at.
func (b *tab) shot(name string) {
	b.t.Helper()
	dir := os.Getenv("SVC_TEST_SHOTS")
	if dir == "" {
		return
	}
	b.rest()
	png, err := chromedp.Run(b.ctx, chromedp.CaptureScreenshot())
	if err == nil {
		err = os.WriteFile(filepath.Join(dir, name+".png"), png, 0o600)
	}
	if err != nil {
		b.t.Error(err)
	}
}

func equal(t testing.TB, what string, got, want []string) {
	t.Helper()
	if strings.Join(got, "\n") != strings.Join(want, "\n") {
		t.Errorf("%s: %q, want %q", what, got, want)
	}
}
