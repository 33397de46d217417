package daemon

import "edgesvc.dev/svc/daemon/internal/op"

// Table shows the operations to the tests.
func (d *Daemon) Table() *op.Table { return d.table }

// Contract is the OpenAPI document.
func (d *Daemon) Contract() []byte { return d.rest.Contract() }
