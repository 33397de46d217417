package bolt

import (
	"context"
	"errors"

	"edgesvc.dev/svc/kv"
)

// repairRounds bounds how often the tables are gone through: what leads to a
// dropped record is found in the round after.
const repairRounds = 5

var errTried = errors.New("only tried")

// Repair has the tables that can repair what they keep do so, in one
// transaction. Before that commits, keep is called with everything that it drops:
// with its error nothing is changed. Repair is for a store whose pages and
// checksums are as they were written, or whose wrong pairs can be spared.
func (s *Store) Repair(ctx context.Context, keep func([]kv.Dropped) error, tables ...kv.Checker) (changed int, err error) {
	var dropped []kv.Dropped
	mend := func(tx kv.Tx) error {
		dropped, changed = nil, 0
		for range repairRounds {
			n, err := repairAll(tx, &dropped, tables)
			if changed += n; err != nil || n == 0 {
				return err
			}
		}
		return nil
	}
	err = s.Update(ctx, func(tx kv.Tx) error {
		if err := mend(tx); err != nil {
			return err
		}
		return errTried
	})
	if !errors.Is(err, errTried) {
		return 0, err
	}
	if changed == 0 {
		return 0, nil
	}
	if err := keep(dropped); err != nil {
		return 0, err
	}
	return changed, s.Update(ctx, mend)
}

func repairAll(tx kv.Tx, dropped *[]kv.Dropped, tables []kv.Checker) (changed int, err error) {
	for _, t := range tables {
		r, ok := t.(kv.Repairer)
		if !ok {
			continue
		}
		n, err := r.Repair(tx, func(d kv.Dropped) { *dropped = append(*dropped, d) })
		if changed += n; err != nil {
			return changed, err
		}
	}
	return changed, nil
}
