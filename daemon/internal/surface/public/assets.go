package public

import (
	"crypto/sha256"
	"embed"
	"encoding/hex"
	"html/template"
	"time"

	"github.com/valyala/fasthttp"
)

//go:embed assets templates
var files embed.FS

const immutable = "public, max-age=31536000, immutable"

// assets are the files that pages load, under names that hold their hash.
type assets struct {
	version string // changes with any asset or template
	CSS     asset
	Icon    asset
}

type asset struct {
	name, contentType string
	data              []byte
}

func (a asset) Path() string { return "/assets/" + a.name }

func loadAssets() assets {
	all := sha256.New()
	for _, dir := range []string{"assets", "templates"} {
		for _, name := range namesIn(dir) {
			all.Write(read(name))
		}
	}
	return assets{
		version: hex.EncodeToString(all.Sum(nil)[:8]),
		CSS:     newAsset("style", ".css", "text/css; charset=utf-8"),
		Icon:    newAsset("icon", ".svg", "image/svg+xml"),
	}
}

func newAsset(name, ext, contentType string) asset {
	data := read("assets/" + name + ext)
	sum := sha256.Sum256(data)
	return asset{name: name + "." + hex.EncodeToString(sum[:6]) + ext, contentType: contentType, data: data}
}

func namesIn(dir string) []string {
	entries, err := files.ReadDir(dir)
	if err != nil {
		panic(err) // the files are part of the program
	}
	names := make([]string, len(entries))
	for i, e := range entries {
		names[i] = dir + "/" + e.Name()
	}
	return names
}

func read(name string) []byte {
	data, err := files.ReadFile(name)
	if err != nil {
		panic(err) // as above
	}
	return data
}

func (p *Pages) asset(ctx *fasthttp.RequestCtx, path []string) error {
	if len(path) != 1 {
		return errNotFound
	}
	for _, a := range []asset{p.assets.CSS, p.assets.Icon} {
		if a.name == path[0] {
			return p.sendAsset(ctx, a, false)
		}
	}
	if a, ok := p.assets.tinted(path[0]); ok {
		return p.sendAsset(ctx, a, true)
	}
	return errNotFound
}

// sendAsset answers with a file. Passing ones are not kept: there are as many as
// colours, and strangers can ask for them all.
func (p *Pages) sendAsset(ctx *fasthttp.RequestCtx, a asset, passing bool) error {
	err := p.send(ctx, document{
		passing:     passing,
		contentType: a.contentType,
		etag:        `W/"` + a.name + `"`,
		modified:    time.Unix(0, 0),
		render:      func() ([]byte, error) { return a.data, nil },
	})
	ctx.Response.Header.Set(fasthttp.HeaderCacheControl, immutable)
	ctx.Response.Header.Del(fasthttp.HeaderLastModified)
	return err
}

func parseTemplates() map[string]*template.Template {
	layout := template.Must(template.New("layout.html").Funcs(funcs()).ParseFS(files, "templates/layout.html", "templates/parts.html"))
	parsed := make(map[string]*template.Template)
	for _, name := range []string{"index", "post", "help", "article", "message", "signin"} {
		parsed[name] = template.Must(template.Must(layout.Clone()).ParseFS(files, "templates/"+name+".html"))
	}
	return parsed
}
