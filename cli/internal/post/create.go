package post

import (
	"context"

	"github.com/spf13/cobra"

	"edgesvc.dev/svc/cli/internal/kit"
	"edgesvc.dev/svc/cli/internal/postfile"
	"edgesvc.dev/svc/cli/internal/writing"
	"edgesvc.dev/svc/sdk/api"
)

type create struct {
	app     *kit.App
	fields  writing.Fields
	write   kit.WriteFlags
	publish bool
	edit    bool
}

func newCreate(a *kit.App) *cobra.Command {
	o := &create{app: a}
	cmd := &cobra.Command{
		Use: "create [FILE|-]", Short: "Create a post from a file, standard input or flags", Aliases: []string{"new"}, Args: kit.AtMostOne,
		Example: "  svcctl post create hello.md --publish\n" +
			"  svcctl post create --title Hello --content '<p>Hello</p>' --tag go,edge\n" +
			"  echo '# Hello' | svcctl post create -",
		RunE: func(cmd *cobra.Command, args []string) error { return o.run(cmd.Context(), args) },
	}
	o.fields.Add(cmd)
	o.write.Add(cmd)
	cmd.Flags().BoolVar(&o.publish, "publish", false, "publish it at once")
	cmd.Flags().BoolVar(&o.edit, "edit", false, "write it in the editor first")
	return cmd
}

func (o *create) run(ctx context.Context, args []string) error {
	f, dir, err := o.file(args)
	if err != nil {
		return err
	}
	if o.publish {
		o.fields.Status = api.PostPublished
	}
	o.fields.Apply(f)
	if err := f.Check(); err != nil {
		return kit.Usage("%v", err)
	}
	if o.edit {
		if f, err = writing.EditFile(ctx, o.app, f, "new-post"); err != nil {
			return err
		}
	}
	if f.Title == "" {
		return &kit.Failure{Exit: kit.ExitUsage, Code: "usage", Message: "a post needs a title", Hint: "--title, or a first heading in the file"}
	}
	c, err := o.app.Writer(o.write)
	if err != nil {
		return err
	}
	content, err := writing.Content(ctx, o.app, c, f, dir)
	if err != nil {
		return err
	}
	if content == "" {
		return &kit.Failure{Exit: kit.ExitUsage, Code: "usage", Message: "a post needs content", Hint: "svcctl post generate writes it with a model"}
	}
	in, err := f.Create(content)
	if err != nil {
		return err
	}
	p, err := c.Posts.Create(ctx, in, o.write.Options()...)
	if err != nil {
		return err
	}
	o.app.IO.Say("created %s (%s, %s)", p.Slug, p.ID, p.Status)
	writing.SayHeld(o.app, p)
	return texts.Result(o.app, p)
}

// file is what the arguments name, or an empty one to be written in the editor.
func (o *create) file(args []string) (*postfile.File, string, error) {
	if len(args) == 0 && o.fields.Content == "" && o.edit {
		return &postfile.File{Front: postfile.Front{Title: o.fields.Title}, Body: "\n"}, "", nil
	}
	f, dir, err := o.fields.File(o.app, args)
	if f == nil && err == nil {
		err = &kit.Failure{Exit: kit.ExitUsage, Code: "usage", Message: "there is nothing to create a post from", Hint: "svcctl post create FILE.md, or --title and --content, or --edit"}
	}
	return f, dir, err
}

type update struct {
	app    *kit.App
	fields writing.Fields
	write  kit.WriteFlags
}

func newUpdate(a *kit.App) *cobra.Command {
	o := &update{app: a, write: kit.WriteFlags{Versioned: true}}
	cmd := &cobra.Command{
		Use: "update POST", Short: "Change some of a post", Aliases: []string{"patch"}, Args: kit.Exactly(aPost),
		Example: "  svcctl post update why-go --title 'Why Go, again' --if-match 7\n  svcctl post update why-go --content @why-go.md",
		RunE:    func(cmd *cobra.Command, args []string) error { return o.run(cmd.Context(), args[0]) },
	}
	o.fields.Add(cmd)
	o.write.Add(cmd)
	cmd.Flags().StringVar(&o.fields.Status, "status", "", "draft, published or archived")
	a.CompleteFirst(cmd, texts.Slugs)
	return cmd
}

func (o *update) run(ctx context.Context, ref string) error {
	version, err := o.write.Version()
	if err != nil {
		return err
	}
	if !o.fields.Any() {
		return &kit.Failure{Exit: kit.ExitUsage, Code: "usage", Message: "say what to change", Hint: "svcctl post update " + ref + " --title, --content, --tag …; svcctl post edit " + ref}
	}
	c, p, err := texts.Open(ctx, o.app, o.write, ref)
	if err != nil {
		return err
	}
	f, content, err := o.fields.Patched(ctx, o.app, c)
	if err != nil {
		return err
	}
	patch, changes, err := f.Patch(p, content)
	if err != nil {
		return err
	}
	if len(changes) == 0 {
		o.app.IO.Say("%s says so already", p.Slug)
		return texts.Result(o.app, p)
	}
	patch.IfMatch = version
	changed, err := c.Posts.Update(ctx, patch, o.write.Options()...)
	if err != nil {
		return err
	}
	o.app.IO.Say("changed %s (version %d)", changed.Slug, changed.Version)
	writing.SayHeld(o.app, changed)
	return texts.Result(o.app, changed)
}
