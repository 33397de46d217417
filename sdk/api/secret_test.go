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
	bare, invited, task := api.Secret(secret), api.MemberInvited{Link: secret}, api.TaskSetKey{Key: secret}
	for _, v := range []any{key, &key, login, &login, session, &session, change, bare, &bare, invited, task, api.SiteSecretRolled{Secret: secret},
		[]api.Key{key}, map[string]any{"k": key}, []api.Secret{bare}} {
		var log bytes.Buffer
		text := slog.New(slog.NewTextHandler(&log, nil))
		text.Info("made", "value", v)
		printed := fmt.Sprintf("%v %+v %#v %s %q %x %d", v, v, v, v, v, v, v) + log.String()
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
	slog.New(slog.NewJSONHandler(&log, nil)).Info("made", "key", api.Key{ID: "key_1", Secret: "svc_0123456789"}, "session", &api.Session{Token: "sess_0123456789"},
		"login", api.Login{Password: "0123456789"}, "change", api.PasswordChange{New: "0123456789"}, "site", api.SiteSecretRolled{Secret: "0123456789"},
		"invited", api.MemberInvited{Link: "0123456789"}, "task", api.TaskSetKey{Key: "0123456789"}, "secret", api.Secret("0123456789"))
	if strings.Contains(log.String(), "0123456789") || !strings.Contains(log.String(), "key_1") {
		t.Errorf("logged %s", log.String())
	}
}
