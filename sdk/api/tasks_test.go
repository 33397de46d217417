package api_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"log/slog"
	"strings"
	"testing"

	"edgesvc.dev/svc/sdk/api"
)

// TestTaskKeyIsNotPrinted looks for the key in what fmt and slog write of it.
func TestTaskKeyIsNotPrinted(t *testing.T) {
	in := api.TaskSetKey{ID: "task_1", Key: "canary"}
	var log bytes.Buffer
	slog.New(slog.NewTextHandler(&log, nil)).Info("set", "in", in)
	text := fmt.Sprintf("%v %+v %#v %s", in, in, in, in) + log.String()
	if strings.Contains(text, "canary") || !strings.Contains(text, "task_1") {
		t.Error(text)
	}
	if b, err := json.Marshal(in); err != nil || !strings.Contains(string(b), "canary") {
		t.Errorf("the wire has %s, %v", b, err)
	}
}
