package widget

import (
	"embed"
	"path"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"edgesvc.dev/svc/sdk/color"
)

//go:embed lang/*.json
var languageFiles embed.FS

// languages are the words of the widget by language tag.
type languages map[string]jsontext.Value

func readLanguages() languages {
	files, err := languageFiles.ReadDir("lang")
	if err != nil {
		panic(err) // they are part of the program
	}
	all := languages{}
	for _, f := range files {
		b, err := languageFiles.ReadFile(path.Join("lang", f.Name()))
		if err != nil {
			panic(err)
		}
		words := jsontext.Value(b)
		if err := words.Compact(); err != nil {
			panic(f.Name() + ": " + err.Error())
		}
		all[strings.TrimSuffix(f.Name(), ".json")] = words
	}
	return all
}

// speak returns the first of the wanted languages (RFC 5646) that there is, and
// English otherwise.
func (l languages) speak(wanted ...string) (tag string, words jsontext.Value) {
	for _, w := range wanted {
		if w == "" {
			continue
		}
		tag, _, _ := strings.Cut(strings.ToLower(strings.ReplaceAll(w, "_", "-")), "-")
		if words, ok := l[tag]; ok {
			return tag, words
		}
	}
	return "en", l["en"]
}

// The grounds that links stand on, by day and by night, as in style.css.
var (
	lightGround = color.RGB{0xf4, 0xf5, 0xf7}
	darkGround  = color.RGB{0x26, 0x28, 0x2e}
	defaultTint = color.RGB{0x25, 0x63, 0xeb}
)

// palette makes a site's colour readable: the colour of surfaces, of the text on
// them, of links by day and of links by night.
func palette(hex string) [4]string {
	c, ok := color.Parse(hex)
	if !ok {
		c = defaultTint
	}
	return [4]string{c.String(), c.Ink().String(), c.Towards(color.Black, lightGround).String(), c.Towards(color.White, darkGround).String()}
}
