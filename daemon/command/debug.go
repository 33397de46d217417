package command

import (
	"encoding/json"
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"edgesvc.dev/svc/daemon"
	"edgesvc.dev/svc/kv"
	"edgesvc.dev/svc/kv/bolt"
)

// debugCommand shows stored records to the operator of the machine.
func debugCommand(c console) *cobra.Command {
	cmd := &cobra.Command{
		Use: "debug", Short: "Look into the data of a stopped daemon", Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	cmd.AddCommand(&cobra.Command{
		Use: "get TABLE ID", Short: "Print one record as JSON", Args: cobra.ExactArgs(2),
		RunE: func(cmd *cobra.Command, args []string) (err error) {
			cfg, err := daemon.Load(cmd.Flags(), c.lookup)
			if err != nil {
				return err
			}
			if err := needData(cfg); err != nil {
				return err
			}
			store, err := bolt.Open(daemon.DataFile(cfg.Data), bolt.Options{})
			if err != nil {
				return err
			}
			defer func() { err = errors.Join(err, store.Close()) }()
			var team string
			var record any
			err = store.View(cmd.Context(), func(tx kv.Tx) (err error) {
				team, record, err = kv.Dump(tx, args[0], args[1])
				return err
			})
			if err != nil {
				return fmt.Errorf("get %s %s: %w", args[0], args[1], err)
			}
			enc := json.NewEncoder(c.out)
			enc.SetIndent("", "  ")
			return enc.Encode(map[string]any{"team": team, "record": record})
		},
	})
	return cmd
}
