package daemon

import (
	"context"

	"edgesvc.dev/svc/daemon/internal/op"
	"edgesvc.dev/svc/kv"
	"edgesvc.dev/svc/kv/bolt"
	"edgesvc.dev/svc/kv/kvtest"
)

// Table shows the operations to the tests.
func (d *Daemon) Table() *op.Table { return d.table }

// RunTool runs an operation for an agent.
func (d *Daemon) RunTool(ctx context.Context, who op.Caller, name, key string, args []byte) (string, error) {
	return d.runTool(ctx, who, name, key, args)
}

// Contract is the OpenAPI document.
func (d *Daemon) Contract() []byte { return d.rest.Contract() }

// OpenTwice is Open on an engine that runs every Update function twice and drops
// the first run.
func OpenTwice(cfg *Config) (*Daemon, error) {
	store, err := bolt.Open(DataFile(cfg.Data), bolt.Options{MaxSize: int64(cfg.MaxSize)})
	if err != nil {
		return nil, err
	}
	return openOn(&rehearsed{store, kvtest.Twice(store)}, cfg)
}

type rehearsed struct {
	*bolt.Store
	twice kv.Store
}

func (r *rehearsed) Update(ctx context.Context, fn func(kv.Tx) error) error {
	return r.twice.Update(ctx, fn)
}
