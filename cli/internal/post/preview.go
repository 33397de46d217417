package post

import (
	"fmt"
	"html"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"edgesvc.dev/svc/cli/internal/kit"
	"edgesvc.dev/svc/cli/internal/postfile"
	"edgesvc.dev/svc/cli/internal/writing"
)

type preview struct {
	app  *kit.App
	open bool
}

func newPreview(a *kit.App) *cobra.Command {
	o := &preview{app: a}
	cmd := &cobra.Command{
		Use: "preview FILE", Short: "Show a file as the HTML that would be sent", Args: kit.Exactly("a file, or - for standard input"),
		Example: "  svcctl post preview hello.md | less",
		RunE:    func(_ *cobra.Command, args []string) error { return o.run(args[0]) },
	}
	cmd.Flags().BoolVar(&o.open, "open", false, "open it in the browser")
	return cmd
}

func (o *preview) run(name string) error {
	f, dir, err := writing.ReadFile(o.app, name, false)
	if err != nil {
		return err
	}
	abs, err := filepath.Abs(dir)
	if err != nil {
		return fmt.Errorf("find the file's folder: %w", err)
	}
	body, omitted, err := f.Render(func(path string) (string, error) {
		if o.open {
			return "file://" + filepath.ToSlash(filepath.Join(abs, path)), nil
		}
		return path, nil
	})
	if err != nil {
		return err
	}
	writing.NoteOmitted(o.app, "", omitted)
	if !o.open {
		return o.app.PrintText(body + "\n")
	}
	file, err := os.CreateTemp("", "svcctl-preview-*.html")
	if err != nil {
		return fmt.Errorf("write the preview: %w", err)
	}
	defer file.Close()
	if _, err := file.WriteString(previewPage(f, body)); err != nil {
		return fmt.Errorf("write the preview: %w", err)
	}
	return o.app.Open("file://" + filepath.ToSlash(file.Name()))
}

// previewPage is a page on which no script of the text can run.
func previewPage(f *postfile.File, body string) string {
	description := ""
	if f.Description != nil {
		description = "<p><em>" + html.EscapeString(*f.Description) + "</em></p>"
	}
	return strings.NewReplacer("{title}", html.EscapeString(f.Title), "{description}", description, "{body}", body).Replace(
		`<!doctype html><html><head><meta charset="utf-8"><title>{title}</title>
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; img-src file: https: data:; style-src 'unsafe-inline'">
<style>body{font:1.1rem/1.6 system-ui,sans-serif;max-width:42rem;margin:3rem auto;padding:0 1rem}img{max-width:100%}pre{overflow:auto}</style>
</head><body><h1>{title}</h1>{description}{body}</body></html>
`)
}
