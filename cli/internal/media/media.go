// Package media is svcctl media: the images of a team.
package media

import (
	"context"
	"fmt"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"

	"edgesvc.dev/svc/cli/internal/crud"
	"edgesvc.dev/svc/cli/internal/kit"
	"edgesvc.dev/svc/cli/internal/output"
	"edgesvc.dev/svc/sdk"
	"edgesvc.dev/svc/sdk/api"
)

var view = output.View[api.Media]{
	ID: func(m *api.Media) string { return m.ID },
	Columns: []output.Column[api.Media]{
		{Name: "id", Value: func(m *api.Media) string { return m.ID }},
		{Name: "name", Value: func(m *api.Media) string { return m.Name }, Flex: true},
		{Name: "type", Value: func(m *api.Media) string { return m.MIME }},
		{Name: "size", Value: func(m *api.Media) string { return fmt.Sprintf("%d kB", (m.Size+999)/1000) }},
		{Name: "url", Value: func(m *api.Media) string { return m.URL }, Flex: true},
		kit.Wide(kit.When("age", func(m *api.Media) api.Time { return m.CreatedAt })),
		{Name: "alt", Value: func(m *api.Media) string { return m.Alt }, Wide: true, Flex: true},
	},
}

// New is the command media.
func New(a *kit.App) *cobra.Command {
	return kit.Group("media", "Images", nil, newUpload(a), newList(a), newGet(a), newDelete(a))
}

type upload struct {
	app   *kit.App
	write kit.WriteFlags
	alt   string
	name  string
}

func newUpload(a *kit.App) *cobra.Command {
	o := &upload{app: a}
	cmd := &cobra.Command{
		Use: "upload FILE...", Short: "Upload images; - reads standard input", Args: kit.AtLeast("a file"),
		RunE: func(cmd *cobra.Command, args []string) error { return o.run(cmd.Context(), args) },
	}
	cmd.Flags().StringVar(&o.alt, "alt", "", "what the image shows, for those who do not see it")
	cmd.Flags().StringVar(&o.name, "name", "", "name to keep; the file's own unless set")
	o.write.Add(cmd)
	return cmd
}

func (o *upload) run(ctx context.Context, files []string) error {
	c, err := o.app.Writer(o.write)
	if err != nil {
		return err
	}
	var uploaded []api.Media
	for _, file := range files {
		m, err := o.upload(ctx, c, file)
		if err != nil {
			return err
		}
		uploaded = append(uploaded, *m)
	}
	return kit.ShowList(o.app, kit.ListFlags{All: true}, view, kit.List(uploaded))
}

func (o *upload) upload(ctx context.Context, c *sdk.Client, file string) (*api.Media, error) {
	in := sdk.MediaUpload{Name: o.name, Alt: o.alt}
	body := o.app.IO.In
	if file != "-" {
		f, err := os.Open(file)
		if err != nil {
			return nil, kit.Usage("%v", err)
		}
		defer f.Close()
		body = f
		if in.Name == "" {
			in.Name = filepath.Base(file)
		}
	}
	in.Body = body
	return c.Media.Upload(ctx, in, o.write.Options()...)
}

func newList(a *kit.App) *cobra.Command {
	list := crud.Lister[api.Media, api.MediaQuery]{
		Path: "media", Plural: "images, newest first", View: view,
		Connect: crud.Keyed(func(c *sdk.Client) crud.Pages[api.Media, api.MediaQuery] { return c.Media.List }),
	}
	return list.New(a)
}

func newGet(a *kit.App) *cobra.Command {
	return &cobra.Command{
		Use: "get ID", Short: "Show an image's record", Args: kit.Exactly("the image's id"),
		RunE: func(cmd *cobra.Command, args []string) error {
			c, err := a.Client()
			if err != nil {
				return err
			}
			m, err := c.Media.Get(cmd.Context(), args[0])
			if err != nil {
				return err
			}
			return kit.ShowOne(a, view, m)
		},
	}
}

func newDelete(a *kit.App) *cobra.Command {
	var w kit.WriteFlags
	cmd := &cobra.Command{
		Use: "delete ID", Short: "Delete an image for good", Aliases: []string{"rm"}, Args: kit.Exactly("the image's id"),
		RunE: func(cmd *cobra.Command, args []string) error {
			c, err := a.Writer(w)
			if err != nil {
				return err
			}
			if !w.DryRun {
				if err := a.Confirm("deleting "+args[0], args[0]); err != nil {
					return err
				}
			}
			if err := c.Media.Delete(cmd.Context(), api.Ref{ID: args[0]}, w.Options()...); err != nil {
				return err
			}
			a.IO.Say("deleted %s", args[0])
			return nil
		},
	}
	w.Add(cmd)
	return cmd
}
