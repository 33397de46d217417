package post

import (
	"context"
	"net/url"
	"os"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"edgesvc.dev/svc/cli/internal/images"
	"edgesvc.dev/svc/cli/internal/importer"
	"edgesvc.dev/svc/cli/internal/kit"
	"edgesvc.dev/svc/cli/internal/postsync"
	"edgesvc.dev/svc/cli/internal/terminal"
	"edgesvc.dev/svc/cli/internal/writing"
	"edgesvc.dev/svc/sdk"
)

// postImport makes posts of what another program exported.
type postImport struct {
	app    *kit.App
	folder folderImport
	in     writing.Import
	export importer.Options
	media  []string
	fetch  bool
	pages  string
	given  func(flag string) bool
}

// pagesAreTexts says what becomes of the pages of a site.
const (
	pagesAreTexts  = "pages became posts, which lists show by their date; --pages draft or skip does otherwise"
	pagesAreDrafts = "pages became drafts"
)

// pageEnds are what can become of pages.
var pageEnds = []string{"post", "draft", "skip"}

func newImport(a *kit.App) *cobra.Command {
	o := &postImport{app: a, folder: folderImport{app: a}}
	cmd := &cobra.Command{
		Use: "import FILE", Short: "Move in from Ghost, WordPress or Substack", Args: kit.Exactly("an export of another program, or a folder"),
		Long: "Makes posts of an export of Ghost (JSON or zip), WordPress (WXR) or Substack (zip): texts, dates, tags, authors,\n" +
			"pictures, old addresses. Shows the plan, and applies it; a second run changes what changed in the export. What the\n" +
			"file is, is told by what is in it. svcctl help import tells the rules. Of a folder of posts that svcctl exported it\n" +
			"creates each once.",
		Example: "  svcctl post import my-site.ghost.json --old-site https://blog.example.com --dry-run\n" +
			"  svcctl post import my-site.WordPress.xml --media wp-content/uploads\n" +
			"  svcctl post import export.zip --from substack-zip --fetch-images",
		RunE: func(cmd *cobra.Command, args []string) error { return o.run(cmd.Context(), args[0]) },
	}
	o.folder.write.Add(cmd)
	f := cmd.Flags()
	f.StringVar(&o.export.From, "from", "", "the format: "+strings.Join(importer.Formats, ", ")+"; without it, that of the file")
	f.StringVar(&o.export.Site, "old-site", "", "address of the old site, where the export does not say it")
	f.StringVar(&o.export.Path, "old-path", "", "where the old site had its posts, where the export does not say it: /{year}/{month}/{slug}/")
	f.StringArrayVar(&o.media, "media", nil, "folder with the pictures of the old site, such as content/images or wp-content/uploads; more with more of it")
	f.BoolVar(&o.fetch, "fetch-images", false, "fetch the other pictures from where the texts show them, and keep them here")
	f.StringVar(&o.pages, "pages", "post", "pages of the old site: post, draft or skip")
	f.StringSliceVar(&o.export.Types, "type", nil, "types of entries of WordPress to take besides post and page; more with commas or again")
	f.StringVar(&o.in.OnDrift, "on-drift", "fail", "posts that are not what was imported: fail, theirs or ours")
	f.IntVarP(&o.in.Jobs, "jobs", "j", 4, "how many posts to write at a time")
	f.BoolVar(&o.in.Diff, "diff", false, "show what changes, line by line")
	f.BoolVar(&o.in.Differs, "exit-code", false, "exit 10 when anything differs (with --dry-run)")
	f.StringVar(&o.folder.format, "format", "md", "of a folder's files: md, html, or jsonl (one file, posts.jsonl)")
	o.given = f.Changed
	for flag, values := range map[string][]string{"from": importer.Formats, "pages": pageEnds, "on-drift": {"fail", "theirs", "ours"}} {
		_ = cmd.RegisterFlagCompletionFunc(flag, cobra.FixedCompletions(values, cobra.ShellCompDirectiveNoFileComp)) // the flag exists
	}
	return cmd
}

func (o *postImport) run(ctx context.Context, name string) error {
	if o.export.From != "" && !slices.Contains(importer.Formats, o.export.From) {
		return kit.Usage("--from is %s, not %q", strings.Join(importer.Formats, ", "), o.export.From)
	}
	if !slices.Contains(pageEnds, o.pages) {
		return kit.Usage("--pages is post, draft or skip, not %q", o.pages)
	}
	if err := o.in.Check(); err != nil {
		return err
	}
	for _, dir := range o.media {
		if info, err := os.Stat(dir); err != nil || !info.IsDir() {
			return kit.Usage("--media %s is not a folder", dir)
		}
	}
	if _, err := os.Stat(name); err != nil {
		return kit.Usage("%s does not exist", name)
	}
	format, err := importer.Recognise(name)
	if err == nil && format == "" && o.export.From == "" {
		return o.folder.run(ctx, name)
	}
	if o.given("format") {
		return kit.Usage("--format is for a folder; --from names the format of an export")
	}
	if o.folder.write.Key != "" {
		return kit.Usage("--idempotency-key is for one post")
	}
	opened, err := importer.Open(name, o.export)
	if err != nil {
		return &kit.Failure{Exit: kit.ExitInvalid, Code: "invalid_file", Message: terminal.Line(name + ": " + err.Error()), Topic: "import"}
	}
	defer opened.Close()
	return o.apply(ctx, opened)
}

func (o *postImport) apply(ctx context.Context, opened *importer.Opened) error {
	o.in.Export, o.in.Notes, o.in.DryRun = opened.Export, opened.Notes, o.folder.write.DryRun
	if o.export.Site != "" {
		o.in.Sites = []string{o.export.Site}
	}
	o.in.Export.Pictures.Dirs = o.media
	if o.fetch {
		var named []string
		if u, err := url.Parse(o.export.Site); err == nil && u.Host != "" {
			named = append(named, images.DialName(u))
		}
		o.in.Export.Pictures.Fetch = images.NewFetch(ctx, named)
	}
	o.movePages(opened.Entries)
	s := &writing.Syncer{App: o.app, Page: "/", Noun: "post", Texts: func(c *sdk.Client) postsync.Texts { return c.Posts }}
	return s.Import(ctx, o.in)
}

// movePages decides about the pages of the old site.
func (o *postImport) movePages(entries []*postsync.Entry) {
	for _, e := range entries {
		switch {
		case !e.Page || e.Skip != "":
		case o.pages == "skip":
			e.Skip = "is a page (--pages skip)"
		case o.pages == "draft":
			e.Draft = true
			e.Changes = append(e.Changes, pagesAreDrafts)
		default:
			e.Changes = append(e.Changes, pagesAreTexts)
		}
	}
}
