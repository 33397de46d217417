package xsstest

import (
	"context"
	_ "embed"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"testing"
	"time"

	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/chromedp"
)

//go:embed frames.js
var openFrames string

// Browser starts headless Chromium, the one that CHROMIUM names or that is
// installed, without a way to any host but loopback. Without one the test is
// skipped.
func Browser(t testing.TB) context.Context {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 4*time.Minute)
	t.Cleanup(cancel)
	ctx, stop := chromedp.NewExecAllocator(ctx, append(chromedp.DefaultExecAllocatorOptions[:],
		chromedp.ExecPath(executable(t)), chromedp.NoSandbox,
		chromedp.Flag("host-resolver-rules", "MAP * ~NOTFOUND, EXCLUDE 127.0.0.1"))...)
	t.Cleanup(stop)
	ctx, closeTab := chromedp.NewContext(ctx)
	t.Cleanup(closeTab)
	return ctx
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
	t.Skip("no Chromium: set CHROMIUM to its path")
	return ""
}

// Result says what the pages did in the browser.
type Result struct {
	Fired  []string `json:"fired"`  // addresses whose scripts called alert and its like
	Active []string `json:"active"` // what could act in the page's document, as the browser parsed it
	Loaded int      `json:"loaded"`
}

// Open opens each address in a frame of the page at host, which is of the same
// origin. The browser disregards content policies, so that the markup alone has
// to be inert. A frame that has not loaded in the time of patience is given up
// and not counted.
func Open(t testing.TB, browser context.Context, host string, addresses []string, patience time.Duration) Result { //nolint:revive // t comes first in test code
	t.Helper()
	list, err := json.Marshal(addresses)
	if err != nil {
		t.Fatal(err)
	}
	call := fmt.Sprintf("(%s)(%s, %d)", openFrames, list, patience.Milliseconds())
	err = chromedp.Do(browser, chromedp.Func(func(ctx context.Context, _ *chromedp.Target) error {
		if _, err := chromedp.Call(ctx, page.SetBypassCSP, page.SetBypassCSPParams{Enabled: true}); err != nil {
			return err
		}
		_, err := chromedp.Call(ctx, page.AddScriptToEvaluateOnNewDocument, page.AddScriptToEvaluateOnNewDocumentParams{Source: hook})
		return err
	}), chromedp.Navigate(host))
	if err != nil {
		t.Fatal(err)
	}
	result, err := chromedp.Run(browser, chromedp.Evaluate[Result](call, chromedp.EvalAwaitPromise))
	if err != nil {
		t.Fatal(err)
	}
	return result
}

// hook runs before the scripts of every document.
const hook = `if (window === top) window.fired = new Set();
for (const name of ['alert', 'confirm', 'prompt', 'print']) window[name] = () => { top.fired.add(location.href); };`
