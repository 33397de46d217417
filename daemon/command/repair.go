package command

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"time"

	"edgesvc.dev/svc/daemon"
	"edgesvc.dev/svc/kv"
	"edgesvc.dev/svc/kv/bolt"
)

// droppedRecord is a line of the file that a repair leaves.
type droppedRecord struct {
	What   string `json:"what"`
	Reason string `json:"reason"`
	Team   string `json:"team,omitempty"`
	Record any    `json:"record,omitempty"` // as far as it can be told
	Key    []byte `json:"key"`              // the bytes as they were stored
	Value  []byte `json:"value"`
}

// repair takes out of the store at path what cannot be read.
func repair(ctx context.Context, c console, data, path string) error {
	if daemon.Running(data) {
		return errors.New("svcd is running on this data; stop it, then repair")
	}
	// In a child process first: a damaged file can end the process that reads it.
	if err := checkInChild(ctx, c, data, path, true); err != nil {
		if errors.Is(err, errQuiet) {
			return errors.New("bytes of the file are not what was written; that cannot be repaired")
		}
		return err
	}
	store, err := bolt.Open(path, bolt.Options{})
	if err != nil {
		return err
	}
	changed, err := store.Repair(ctx, func(all []kv.Dropped) error { return keepDropped(c, path, all) }, daemon.Checkers()...)
	if err := errors.Join(err, store.Close()); err != nil {
		return fmt.Errorf("repair %s: %w", path, err)
	}
	if changed == 0 {
		return nil
	}
	return checkInChild(ctx, c, data, path, false)
}

// keepDropped writes what a repair is about to drop to a new file beside path.
func keepDropped(c console, path string, all []kv.Dropped) (err error) {
	if len(all) == 0 {
		return nil
	}
	name := fmt.Sprintf("%s.dropped-%s.jsonl", path, time.Now().UTC().Format("20060102T150405.000"))
	f, err := os.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	enc := json.NewEncoder(f)
	for _, d := range all {
		team, record := d.Show()
		if err := enc.Encode(droppedRecord{kv.Describe(d.Key), d.Reason, team, record, d.Key, d.Value}); err != nil {
			return err
		}
		fmt.Fprintf(c.out, "dropped %s: %s\n", kv.Describe(d.Key), d.Reason)
	}
	fmt.Fprintf(c.out, "%d dropped; what they were is in %s\n", len(all), name)
	return f.Sync()
}
