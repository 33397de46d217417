package post

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"edgesvc.dev/svc/cli/internal/atomicfile"
	"edgesvc.dev/svc/cli/internal/kit"
	"edgesvc.dev/svc/cli/internal/output"
	"edgesvc.dev/svc/cli/internal/postfile"
	"edgesvc.dev/svc/cli/internal/postsync"
	"edgesvc.dev/svc/cli/internal/terminal"
	"edgesvc.dev/svc/cli/internal/writing"
	"edgesvc.dev/svc/sdk"
	"edgesvc.dev/svc/sdk/api"
)

// postsFile is the name of a folder's posts in the format jsonl.
const postsFile = "posts.jsonl"

type export struct {
	app    *kit.App
	format string
	status string
}

func newExport(a *kit.App) *cobra.Command {
	o := &export{app: a}
	cmd := &cobra.Command{
		Use: "export DIR", Short: "Write all posts to files", Args: kit.Exactly("a folder"),
		Example: "  svcctl post export backup --format md",
		RunE:    func(cmd *cobra.Command, args []string) error { return o.run(cmd.Context(), args[0]) },
	}
	cmd.Flags().StringVar(&o.format, "format", "md", "md, html, or jsonl (one file, posts.jsonl)")
	cmd.Flags().StringVar(&o.status, "status", "", "only draft, published or archived posts")
	return cmd
}

func checkFormat(format string) error {
	if !slices.Contains([]string{"md", "html", "jsonl"}, format) {
		return kit.Usage("--format is md, html or jsonl, not %q", format)
	}
	return nil
}

func (o *export) run(ctx context.Context, dir string) error {
	if err := checkFormat(o.format); err != nil {
		return err
	}
	c, err := o.app.Client()
	if err != nil {
		return err
	}
	q := api.PostQuery{PageQuery: api.PageQuery{Limit: 20}, Status: strings.ToUpper(o.status), Include: "source"}
	var lines bytes.Buffer
	n := 0
	for p, err := range c.Posts.All(ctx, q) {
		if err == nil {
			err = o.one(dir, p, &lines)
		}
		if err != nil {
			return err
		}
		n++
	}
	if o.format == "jsonl" {
		if err := atomicfile.Write(filepath.Join(dir, postsFile), lines.Bytes(), 0o644); err != nil {
			return err
		}
	}
	o.app.IO.Say("wrote %s to %s", kit.Count(n, "post"), dir)
	return nil
}

var safeName = regexp.MustCompile(`^[a-z0-9][a-z0-9-]*$`)

func (o *export) one(dir string, p *api.Post, lines *bytes.Buffer) error {
	if o.format == "jsonl" {
		b, err := output.Encode(p)
		lines.Write(append(b, '\n'))
		return err
	}
	f, err := postfile.FromPost(p, o.format == "html")
	if err != nil {
		return err
	}
	b, err := f.Bytes()
	if err != nil {
		return err
	}
	name := p.Slug // from the server: it must not lead out of the folder
	if !safeName.MatchString(name) {
		name = p.ID
	}
	if !safeName.MatchString(strings.ReplaceAll(name, "_", "-")) {
		return fmt.Errorf("the post %q has neither a slug nor an id that could name a file", terminal.Line(p.ID))
	}
	return atomicfile.Write(filepath.Join(dir, name+"."+o.format), b, 0o644)
}

// folderImport creates posts from the files of a folder, once.
type folderImport struct {
	app    *kit.App
	write  kit.WriteFlags
	format string
}

func (o *folderImport) run(ctx context.Context, dir string) error {
	if err := checkFormat(o.format); err != nil {
		return err
	}
	if o.write.Key != "" {
		return kit.Usage("--idempotency-key is for one post")
	}
	c, err := o.app.Writer(o.write)
	if err != nil {
		return err
	}
	inputs, err := o.inputs(ctx, c, dir)
	if err != nil {
		return err
	}
	var created []api.Post
	for _, in := range inputs {
		p, err := c.Posts.Create(ctx, in)
		if kit.IsDryRun(err) {
			continue
		}
		if err != nil {
			o.app.IO.Say("created %d of %d before this failed: %s", len(created), len(inputs), terminal.Line(in.Title))
			return importFailure(ctx, err, dir)
		}
		created = append(created, *p)
	}
	o.app.IO.Say("created %s", kit.Count(len(created), "post"))
	printer, err := o.app.Printer()
	if err != nil || printer.Format == "" {
		return err
	}
	return kit.ShowList(o.app, kit.ListFlags{All: true}, view, kit.List(created))
}

func (o *folderImport) inputs(ctx context.Context, c *sdk.Client, dir string) ([]api.PostCreate, error) {
	if o.format == "jsonl" {
		return readJSONL(filepath.Join(dir, postsFile))
	}
	paths, err := postsync.Paths(dir)
	if err != nil {
		return nil, err
	}
	var inputs []api.PostCreate
	for _, path := range paths {
		if (filepath.Ext(path) == ".html") != (o.format == "html") {
			continue
		}
		name := filepath.Join(dir, filepath.FromSlash(path))
		f, folder, err := writing.ReadFile(o.app, name, false)
		if err != nil {
			return nil, err
		}
		content, err := writing.Content(ctx, o.app, c, f, folder)
		if err != nil {
			return nil, err
		}
		in, err := f.Create(content)
		if err != nil {
			return nil, err
		}
		if in.Slug == "" {
			in.Slug = postsync.Slug(path)
		}
		inputs = append(inputs, in)
	}
	return inputs, nil
}

// readJSONL reads exported posts; the members that only the server decides
// have no place in a new post.
func readJSONL(path string) ([]api.PostCreate, error) {
	b, err := os.ReadFile(path)
	if err != nil {
		return nil, kit.Usage("%v", err)
	}
	var inputs []api.PostCreate
	for i, text := range bytes.Split(bytes.TrimSpace(b), []byte("\n")) {
		var p api.Post
		if err := json.Unmarshal(text, &p); err != nil {
			return nil, &kit.Failure{Exit: kit.ExitInvalid, Code: "invalid_file", Message: fmt.Sprintf("%s line %d: %v", path, i+1, err)}
		}
		f, err := postfile.FromPost(&p, true)
		if err != nil {
			return nil, err
		}
		f.Status = p.Status
		in, err := f.Create(p.Content)
		if err != nil {
			return nil, err
		}
		inputs = append(inputs, in)
	}
	return inputs, nil
}

// importFailure names the command for posts that exist already.
func importFailure(ctx context.Context, err error, dir string) error {
	f := *kit.Explain(ctx, err)
	if f.Code == string(api.CodeSlugTaken) {
		f.Hint, f.Topic = "import only creates posts; svcctl post sync "+dir+" changes those that exist", "sync"
	}
	return &f
}
