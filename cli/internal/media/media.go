// Package media is svcctl media: the images of a team.
package media

import (
	"context"
	"fmt"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"

	"edgesvc.dev/svc/cli/internal/browse"
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

var list = crud.Lister[api.Media, api.MediaQuery]{
	Path: "media", Plural: "images, newest first", View: view,
	Connect: crud.Keyed(func(c *sdk.Client) crud.Pages[api.Media, api.MediaQuery] { return c.Media.List }),
}

// New is the command media.
func New(a *kit.App) *cobra.Command {
	one := crud.ByID[api.Media]{Path: "media", Kind: "image", Example: "med_01j…", Connect: (*kit.App).Client, View: view, Names: list.Names}
	return kit.Group("media", "Images", nil, newUpload(a), list.New(a),
		one.NewGet(a, func(ctx context.Context, c *sdk.Client, id string) (*api.Media, error) { return c.Media.Get(ctx, id) }),
		one.NewEnd(a, crud.Ending{Verb: "delete", Done: "deleted", Short: "Delete an image for good"}, remove))
}

func remove(ctx context.Context, c *sdk.Client, ref api.Ref, options ...sdk.CallOption) error {
	return c.Media.Delete(ctx, ref, options...)
}

// Browse is the images for a screen.
func Browse(a *kit.App) browse.Noun {
	return list.Browse(a, crud.Screen[api.Media]{Changed: "media.", Label: func(m *api.Media) string { return m.Name }, Verbs: []browse.Verb{{
		Key: "D", Name: "delete", Doc: "Delete an image for good", Typed: true,
		Do: func(ctx context.Context, row *browse.Row) (string, error) {
			c, err := a.Client()
			if err != nil {
				return "", err
			}
			return "deleted " + row.Label, remove(ctx, c, api.Ref{ID: row.ID})
		},
	}}})
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
		Example: "  svcctl media upload cover.png --alt 'A gopher on a bridge'",
		RunE:    func(cmd *cobra.Command, args []string) error { return o.run(cmd.Context(), args) },
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
