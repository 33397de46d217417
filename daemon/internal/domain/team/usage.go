package team

import (
	"context"

	"edgesvc.dev/svc/daemon/internal/op"
	"edgesvc.dev/svc/kv"
	"edgesvc.dev/svc/sdk/api"
)

// Usage says how much of the store the caller's team takes.
func (s *Service) Usage(ctx context.Context, who op.Caller, _ api.None) (out api.TeamUsage, err error) {
	out.Storage.Limit = s.StorageLimit
	err = s.store.View(ctx, func(tx kv.Tx) error {
		out.Storage.Bytes = kv.Size(tx, who.Team)
		return nil
	})
	return out, err
}
