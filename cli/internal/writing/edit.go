package writing

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"edgesvc.dev/svc/cli/internal/kit"
	"edgesvc.dev/svc/cli/internal/merge"
	"edgesvc.dev/svc/cli/internal/postfile"
	"edgesvc.dev/svc/cli/internal/postsync"
	"edgesvc.dev/svc/sdk"
	"edgesvc.dev/svc/sdk/api"
)

// Editor edits a text in the person's editor and saves what they changed.
type Editor struct {
	App   *kit.App
	html  bool
	Find  func(ctx context.Context, c *sdk.Client, ref string) (*api.Post, error)
	Texts func(*sdk.Client) postsync.Texts
}

// NewEdit is the command edit of a group.
func NewEdit(o *Editor, use, noun string) *cobra.Command {
	cmd := &cobra.Command{
		Use: use, Example: "  svcctl " + strings.ReplaceAll(noun, " ", "-") + " edit hello", Short: "Edit a " + noun + " as Markdown in your editor", Args: kit.Exactly("a " + noun + ": its id, slug or address"),
		Long: "Opens the " + noun + " with its front matter in SVC_EDITOR, VISUAL, EDITOR or vi, and saves what you changed.\n" +
			"Changes that someone else made meanwhile are merged; where both changed the same lines, nothing is\n" +
			"saved, and your text is kept in a file beside theirs.",
		RunE: func(cmd *cobra.Command, args []string) error { return o.Run(cmd.Context(), args[0]) },
	}
	cmd.Flags().BoolVar(&o.html, "html", false, "edit the HTML as it is stored")
	return cmd
}

// Run edits the text that ref names.
func (o *Editor) Run(ctx context.Context, ref string) error {
	c, err := o.App.Client()
	if err != nil {
		return err
	}
	base, err := o.Find(ctx, c, ref)
	if err != nil {
		return err
	}
	if !o.html && postfile.Lossy(base.Content) {
		o.App.IO.Say("note: this text has HTML that Markdown cannot hold, and saving its text would lose it; --html edits it as it is")
	}
	before, err := FileText(base, o.html)
	if err != nil {
		return err
	}
	path, after, err := EditText(ctx, o.App, before, base.Slug+o.extension())
	if err != nil {
		return err
	}
	if bytes.Equal(before, after) {
		o.App.IO.Say("nothing was changed")
		return os.Remove(path)
	}
	saved, err := o.save(ctx, c, base, before, after)
	if err != nil {
		return o.keep(ctx, err, path)
	}
	o.App.IO.Say("saved %s (version %d)", saved.Slug, saved.Version)
	return os.Remove(path)
}

func (o *Editor) extension() string {
	if o.html {
		return ".html"
	}
	return ".md"
}

// FileText is a post as the editor shows it.
func FileText(p *api.Post, html bool) ([]byte, error) {
	f, err := postfile.FromPost(p, html)
	if err != nil {
		return nil, err
	}
	return f.Bytes()
}

// save sends what differs between before and after. When the post has changed
// meanwhile, it merges and tries once more.
func (o *Editor) save(ctx context.Context, c *sdk.Client, base *api.Post, before, after []byte) (*api.Post, error) {
	saved, err := o.send(ctx, c, base, before, after)
	if e, ok := errors.AsType[*api.Error](err); !ok || e.Code != api.CodeVersionConflict {
		return saved, err
	}
	theirs, err := o.Texts(c).Source(ctx, base.ID)
	if err != nil {
		return nil, err
	}
	theirText, err := FileText(theirs, o.html)
	if err != nil {
		return nil, err
	}
	merged := merge.Of(string(before), string(after), string(theirText))
	if !merged.Clean() {
		return nil, &conflict{theirs: theirText}
	}
	o.App.IO.Say("the post was changed meanwhile; your changes were merged with version %d", theirs.Version)
	return o.send(ctx, c, theirs, theirText, []byte(merged.Theirs()))
}

// send changes the members that differ between two texts of a post.
func (o *Editor) send(ctx context.Context, c *sdk.Client, p *api.Post, before, after []byte) (*api.Post, error) {
	old, err := postfile.Parse("post"+o.extension(), before)
	if err != nil {
		return nil, err
	}
	f, err := postfile.Parse("post"+o.extension(), after)
	if err != nil {
		return nil, &kit.Failure{Exit: kit.ExitInvalid, Code: "invalid_file", Message: err.Error()}
	}
	if f.ID != p.ID {
		return nil, &kit.Failure{Exit: kit.ExitInvalid, Code: "invalid_file", Message: "the id in the front matter cannot be changed"}
	}
	var content *string
	if f.Body != old.Body {
		html, err := Content(ctx, o.App, c, f, ".")
		if err != nil {
			return nil, err
		}
		content = &html
	}
	patch, changes, err := f.Patch(p, content)
	if err != nil || len(changes) == 0 {
		return p, err
	}
	patch.IfMatch = p.Version
	return o.Texts(c).Update(ctx, patch)
}

// conflict says that both sides changed the same lines.
type conflict struct{ theirs []byte }

func (*conflict) Error() string { return "both sides changed the same lines" }

// keep leaves the edited text where it is and says so.
func (o *Editor) keep(ctx context.Context, err error, path string) error {
	c, ok := errors.AsType[*conflict](err)
	if !ok {
		f := *kit.Explain(ctx, err)
		f.Hint = "your text is kept in " + path
		return &f
	}
	theirs := path + ".theirs"
	if err := os.WriteFile(theirs, c.theirs, 0o600); err != nil {
		return fmt.Errorf("keep their text: %w", err)
	}
	return &kit.Failure{
		Exit: kit.ExitConflict, Code: "merge_conflict", Topic: "sync",
		Message: "someone else changed the same lines meanwhile; nothing was saved",
		Hint:    "your text is kept in " + path + ", theirs in " + theirs,
	}
}

// EditText opens the editor on a text and returns the file and what it says
// afterwards. The file is the caller's to remove.
func EditText(ctx context.Context, a *kit.App, text []byte, name string) (string, []byte, error) {
	s, err := a.Load()
	if err != nil {
		return "", nil, err
	}
	words, err := kit.SplitWords(s.Editor)
	if err != nil || len(words) == 0 {
		return "", nil, kit.Usage("the editor %q cannot be run", s.Editor)
	}
	dir, err := os.MkdirTemp("", "svcctl-*") // only the user can look into it
	if err != nil {
		return "", nil, fmt.Errorf("make a file to edit: %w", err)
	}
	path := filepath.Join(dir, filepath.Base(name))
	if err := os.WriteFile(path, text, 0o600); err != nil {
		return "", nil, fmt.Errorf("make a file to edit: %w", err)
	}
	cmd := exec.CommandContext(ctx, words[0], append(words[1:], path)...)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = a.IO.In, a.IO.Out, a.IO.Err
	if err := cmd.Run(); err != nil {
		return "", nil, &kit.Failure{Exit: kit.ExitOther, Code: "editor", Message: words[0] + ": " + err.Error(), Hint: "the text is in " + path + "; SVC_EDITOR names another editor"}
	}
	after, err := os.ReadFile(path)
	if err != nil {
		return "", nil, fmt.Errorf("read the edited file: %w", err)
	}
	return path, after, nil
}

// EditFile has a new post written in the editor.
func EditFile(ctx context.Context, a *kit.App, f *postfile.File, name string) (*postfile.File, error) {
	before, err := f.Bytes()
	if err != nil {
		return nil, err
	}
	path, after, err := EditText(ctx, a, before, name+".md")
	if err != nil {
		return nil, err
	}
	if bytes.Equal(before, after) {
		return nil, &kit.Failure{Exit: kit.ExitCancelled, Code: "cancelled", Message: "nothing was written, so nothing was created"}
	}
	edited, err := postfile.Parse(path, after)
	if err != nil {
		return nil, &kit.Failure{Exit: kit.ExitInvalid, Code: "invalid_file", Message: err.Error(), Hint: "your text is kept in " + path}
	}
	return edited, nil
}

// argument names a text in usages: POST, ARTICLE.
func argument(kind string) string {
	words := strings.Fields(kind)
	return strings.ToUpper(words[len(words)-1])
}
