package public

import (
	"bytes"
	"crypto/sha256"
	"encoding/base64"
	"fmt"
	"hash"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/valyala/fasthttp"

	"edgesvc.dev/svc/sdk/api"
)

const (
	typeHTML = "text/html; charset=utf-8"
	typeAtom = "application/atom+xml; charset=utf-8"
	typeXML  = "application/xml; charset=utf-8"
	typeText = "text/plain; charset=utf-8"
)

// policy is what a page may do. It allows this server's stylesheets and pictures,
// and nothing else: a script that got past the sanitiser would still not run.
type policy struct {
	forms bool // a search form or a question
	chat  bool // the widget
}

// String is the header's value.
func (p policy) String() string {
	action, chat := "'none'", ""
	if p.forms {
		action = "'self'"
	}
	if p.chat {
		chat = "; script-src 'self'; connect-src 'self'"
	}
	return "default-src 'none'; style-src 'self'; img-src 'self' https:" + chat + "; base-uri 'none'; form-action " + action + "; frame-ancestors 'self'"
}

func (p policy) set(ctx *fasthttp.RequestCtx) {
	ctx.Response.Header.Set("Content-Security-Policy", p.String())
}

func setSafetyHeaders(ctx *fasthttp.RequestCtx) {
	policy{}.set(ctx)
	ctx.Response.Header.Set("X-Content-Type-Options", "nosniff")
	ctx.Response.Header.Set("Referrer-Policy", "strict-origin-when-cross-origin")
}

// document is an answer that caches can keep and ask about again.
type document struct {
	contentType string
	etag        string
	modified    time.Time
	passing     bool                   // no copy is kept
	render      func() ([]byte, error) // called only where no copy is at hand
}

// send answers with the document, or with 304 to a client that has it.
func (p *Pages) send(ctx *fasthttp.RequestCtx, d document) error {
	h := &ctx.Response.Header
	h.Set(fasthttp.HeaderETag, d.etag)
	h.Set(fasthttp.HeaderLastModified, d.modified.UTC().Format(http.TimeFormat))
	h.Set(fasthttp.HeaderCacheControl, "public, max-age=0, must-revalidate")
	h.Set(fasthttp.HeaderVary, "Accept-Encoding")
	if unchanged(ctx, d) {
		ctx.SetStatusCode(fasthttp.StatusNotModified)
		return nil
	}
	b := p.cache.get(d.etag)
	if b == nil {
		plain, err := d.render()
		if err != nil {
			return fmt.Errorf("render page: %w", err)
		}
		b = &body{etag: d.etag, plain: plain, gzip: compress(plain)}
		if !d.passing {
			p.cache.put(b)
		}
	}
	ctx.SetContentType(d.contentType)
	if b.gzip != nil && ctx.Request.Header.HasAcceptEncoding("gzip") {
		h.Set(fasthttp.HeaderContentEncoding, "gzip")
		ctx.Response.SetBodyRaw(b.gzip)
		return nil
	}
	ctx.Response.SetBodyRaw(b.plain)
	return nil
}

// unchanged follows RFC 9110, 13.2.2: an entity tag decides alone. A date counts
// only when it is ours to the second: a post that was taken back leaves an older
// date behind, which would otherwise pass for unchanged.
func unchanged(ctx *fasthttp.RequestCtx, d document) bool {
	if tags := ctx.Request.Header.Peek(fasthttp.HeaderIfNoneMatch); len(tags) > 0 {
		return matches(string(tags), d.etag)
	}
	since := ctx.Request.Header.Peek(fasthttp.HeaderIfModifiedSince)
	return len(since) > 0 && string(since) == d.modified.UTC().Format(http.TimeFormat)
}

func matches(list, etag string) bool {
	for tag := range strings.SplitSeq(list, ",") {
		tag = strings.TrimSpace(tag)
		if tag == "*" || strings.TrimPrefix(tag, "W/") == strings.TrimPrefix(etag, "W/") {
			return true
		}
	}
	return false
}

// compress leaves out what is too small to gain.
func compress(plain []byte) []byte {
	if len(plain) < 1024 {
		return nil
	}
	return bytes.Clone(fasthttp.AppendGzipBytesLevel(nil, plain, fasthttp.CompressDefaultCompression))
}

// fingerprint collects the versions that a document shows. It starts with the
// assets, because they change with the daemon.
type fingerprint struct{ sum hash.Hash }

func (p *Pages) fingerprint(kind string, s site) fingerprint {
	f := fingerprint{sum: sha256.New()}
	f.add(kind, p.assets.version, s.base, s.prefix, s.Team.ID, strconv.Itoa(s.Team.Version), s.Team.Name, s.Team.Site.Chat)
	f.add(strconv.FormatBool(s.Team.HasPosts), strconv.FormatBool(s.Team.HasHelp))
	return f
}

// add ends each part with a byte that no part has.
func (f fingerprint) add(parts ...string) {
	for _, part := range parts {
		f.sum.Write([]byte(part))
		f.sum.Write([]byte{0xff})
	}
}

// post adds the author's name because it may change without the post.
func (f fingerprint) post(p *api.Post) { f.add(p.ID, strconv.Itoa(p.Version), authorName(*p)) }

// card adds a post that is beside another, nil for none.
func (f fingerprint) card(c *card) {
	if c == nil {
		f.add("")
		return
	}
	f.post(&c.Post)
}

// etag is weak: the plain and the compressed body share it.
func (f fingerprint) etag() string {
	return `W/"` + base64.RawURLEncoding.EncodeToString(f.sum.Sum(nil)[:15]) + `"`
}
