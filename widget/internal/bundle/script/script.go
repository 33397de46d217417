// Package script makes the widget's script of its sources. The daemon does not
// link it: it embeds what go generate wrote.
package script

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/evanw/esbuild/pkg/api"
)

// Bundle returns the script of the sources in dir, minified for browsers of the
// last four years.
func Bundle(dir string) ([]byte, error) {
	dir, err := filepath.Abs(dir)
	if err != nil {
		return nil, err
	}
	result := api.Build(api.BuildOptions{
		EntryPoints: []string{filepath.Join(dir, "index.ts")}, AbsWorkingDir: dir,
		Bundle: true, Format: api.FormatIIFE, Charset: api.CharsetUTF8,
		MinifyWhitespace: true, MinifyIdentifiers: true, MinifySyntax: true,
		Engines: []api.Engine{{Name: api.EngineChrome, Version: "105"}, {Name: api.EngineFirefox, Version: "121"}, {Name: api.EngineSafari, Version: "16.4"}},
		Plugins: []api.Plugin{styles},
	})
	if len(result.Errors) > 0 {
		return nil, problems(result.Errors)
	}
	if len(result.OutputFiles) != 1 {
		return nil, fmt.Errorf("bundle the widget: %d files came out", len(result.OutputFiles))
	}
	return result.OutputFiles[0].Contents, nil
}

// styles makes a minified string of an imported style sheet.
var styles = api.Plugin{Name: "styles", Setup: func(b api.PluginBuild) {
	b.OnLoad(api.OnLoadOptions{Filter: `\.css$`}, func(a api.OnLoadArgs) (api.OnLoadResult, error) {
		source, err := os.ReadFile(a.Path)
		if err != nil {
			return api.OnLoadResult{}, err
		}
		out := api.Transform(string(source), api.TransformOptions{Loader: api.LoaderCSS, MinifyWhitespace: true, MinifySyntax: true})
		if len(out.Errors) > 0 {
			return api.OnLoadResult{}, problems(out.Errors)
		}
		css := string(out.Code)
		return api.OnLoadResult{Contents: &css, Loader: api.LoaderText}, nil
	})
}}

func problems(messages []api.Message) error {
	var all []error
	for _, m := range api.FormatMessages(messages, api.FormatMessagesOptions{Kind: api.ErrorMessage}) {
		all = append(all, errors.New(m))
	}
	return errors.Join(all...)
}
