package cli

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"

	"edgesvc.dev/svc/cli/internal/postfile"
	"edgesvc.dev/svc/cli/internal/postsync"
	"edgesvc.dev/svc/sdk"
	"edgesvc.dev/svc/sdk/api"
	"github.com/aymanbagabas/go-udiff"
	"github.com/spf13/cobra"
)

type postEdit struct {
	app   *app
	html  bool
	find  func(ctx context.Context, c *sdk.Client, ref string) (*api.Post, error)
	texts func(*sdk.Client) postsync.Texts
}

func newPostEdit(a *app) *cobra.Command { return newEdit(editPosts(a), "edit POST", "post") }

// editPosts is what edits the posts of a team.
func editPosts(a *app) *postEdit {
	return &postEdit{app: a, find: findPost, texts: func(c *sdk.Client) postsync.Texts { return c.Posts }}
}

// newEdit is the command edit of a group.
func newEdit(o *postEdit, use, noun string) *cobra.Command {
	cmd := &cobra.Command{
		Use: use, Short: "Edit a " + noun + " as Markdown in your editor", Args: exactly("a " + noun + ": its id, slug or address"),
		Long: "Opens the " + noun + " with its front matter in SVC_EDITOR, VISUAL, EDITOR or vi, and saves what you changed.\n" +
			"Changes that someone else made meanwhile are merged; where both changed the same lines, nothing is\n" +
			"saved, and your text is kept in a file beside theirs.",
		RunE: func(cmd *cobra.Command, args []string) error { return o.run(cmd.Context(), args[0]) },
	}
	cmd.Flags().BoolVar(&o.html, "html", false, "edit the HTML as it is stored")
	return cmd
}

func (o *postEdit) run(ctx context.Context, ref string) error {
	c, err := o.app.client()
	if err != nil {
		return err
	}
	base, err := o.find(ctx, c, ref)
	if err != nil {
		return err
	}
	if !o.html && postfile.Lossy(base.Content) {
		o.app.io.Say("note: this text has HTML that Markdown cannot hold, and saving its text would lose it; --html edits it as it is")
	}
	before, err := fileText(base, o.html)
	if err != nil {
		return err
	}
	path, after, err := o.app.editText(ctx, before, base.Slug+o.extension())
	if err != nil {
		return err
	}
	if bytes.Equal(before, after) {
		o.app.io.Say("nothing was changed")
		return os.Remove(path)
	}
	saved, err := o.save(ctx, c, base, before, after)
	if err != nil {
		return o.keep(ctx, err, path)
	}
	o.app.io.Say("saved %s (version %d)", saved.Slug, saved.Version)
	return os.Remove(path)
}

func (o *postEdit) extension() string {
	if o.html {
		return ".html"
	}
	return ".md"
}

// fileText is a post as the editor shows it.
func fileText(p *api.Post, html bool) ([]byte, error) {
	f, err := postfile.FromPost(p, html)
	if err != nil {
		return nil, err
	}
	return f.Bytes()
}

// save sends what differs between before and after. When the post has changed
// meanwhile, it merges and tries once more.
func (o *postEdit) save(ctx context.Context, c *sdk.Client, base *api.Post, before, after []byte) (*api.Post, error) {
	saved, err := o.send(ctx, c, base, before, after)
	if e, ok := errors.AsType[*api.Error](err); !ok || e.Code != api.CodeVersionConflict {
		return saved, err
	}
	theirs, err := o.texts(c).Source(ctx, base.ID)
	if err != nil {
		return nil, err
	}
	theirText, err := fileText(theirs, o.html)
	if err != nil {
		return nil, err
	}
	merged, ok := merge(string(before), string(after), string(theirText))
	if !ok {
		return nil, &conflict{theirs: theirText}
	}
	o.app.io.Say("the post was changed meanwhile; your changes were merged with version %d", theirs.Version)
	return o.send(ctx, c, theirs, theirText, []byte(merged))
}

// send changes the members that differ between two texts of a post.
func (o *postEdit) send(ctx context.Context, c *sdk.Client, p *api.Post, before, after []byte) (*api.Post, error) {
	old, err := postfile.Parse("post"+o.extension(), before)
	if err != nil {
		return nil, err
	}
	f, err := postfile.Parse("post"+o.extension(), after)
	if err != nil {
		return nil, &failure{Exit: exitInvalid, Code: "invalid_file", Message: err.Error()}
	}
	if f.ID != p.ID {
		return nil, &failure{Exit: exitInvalid, Code: "invalid_file", Message: "the id in the front matter cannot be changed"}
	}
	var content *string
	if f.Body != old.Body {
		html, err := o.app.content(ctx, c, f, ".")
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
	return o.texts(c).Update(ctx, patch)
}

// merge applies both sides' line changes to the text that they began with.
func merge(base, mine, theirs string) (string, bool) {
	edits, ok := udiff.Merge(udiff.Lines(base, mine), udiff.Lines(base, theirs))
	if !ok {
		return "", false
	}
	merged, err := udiff.Apply(base, edits)
	return merged, err == nil
}

// conflict says that both sides changed the same lines.
type conflict struct{ theirs []byte }

func (*conflict) Error() string { return "both sides changed the same lines" }

// keep leaves the edited text where it is and says so.
func (o *postEdit) keep(ctx context.Context, err error, path string) error {
	c, ok := errors.AsType[*conflict](err)
	if !ok {
		f := *explain(ctx, err)
		f.Hint = "your text is kept in " + path
		return &f
	}
	theirs := path + ".theirs"
	if err := os.WriteFile(theirs, c.theirs, 0o600); err != nil {
		return fmt.Errorf("keep their text: %w", err)
	}
	return &failure{
		Exit: exitConflict, Code: "merge_conflict", Topic: "sync",
		Message: "someone else changed the same lines meanwhile; nothing was saved",
		Hint:    "your text is kept in " + path + ", theirs in " + theirs,
	}
}

// editText opens the editor on a text and returns the file and what it says
// afterwards. The file is the caller's to remove.
func (a *app) editText(ctx context.Context, text []byte, name string) (string, []byte, error) {
	s, err := a.load()
	if err != nil {
		return "", nil, err
	}
	words, err := splitWords(s.Editor)
	if err != nil || len(words) == 0 {
		return "", nil, usage("the editor %q cannot be run", s.Editor)
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
	cmd.Stdin, cmd.Stdout, cmd.Stderr = a.io.In, a.io.Out, a.io.Err
	if err := cmd.Run(); err != nil {
		return "", nil, &failure{Exit: exitOther, Code: "editor", Message: words[0] + ": " + err.Error(), Hint: "the text is in " + path + "; SVC_EDITOR names another editor"}
	}
	after, err := os.ReadFile(path)
	if err != nil {
		return "", nil, fmt.Errorf("read the edited file: %w", err)
	}
	return path, after, nil
}

// editFile has a new post written in the editor.
func (a *app) editFile(ctx context.Context, f *postfile.File, name string) (*postfile.File, error) {
	before, err := f.Bytes()
	if err != nil {
		return nil, err
	}
	path, after, err := a.editText(ctx, before, name+".md")
	if err != nil {
		return nil, err
	}
	if bytes.Equal(before, after) {
		return nil, &failure{Exit: exitCancelled, Code: "cancelled", Message: "nothing was written, so nothing was created"}
	}
	edited, err := postfile.Parse(path, after)
	if err != nil {
		return nil, &failure{Exit: exitInvalid, Code: "invalid_file", Message: err.Error(), Hint: "your text is kept in " + path}
	}
	return edited, nil
}
