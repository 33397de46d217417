package media

import (
	"errors"
	"net/http"

	"edgesvc.dev/svc/kv"
	"edgesvc.dev/svc/sdk/api"
)

// usage is how much a team stores. Its id is the team's.
type usage struct {
	Bytes int64 `json:"b"`
}

var usages = kv.NewTable[usage]("mediause")

// charge books bytes to a team, fewer when negative, within its quota.
func (s *Service) charge(tx kv.Tx, team string, bytes int64) error {
	u, err := usages.Get(tx, team, team)
	if _, missing := errors.AsType[*kv.NotFoundError](err); missing {
		u = &usage{}
		err = usages.Insert(tx, team, team, u)
	}
	if err != nil {
		return err
	}
	u.Bytes += bytes
	if bytes > 0 && u.Bytes > s.quota {
		return api.NewError(http.StatusConflict, api.CodeQuotaExceeded,
			"The team's files may take %d bytes in all; with this one they would take %d.", s.quota, u.Bytes)
	}
	return usages.Put(tx, team, team, u)
}
