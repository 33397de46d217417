package public

import (
	"fmt"
	"strings"

	"edgesvc.dev/svc/sdk/color"
)

// What the accent colour of a team is on, as in style.css.
var (
	lightGrounds = []color.RGB{{0xfd, 0xfc, 0xfa}, {0xf4, 0xf0, 0xe9}}
	darkGrounds  = []color.RGB{{0x17, 0x15, 0x13}, {0x22, 0x1f, 0x1b}}
)

// A team's colour is in the names of its files, rrggbb after the kind: the policy
// of the pages allows no style in them, and a file that its name describes may be
// kept for ever.
const (
	tintKind = "tint-"
	iconKind = "icon-"
)

// Tint is the path of the stylesheet that sets the accent colour, "" where hex is
// no colour.
func (a assets) Tint(hex string) string { return a.tintPath(tintKind, hex, ".css") }

// TintedIcon is the path of the icon in that colour, or in the pages' own.
func (a assets) TintedIcon(hex string) string {
	if path := a.tintPath(iconKind, hex, ".svg"); path != "" {
		return path
	}
	return a.Icon.Path()
}

func (a assets) tintPath(kind, hex, ext string) string {
	c, ok := color.Parse(hex)
	if !ok {
		return ""
	}
	return "/assets/" + kind + strings.TrimPrefix(c.String(), "#") + "." + a.version + ext
}

// tinted makes the file of that name.
func (a assets) tinted(name string) (asset, bool) {
	for kind, ext := range map[string]string{tintKind: ".css", iconKind: ".svg"} {
		rest, ok := strings.CutPrefix(name, kind)
		hex, suffix, _ := strings.Cut(rest, ".")
		c, known := color.Parse("#" + hex)
		if !ok || !known || suffix != a.version+ext {
			continue
		}
		if kind == iconKind {
			return asset{name: name, contentType: a.Icon.contentType, data: tintedIcon(a.Icon.data, c)}, true
		}
		return asset{name: name, contentType: a.CSS.contentType, data: tint(c)}, true
	}
	return asset{}, false
}

// tint is the accent by day and by night, each dark or light enough to be read.
func tint(c color.RGB) []byte {
	return fmt.Appendf(nil, ":root{--accent:%s}@media(prefers-color-scheme:dark){:root{--accent:%s}}\n",
		c.Towards(color.Black, lightGrounds...), c.Towards(color.White, darkGrounds...))
}

// tintedIcon is the icon with another ground, and lines that can be seen on it.
func tintedIcon(icon []byte, c color.RGB) []byte {
	return []byte(strings.NewReplacer("#8f3d14", c.String(), "#fff", c.Ink().String()).Replace(string(icon)))
}
