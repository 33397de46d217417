package media

import (
	"bytes"
	"image"
	"image/gif"
	"image/jpeg"
	"image/png"
	"io"
	"net/http"

	"golang.org/x/image/webp"

	"edgesvc.dev/svc/sdk/api"
)

// A picture of more pixels could be small to send and still exhaust whoever
// shows it.
const (
	maxSide   = 16_384
	maxPixels = 50_000_000
)

var extensions = map[string]string{"image/png": "png", "image/jpeg": "jpg", "image/gif": "gif", "image/webp": "webp", mimeSVG: "svg"}

// headers read the size of a picture from its first bytes.
var headers = map[string]func(io.Reader) (image.Config, error){
	"image/png": png.DecodeConfig, "image/jpeg": jpeg.DecodeConfig,
	"image/gif": gif.DecodeConfig, "image/webp": webp.DecodeConfig,
}

// sniff tells type and size of a picture from its bytes; what the client called
// it does not count.
func sniff(data []byte) (mime string, size image.Point, err error) {
	mime = http.DetectContentType(data)
	header := headers[mime]
	if header == nil {
		if size, ok := drawing(data); ok {
			return mimeSVG, size, nil
		}
		return "", size, api.NewError(http.StatusUnsupportedMediaType, api.CodeUnsupportedMediaType,
			"Only PNG, JPEG, GIF, WebP and SVG pictures are stored.")
	}
	c, err := header(bytes.NewReader(data))
	if err != nil || c.Width < 1 || c.Height < 1 {
		return "", size, api.NewError(http.StatusUnsupportedMediaType, api.CodeUnsupportedMediaType,
			"The file starts like %s but cannot be read as one.", mime)
	}
	if c.Width > maxSide || c.Height > maxSide || c.Width*c.Height > maxPixels {
		return "", size, api.NewError(http.StatusUnprocessableEntity, api.CodeValidationFailed,
			"The picture has %d × %d pixels; at most %d a side and %d in all are stored.", c.Width, c.Height, maxSide, maxPixels)
	}
	return mime, image.Pt(c.Width, c.Height), nil
}
