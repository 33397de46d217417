package postsync

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"net/http"
	"regexp"

	"edgesvc.dev/svc/sdk/api"
)

// mediaPattern is where the daemon keeps images.
var mediaPattern = regexp.MustCompile(`/media/med_[0-9A-Za-z]+/?[^"'\s<>?#]*`)

// recognise finds the folder's images among those that a post shows. Without
// it a folder that lost its state, as one freshly cloned has, would count every
// post with a picture as changed by others.
func (s *Syncer) recognise(ctx context.Context, src *source, post *api.Post) error {
	missing := map[string]bool{}
	for _, sum := range src.pictures {
		if s.folder.Address(sum) == "" {
			missing[sum] = true
		}
	}
	if len(missing) == 0 {
		return nil
	}
	shown := post.Content
	if post.FeaturedImage != nil {
		shown += " " + post.FeaturedImage.URL
	}
	for _, address := range mediaPattern.FindAllString(shown, -1) {
		resp, err := s.client.Raw(ctx, http.MethodGet, address, nil, nil)
		if err != nil {
			return err
		}
		sum := sha256.Sum256(resp.Body)
		if key := hex.EncodeToString(sum[:]); resp.Err() == nil && missing[key] {
			s.folder.Learn(key, address)
		}
	}
	return nil
}
