package kit

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"

	"github.com/goccy/go-yaml"
	"github.com/spf13/cobra"

	"edgesvc.dev/svc/cli/internal/terminal"
)

// File is an object in YAML or JSON, with the names of the API.
type File struct {
	App  *App
	Noun string // what it holds, such as task
	Name string
}

// Add gives the command the flag that names the file.
func (t *File) Add(cmd *cobra.Command) {
	cmd.Flags().StringVarP(&t.Name, "file", "f", "", "YAML or JSON with the "+t.Noun+"'s members; - is standard input")
}

// Read returns the members of the file as JSON.
func (t *File) Read() (map[string]json.RawMessage, error) {
	if t.Name == "" {
		return nil, &Failure{Exit: ExitUsage, Code: "usage", Message: "the " + t.Noun + " is read from a file", Hint: "pass -f " + t.Noun + ".yaml"}
	}
	b, err := t.App.ReadInput(t.Name)
	if err != nil {
		return nil, err
	}
	members := map[string]json.RawMessage{}
	text, err := yaml.YAMLToJSON(b)
	if err == nil {
		err = json.Unmarshal(text, &members)
	}
	if err != nil {
		return nil, t.Wrong(err)
	}
	return members, nil
}

// Wrong is an error in the file.
func (t *File) Wrong(err error) error {
	return &Failure{Exit: ExitInvalid, Code: "invalid_file", Message: terminal.Line(t.Name + ": " + err.Error())}
}

// Decode reads members into one of the API's inputs; a name that it does not
// have is a mistake.
func (t *File) Decode(members map[string]json.RawMessage, into any) error {
	b, err := json.Marshal(members)
	if err != nil {
		return t.Wrong(err)
	}
	dec := json.NewDecoder(bytes.NewReader(b))
	dec.DisallowUnknownFields()
	if err := dec.Decode(into); err != nil && !errors.Is(err, io.EOF) {
		return t.Wrong(err)
	}
	return nil
}

// Some reads a few of the members.
func (t *File) Some(members map[string]json.RawMessage, into any) error {
	b, err := json.Marshal(members)
	if err == nil {
		err = json.Unmarshal(b, into)
	}
	if err != nil {
		return t.Wrong(err)
	}
	return nil
}
