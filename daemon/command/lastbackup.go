package command

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"edgesvc.dev/svc/kv/bolt"
)

// lastBackupFile lies in the data folder and says where the newest backup was
// put, for the day when the data beside it is gone.
const lastBackupFile = "last-backup.json"

type lastBackup struct {
	Path string    `json:"path"`
	At   time.Time `json:"at"`
}

func noteBackup(data, path string) error {
	path, err := filepath.Abs(path)
	if err != nil {
		return err
	}
	b, err := json.Marshal(lastBackup{path, time.Now().UTC().Truncate(time.Second)})
	if err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(data, lastBackupFile), append(b, '\n'), 0o600)
}

// withBackup adds to the error of a damaged data file how to get the data back.
func withBackup(data string, err error) error {
	if !errors.Is(err, bolt.ErrDamaged) {
		return err
	}
	var last lastBackup
	b, readErr := os.ReadFile(filepath.Join(data, lastBackupFile))
	if readErr != nil || json.Unmarshal(b, &last) != nil {
		return fmt.Errorf("%w. Restore a backup into an empty folder: svcd restore FILE --data NEW-FOLDER. No backup of this data is known here", err)
	}
	gone := ""
	if _, err := os.Stat(last.Path); err != nil {
		gone = ", but it is not there any more"
	}
	return fmt.Errorf("%w. Restore a backup into an empty folder: svcd restore %s --data NEW-FOLDER. That one, of %s, is the newest that svcd made%s",
		err, last.Path, last.At.Format(time.DateTime+" MST"), gone)
}
