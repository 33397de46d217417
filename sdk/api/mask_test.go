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

// TestCredentialsAreNotPrinted: a value that slipped into a log line or an
// error tells nothing; its JSON is whole.
func TestCredentialsAreNotPrinted(t *testing.T) {
	const secret = "svc_0123456789abcdefghijklmnop"
	key := api.Key{ID: "key_1", Secret: secret}
	login := api.Login{Email: "ada@x.io", Password: secret, LinkToken: secret, NewPassword: secret}
	session := api.Session{ID: "s_1", Token: secret}
	change := api.PasswordChange{Current: secret, New: secret}
	for _, v := range []any{key, &key, login, &login, session, &session, change, []api.Key{key}, map[string]any{"k": key}} {
		var log bytes.Buffer
		text := slog.New(slog.NewTextHandler(&log, nil))
		text.Info("made", "value", v)
		printed := fmt.Sprintf("%v %+v %#v %s %q %x", v, v, v, v, v, v) + log.String()
		if strings.Contains(printed, secret) || strings.Contains(printed, fmt.Sprintf("%x", secret)) {
			t.Errorf("%T prints its credential: %s", v, printed)
		}
		b, err := json.Marshal(v)
		if err != nil || !bytes.Contains(b, []byte(secret)) {
			t.Errorf("%T lost its credential in JSON: %s %v", v, b, err)
		}
	}
	if got := fmt.Sprintf("%+v", key); !strings.Contains(got, "ID:key_1") || !strings.Contains(got, "Secret:[hidden]") {
		t.Errorf("a key prints as %s", got)
	}
}

// TestCredentialsAreNotLoggedAsJSON: the JSON handler asks LogValue first.
func TestCredentialsAreNotLoggedAsJSON(t *testing.T) {
	var log bytes.Buffer
	slog.New(slog.NewJSONHandler(&log, nil)).Info("made", "key", api.Key{ID: "key_1", Secret: "svc_0123456789"}, "session", &api.Session{Token: "sess_0123456789"})
	if strings.Contains(log.String(), "0123456789") || !strings.Contains(log.String(), "key_1") {
		t.Errorf("logged %s", log.String())
	}
}
