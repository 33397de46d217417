package postsync

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"

	"edgesvc.dev/svc/cli/internal/atomicfile"
)

// stateFile is where a folder remembers what was synced, below the folder.
const stateFile = ".svc/state.json"

// stateVersion is raised when an older svcctl could not read the file.
const stateVersion = 1

// state is the state file: one folder can be synced to several teams.
type state struct {
	Version int                   `json:"version"`
	Teams   map[string]*teamState `json:"teams"`
}

type teamState struct {
	URL    string            `json:"url"`
	Posts  map[string]synced `json:"posts"`            // by path, or by the key of an entry
	Images map[string]string `json:"images,omitempty"` // SHA-256 → address
}

// synced is a file and its post as they were when they last agreed.
type synced struct {
	ID      string `json:"id"`
	Slug    string `json:"slug"`
	Hash    string `json:"hash"`            // of the file, its images and where its links lead
	Bytes   string `json:"bytes,omitempty"` // SHA-256 of the file
	Version int    `json:"version"`         // of the post
	Remote  string `json:"remote"`          // fingerprint of the post
}

func readState(path string) (*state, error) {
	s := &state{Version: stateVersion, Teams: map[string]*teamState{}}
	b, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return s, nil
	}
	if err != nil {
		return nil, fmt.Errorf("read sync state: %w", err)
	}
	if err := json.Unmarshal(b, s); err != nil {
		return nil, fmt.Errorf("%s is damaged (%w); remove it to compare everything again", path, err)
	}
	if s.Version > stateVersion {
		return nil, fmt.Errorf("%s was written by a newer svcctl", path)
	}
	return s, nil
}

func (s *state) team(id, url string) *teamState {
	t := s.Teams[id]
	if t == nil {
		t = &teamState{}
		s.Teams[id] = t
	}
	t.URL = url
	if t.Posts == nil {
		t.Posts = map[string]synced{}
	}
	return t
}

func (s *state) write(path string) error {
	b, err := json.MarshalIndent(s, "", "  ")
	if err != nil {
		return fmt.Errorf("write sync state: %w", err)
	}
	return atomicfile.Write(path, append(b, '\n'), 0o644)
}
