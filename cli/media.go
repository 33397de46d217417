package cli

import (
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"edgesvc.dev/svc/cli/internal/output"
	"edgesvc.dev/svc/sdk"
	"edgesvc.dev/svc/sdk/api"
	"github.com/spf13/cobra"
)

var mediaView = output.View[api.Media]{
	ID: func(m *api.Media) string { return m.ID },
	Columns: []output.Column[api.Media]{
		{Name: "id", Value: func(m *api.Media) string { return m.ID }},
		{Name: "name", Value: func(m *api.Media) string { return m.Name }, Flex: true},
		{Name: "type", Value: func(m *api.Media) string { return m.MIME }},
		{Name: "size", Value: func(m *api.Media) string { return fmt.Sprintf("%d kB", (m.Size+999)/1000) }},
		{Name: "url", Value: func(m *api.Media) string { return m.URL }, Flex: true},
		wide(when("age", func(m *api.Media) api.Time { return m.CreatedAt })),
		{Name: "alt", Value: func(m *api.Media) string { return m.Alt }, Wide: true, Flex: true},
	},
}

func newMedia(a *app) *cobra.Command {
	return group("media", "Images", nil, newMediaUpload(a), newMediaList(a), newMediaGet(a), newMediaDelete(a))
}

type mediaUpload struct {
	app   *app
	write writeFlags
	alt   string
	name  string
}

func newMediaUpload(a *app) *cobra.Command {
	o := &mediaUpload{app: a}
	cmd := &cobra.Command{
		Use: "upload FILE...", Short: "Upload images; - reads standard input", Args: atLeast("a file"),
		RunE: func(cmd *cobra.Command, args []string) error { return o.run(cmd.Context(), args) },
	}
	cmd.Flags().StringVar(&o.alt, "alt", "", "what the image shows, for those who do not see it")
	cmd.Flags().StringVar(&o.name, "name", "", "name to keep; the file's own unless set")
	o.write.add(cmd)
	return cmd
}

func (o *mediaUpload) run(ctx context.Context, files []string) error {
	c, err := o.app.writer(o.write)
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
	return showList(o.app, listFlags{all: true}, mediaView, list(uploaded))
}

func (o *mediaUpload) upload(ctx context.Context, c *sdk.Client, file string) (*api.Media, error) {
	in := sdk.MediaUpload{Name: o.name, Alt: o.alt}
	var body io.Reader = o.app.io.In
	if file != "-" {
		f, err := os.Open(file)
		if err != nil {
			return nil, usage("%v", err)
		}
		defer f.Close()
		body = f
		if in.Name == "" {
			in.Name = filepath.Base(file)
		}
	}
	in.Body = body
	return c.Media.Upload(ctx, in, o.write.options()...)
}

func newMediaList(a *app) *cobra.Command {
	var l listFlags
	cmd := &cobra.Command{
		Use: "list", Short: "List images", Aliases: []string{"ls"}, Args: exactly(),
		RunE: func(cmd *cobra.Command, _ []string) error {
			c, err := a.client()
			if err != nil {
				return err
			}
			return showList(a, l, mediaView, c.Media.All(cmd.Context(), api.MediaQuery{PageQuery: l.page()}))
		},
	}
	l.add(cmd)
	return cmd
}

func newMediaGet(a *app) *cobra.Command {
	return &cobra.Command{
		Use: "get ID", Short: "Show an image's record", Args: exactly("the image's id"),
		RunE: func(cmd *cobra.Command, args []string) error {
			c, err := a.client()
			if err != nil {
				return err
			}
			m, err := c.Media.Get(cmd.Context(), args[0])
			if err != nil {
				return err
			}
			return showOne(a, mediaView, m)
		},
	}
}

func newMediaDelete(a *app) *cobra.Command {
	var w writeFlags
	cmd := &cobra.Command{
		Use: "delete ID", Short: "Delete an image for good", Aliases: []string{"rm"}, Args: exactly("the image's id"),
		RunE: func(cmd *cobra.Command, args []string) error {
			c, err := a.writer(w)
			if err != nil {
				return err
			}
			if err := a.confirm("deleting "+args[0], args[0]); err != nil {
				return err
			}
			if err := c.Media.Delete(cmd.Context(), args[0], w.options()...); err != nil {
				return err
			}
			a.io.Say("deleted %s", args[0])
			return nil
		},
	}
	w.add(cmd)
	return cmd
}
