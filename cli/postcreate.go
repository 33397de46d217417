package cli

import (
	"context"

	"edgesvc.dev/svc/cli/internal/postfile"
	"edgesvc.dev/svc/sdk/api"
	"github.com/spf13/cobra"
)

type postCreate struct {
	app     *app
	fields  postFields
	write   writeFlags
	publish bool
	edit    bool
}

func newPostCreate(a *app) *cobra.Command {
	o := &postCreate{app: a}
	cmd := &cobra.Command{
		Use: "create [FILE|-]", Short: "Create a post from a file, standard input or flags", Aliases: []string{"new"}, Args: atMostOne,
		Example: "  svcctl post create hello.md --publish\n" +
			"  svcctl post create --title Hello --content '<p>Hello</p>' --tag go,edge\n" +
			"  echo '# Hello' | svcctl post create -",
		RunE: func(cmd *cobra.Command, args []string) error { return o.run(cmd.Context(), args) },
	}
	o.fields.add(cmd)
	o.write.add(cmd)
	cmd.Flags().BoolVar(&o.publish, "publish", false, "publish it at once")
	cmd.Flags().BoolVar(&o.edit, "edit", false, "write it in the editor first")
	return cmd
}

func (o *postCreate) run(ctx context.Context, args []string) error {
	f, dir, err := o.file(args)
	if err != nil {
		return err
	}
	if o.publish {
		o.fields.status = api.PostPublished
	}
	o.fields.apply(f)
	if err := f.Check(); err != nil {
		return usage("%v", err)
	}
	if o.edit {
		if f, err = o.app.editFile(ctx, f, "new-post"); err != nil {
			return err
		}
	}
	if f.Title == "" {
		return &failure{Exit: exitUsage, Code: "usage", Message: "a post needs a title", Hint: "--title, or a first heading in the file"}
	}
	c, err := o.app.writer(o.write)
	if err != nil {
		return err
	}
	content, err := o.app.content(ctx, c, f, dir)
	if err != nil {
		return err
	}
	if content == "" {
		return &failure{Exit: exitUsage, Code: "usage", Message: "a post needs content", Hint: "svcctl post generate writes it with a model"}
	}
	in, err := f.Create(content)
	if err != nil {
		return err
	}
	p, err := c.Posts.Create(ctx, in, o.write.options()...)
	if err != nil {
		return err
	}
	o.app.io.Say("created %s (%s, %s)", p.Slug, p.ID, p.Status)
	return o.app.result(p)
}

// file is what the arguments name, or an empty one to be written in the editor.
func (o *postCreate) file(args []string) (*postfile.File, string, error) {
	if len(args) == 0 && o.fields.content == "" && o.edit {
		return &postfile.File{Front: postfile.Front{Title: o.fields.title}, Body: "\n"}, "", nil
	}
	f, dir, err := o.fields.file(o.app, args)
	if f == nil && err == nil {
		err = &failure{Exit: exitUsage, Code: "usage", Message: "there is nothing to create a post from", Hint: "svcctl post create FILE.md, or --title and --content, or --edit"}
	}
	return f, dir, err
}

// result prints a post that a command changed: its id where no format was
// asked for, so that it can be used in the next command.
func (a *app) result(p *api.Post) error {
	printer, err := a.printer()
	if err != nil {
		return err
	}
	if printer.Structured() || printer.Format != "" {
		return showOne(a, postView, p)
	}
	return a.printText(p.ID + "\n")
}

type postPatch struct {
	app     *app
	fields  postFields
	write   writeFlags
	ifMatch string
}

func newPostPatch(a *app) *cobra.Command {
	o := &postPatch{app: a}
	cmd := &cobra.Command{
		Use: "patch POST", Short: "Change some of a post", Aliases: []string{"update"}, Args: exactly("a post: its id, slug or address"),
		Example: "  svcctl post patch why-go --title 'Why Go, again' --if-match 7\n  svcctl post patch why-go --content @why-go.md",
		RunE:    func(cmd *cobra.Command, args []string) error { return o.run(cmd.Context(), args[0]) },
	}
	o.fields.add(cmd)
	o.write.add(cmd)
	cmd.Flags().StringVar(&o.ifMatch, "if-match", "", "only when the post has this version")
	cmd.Flags().StringVar(&o.fields.status, "status", "", "draft, published or archived")
	return cmd
}

func (o *postPatch) run(ctx context.Context, ref string) error {
	version, err := parseVersion(o.ifMatch)
	if err != nil {
		return err
	}
	if !o.fields.any() {
		return &failure{Exit: exitUsage, Code: "usage", Message: "say what to change", Hint: "svcctl post patch " + ref + " --title, --content, --tag …; svcctl post edit " + ref}
	}
	c, p, err := o.app.openPost(ctx, o.write, ref)
	if err != nil {
		return err
	}
	f, content := &postfile.File{}, (*string)(nil)
	if o.fields.content != "" {
		var dir string
		if f, dir, err = o.fields.contentFile(o.app); err != nil {
			return err
		}
		html, err := o.app.content(ctx, c, f, dir)
		if err != nil {
			return err
		}
		content = &html
		f.Slug, f.ID = "", "" // the argument names the post
	}
	o.fields.apply(f)
	if err := f.Check(); err != nil {
		return usage("%v", err)
	}
	patch, changes, err := f.Patch(p, content)
	if err != nil {
		return err
	}
	if len(changes) == 0 {
		o.app.io.Say("%s says so already", p.Slug)
		return o.app.result(p)
	}
	patch.IfMatch = version
	changed, err := c.Posts.Update(ctx, patch, o.write.options()...)
	if err != nil {
		return err
	}
	o.app.io.Say("changed %s (version %d)", changed.Slug, changed.Version)
	return o.app.result(changed)
}
