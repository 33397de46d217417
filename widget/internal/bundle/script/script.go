// Package script makes the widget's script of its sources. The daemon does not
// link it: it embeds what go generate wrote.
package script

import (
	"crypto/sha512"
	"encoding/hex"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/evanw/esbuild/pkg/api"
)

// Bundle returns the script of the sources in dir, minified for browsers of the
// last four years, and the panel's style sheet, which the script knows by Name.
func Bundle(dir string) (code, panel []byte, err error) {
	if dir, err = filepath.Abs(dir); err != nil {
		return nil, nil, err
	}
	style, err := minify(filepath.Join(dir, "panel.css"))
	if err != nil {
		return nil, nil, err
	}
	panel = []byte(style)
	result := api.Build(api.BuildOptions{
		EntryPoints: []string{filepath.Join(dir, "index.ts")}, AbsWorkingDir: dir,
		Bundle: true, Format: api.FormatIIFE, Charset: api.CharsetUTF8,
		MinifyWhitespace: true, MinifyIdentifiers: true, MinifySyntax: true,
		Engines: []api.Engine{{Name: api.EngineChrome, Version: "105"}, {Name: api.EngineFirefox, Version: "121"}, {Name: api.EngineSafari, Version: "16.4"}},
		// Names of ours alone, which neither browsers nor frames know.
		MangleProps: `^(element|grow|follow|isOpen|attach|dispose|gate|pass|banner|allow|rate|own|fresh|who|limit|status|color|translate|alert|log|clear)$`,
		Plugins:     []api.Plugin{styles}, Define: map[string]string{"PANEL": strconv.Quote("/widget/" + Name(panel) + ".css")},
	})
	if len(result.Errors) > 0 {
		return nil, nil, problems(result.Errors)
	}
	if len(result.OutputFiles) != 1 {
		return nil, nil, fmt.Errorf("bundle the widget: %d files came out", len(result.OutputFiles))
	}
	return result.OutputFiles[0].Contents, panel, nil
}

// Name is what a file is called for as long as it has these bytes.
func Name(body []byte) string {
	sum := sha512.Sum384(body)
	return hex.EncodeToString(sum[:10])
}

// styles makes a minified string of an imported style sheet.
var styles = api.Plugin{Name: "styles", Setup: func(b api.PluginBuild) {
	b.OnLoad(api.OnLoadOptions{Filter: `\.css$`}, func(a api.OnLoadArgs) (api.OnLoadResult, error) {
		css, err := minify(a.Path)
		return api.OnLoadResult{Contents: &css, Loader: api.LoaderText}, err
	})
}}

func minify(path string) (string, error) {
	source, err := os.ReadFile(path)
	if err != nil {
		return "", err
	}
	out := api.Transform(string(source), api.TransformOptions{Loader: api.LoaderCSS, MinifyWhitespace: true, MinifySyntax: true})
	if len(out.Errors) > 0 {
		return "", problems(out.Errors)
	}
	return strings.TrimSpace(string(out.Code)), nil
}

func problems(messages []api.Message) error {
	var all []error
	for _, m := range api.FormatMessages(messages, api.FormatMessagesOptions{Kind: api.ErrorMessage}) {
		all = append(all, errors.New(m))
	}
	return errors.Join(all...)
}
