package sdk

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"path"
	"strings"

	"edgesvc.dev/svc/sdk/api"
)

// maxMedia is what the daemon accepts at most.
const maxMedia = 10 << 20

// MediaService keeps images. Upload needs an API key.
type MediaService struct {
	Lister[api.Media, api.MediaQuery]
}

// MediaUpload is an image to upload. MIME is found out from the first bytes
// when it is empty.
type MediaUpload struct {
	Name string
	Alt  string
	MIME string
	Body io.Reader
}

// Upload stores an image of at most 10 MiB, which it reads into memory so that
// it can be sent again.
func (s *MediaService) Upload(ctx context.Context, in MediaUpload, options ...CallOption) (*api.Media, error) {
	body, err := io.ReadAll(io.LimitReader(in.Body, maxMedia+1))
	if err != nil {
		return nil, fmt.Errorf("read the image: %w", err)
	}
	if len(body) > maxMedia {
		return nil, api.NewError(http.StatusRequestEntityTooLarge, api.CodePayloadTooLarge, "an image may have %d MiB at most", maxMedia>>20)
	}
	if in.MIME == "" {
		in.MIME = http.DetectContentType(body)
		if strings.EqualFold(path.Ext(in.Name), ".svg") && !strings.HasPrefix(in.MIME, "image/") {
			in.MIME = "image/svg+xml" // which begins like any text
		}
	}
	r := route{http.MethodPost, v1 + "/media", "id"}
	query := url.Values{}
	if in.Name != "" {
		query.Set("name", in.Name)
	}
	if in.Alt != "" {
		query.Set("alt", in.Alt)
	}
	c := call{header: http.Header{"Accept": {"application/json"}, "Content-Type": {in.MIME}}}
	req := request{method: r.method, path: r.path, header: c.header, body: body, replay: true}
	if len(query) > 0 {
		req.path += "?" + query.Encode()
	}
	return finish[api.Media](ctx, s.t, r, req, &c, options)
}

// Get returns what is known of a file.
func (s *MediaService) Get(ctx context.Context, id string, options ...CallOption) (*api.Media, error) {
	return do[api.Media](ctx, s.t, "media.get", api.Ref{ID: id}, options)
}

// Delete removes a file for good; posts that show it lose it.
func (s *MediaService) Delete(ctx context.Context, ref api.Ref, options ...CallOption) error {
	return s.run(ctx, "delete", ref, options)
}
