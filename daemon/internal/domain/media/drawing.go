package media

import (
	"bytes"
	"encoding/xml"
	"image"
	"strconv"
	"strings"
)

// mimeSVG is the type of drawings. They may hold scripts, which run nowhere: who
// serves them sends a policy that allows none, and pages show them as pictures
// only.
const mimeSVG = "image/svg+xml"

// maxProlog is how far into a file its root element may begin.
const maxProlog = 64 << 10

// drawing reports whether data is SVG, and its size where the root element says
// it in pixels. A document that defines entities is refused: they can make much
// of little.
func drawing(data []byte) (size image.Point, ok bool) {
	d := xml.NewDecoder(bytes.NewReader(data[:min(len(data), maxProlog)]))
	for {
		token, err := d.RawToken()
		if err != nil {
			return size, false
		}
		switch t := token.(type) {
		case xml.Directive:
			if bytes.IndexByte(t, '[') >= 0 {
				return size, false
			}
		case xml.CharData:
			if len(bytes.Trim(bytes.TrimPrefix(t, []byte("\ufeff")), " \t\r\n")) > 0 {
				return size, false
			}
		case xml.StartElement:
			return sizeOf(t), isSVG(t)
		}
	}
}

// isSVG reports the root element of a drawing: browsers show none without its
// namespace.
func isSVG(root xml.StartElement) bool {
	prefix := xml.Name{Local: "xmlns"}
	if root.Name.Space != "" {
		prefix = xml.Name{Space: "xmlns", Local: root.Name.Space}
	}
	return root.Name.Local == "svg" && attribute(root, prefix) == "http://www.w3.org/2000/svg"
}

func sizeOf(root xml.StartElement) image.Point {
	width, height := pixels(attribute(root, xml.Name{Local: "width"})), pixels(attribute(root, xml.Name{Local: "height"}))
	if box := strings.FieldsFunc(attribute(root, xml.Name{Local: "viewBox"}), func(r rune) bool { return r == ' ' || r == ',' }); len(box) == 4 && (width == 0 || height == 0) {
		width, height = pixels(box[2]), pixels(box[3])
	}
	if width == 0 || height == 0 {
		return image.Point{}
	}
	return image.Pt(width, height)
}

func attribute(e xml.StartElement, name xml.Name) string {
	for _, a := range e.Attr {
		if a.Name == name {
			return a.Value
		}
	}
	return ""
}

// pixels reads a length, 0 for one in other units.
func pixels(s string) int {
	n, err := strconv.ParseFloat(strings.TrimSuffix(strings.TrimSpace(s), "px"), 64)
	if err != nil || n < 1 || n > maxSide {
		return 0
	}
	return int(n + 0.5)
}
