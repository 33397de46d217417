package daemon

import (
	"bytes"
	"context"
	"reflect"

	"github.com/valyala/fasthttp"

	"edgesvc.dev/svc/daemon/internal/domain/media"
	"edgesvc.dev/svc/daemon/internal/op"
	"edgesvc.dev/svc/daemon/internal/surface/rest"
	"edgesvc.dev/svc/sdk/api"
)

// uploadRoute takes a picture as the body of the request.
func (d *Daemon) uploadRoute() rest.Route {
	return rest.Route{
		Method: fasthttp.MethodPost, Path: "/media", Name: "media.upload",
		Scope: op.PostsWrite, Class: op.ClassWrite, Query: []string{"name", "alt"},
		Body: "image/*", Answer: "application/json", Output: reflect.TypeFor[api.Media](),
		Refuses: []api.Code{api.CodeUnsupportedMediaType, api.CodeValidationFailed, api.CodeQuotaExceeded},
		Doc:     "Stores a picture (PNG, JPEG, GIF, WebP or SVG, at most 10 MiB) sent as the body and answers with its address.",
		Change: func(ctx context.Context, who op.Caller, body []byte, param func(string) string) (any, error) {
			return d.media.Upload(ctx, who, media.File{Name: param("name"), Alt: param("alt"), Data: bytes.Clone(body)})
		},
	}
}
