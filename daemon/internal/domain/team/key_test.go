package team_test

import (
	"fmt"
	"net/netip"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"edgesvc.dev/svc/daemon/internal/domain/team"
	"edgesvc.dev/svc/daemon/internal/op"
	"edgesvc.dev/svc/sdk/api"
)

func (w *world) authenticate(bearer, address string) (op.Caller, api.Code) {
	who, err := w.teams.Authenticate(w.t.Context(), bearer, address)
	return who, w.code(err)
}

func TestKeyLife(t *testing.T) {
	w := newWorld(t)
	owner := w.enter(w.found("a").LinkToken)
	expires := api.TimeOf(w.now.Add(time.Hour))
	k := call[api.Key](w, "apiKeys.create", owner, api.KeyCreate{Name: "ci", Scopes: []string{"posts:read", "posts:write"}, ExpiresAt: expires})
	if !regexp.MustCompile(`^svc_[0-9A-Za-z]{38}$`).MatchString(k.Secret) || k.Last4 != k.Secret[38:] || k.State != "active" || !slices.Equal(k.Scopes, []string{"posts:read", "posts:write"}) {
		t.Fatalf("%+v", k)
	}
	who, code := w.authenticate(k.Secret, home)
	if code != "" || who.Kind != op.Key || who.Credential != k.ID || who.Team != owner.Team || who.Name != "ci" || who.Role != 0 ||
		who.Scopes != op.PostsRead|op.PostsWrite || who.ExpiresAt != expires || who.Address != home || who.Actor != (api.Actor{Type: "key", ID: k.ID}) {
		t.Fatalf("%s %+v", code, who)
	}

	w.pass(time.Hour)
	if _, code := w.authenticate(k.Secret, home); code != api.CodeExpiredKey {
		t.Fatal(code)
	}
	if got := call[api.Page[api.Key]](w, "apiKeys.list", owner, api.None{}).Data[0]; got.State != "expired" || got.Secret != "" {
		t.Fatalf("%+v", got)
	}
	k2 := call[api.Key](w, "apiKeys.update", owner, map[string]any{"id": k.ID, "name": "cd", "scopes": []string{"publisher"}, "expiresAt": nil})
	who, code = w.authenticate(k.Secret, home)
	if code != "" || who.Name != "cd" || who.Scopes&op.PostsPublish == 0 || who.ExpiresAt != 0 || k2.Version != 2 {
		t.Fatalf("%s %+v %+v", code, who, k2)
	}

	gone := call[api.Key](w, "apiKeys.revoke", owner, api.KeyRef{ID: k.ID})
	if _, code := w.authenticate(k.Secret, home); code != api.CodeRevokedKey || gone.State != "revoked" || gone.RevokedAt == 0 {
		t.Fatalf("%s %+v", code, gone)
	}
	if again := call[api.Key](w, "apiKeys.revoke", owner, api.KeyRef{ID: k.ID}); again.Version != gone.Version {
		t.Fatalf("%+v", again)
	}
	w.refused("apiKeys.update", owner, map[string]any{"id": k.ID, "name": "x"}, api.CodeInvalidTransition)
	w.refused("apiKeys.roll", owner, api.KeyRoll{ID: k.ID}, api.CodeInvalidTransition)
}

func TestRolledKeyWorksForTheGrace(t *testing.T) {
	w := newWorld(t)
	owner := w.enter(w.found("a").LinkToken)
	first := call[api.Key](w, "apiKeys.create", owner, api.KeyCreate{Name: "ci", Scopes: []string{"*"}})
	second := call[api.Key](w, "apiKeys.roll", owner, api.KeyRoll{ID: first.ID, GraceHours: 2})
	check := func(want ...api.Code) {
		t.Helper()
		for i, secret := range []string{first.Secret, second.Secret} {
			if _, code := w.authenticate(secret, home); code != want[i] {
				t.Fatalf("secret %d: %q, want %q", i+1, code, want[i])
			}
		}
	}
	if second.Secret == first.Secret || second.ID != first.ID || second.Last4 != second.Secret[38:] {
		t.Fatalf("%+v", second)
	}
	check("", "")
	call[api.Key](w, "apiKeys.update", owner, map[string]any{"id": first.ID, "scopes": []string{"posts:read"}})
	if who, _ := w.authenticate(first.Secret, home); who.Scopes != op.PostsRead {
		t.Fatal("the old secret kept its scopes:", who.Scopes)
	}
	w.pass(2 * time.Hour)
	check(api.CodeRevokedKey, "")
	third := call[api.Key](w, "apiKeys.roll", owner, api.KeyRoll{ID: first.ID})
	check(api.CodeInvalidKey, api.CodeRevokedKey)
	call[api.Key](w, "apiKeys.revoke", owner, api.KeyRef{ID: first.ID})
	check(api.CodeInvalidKey, api.CodeRevokedKey)
	if _, code := w.authenticate(third.Secret, home); code != api.CodeRevokedKey {
		t.Fatal(code)
	}
}

func TestKeyRules(t *testing.T) {
	w := newWorld(t)
	owner := w.enter(w.found("a").LinkToken)
	if k := call[api.Key](w, "apiKeys.create", owner, api.KeyCreate{Name: "r"}); slices.Contains(k.Scopes, "posts:write") || !slices.Contains(k.Scopes, "posts:read") {
		t.Fatal("without scopes it can", k.Scopes)
	}
	if e := w.refused("apiKeys.create", owner, api.KeyCreate{Name: "r", Scopes: []string{"posts:eat"}}, api.CodeValidationFailed); e.Pointer() != "/scopes" {
		t.Fatal(e.Pointer())
	}
	w.refused("apiKeys.create", owner, api.KeyCreate{Name: "r", ExpiresAt: api.TimeOf(w.now)}, api.CodeValidationFailed)
	w.refused("apiKeys.create", owner, api.KeyCreate{}, api.CodeValidationFailed)

	other := w.enter(w.found("b").LinkToken)
	theirs := call[api.Key](w, "apiKeys.create", other, api.KeyCreate{Name: "b"})
	for _, name := range []string{"apiKeys.update", "apiKeys.revoke", "apiKeys.roll"} {
		w.refused(name, owner, api.KeyRef{ID: theirs.ID}, api.CodeNotFound)
	}
	for range 48 { // beside the first key and the one above
		call[api.Key](w, "apiKeys.create", owner, api.KeyCreate{Name: "n"})
	}
	w.refused("apiKeys.create", owner, api.KeyCreate{Name: "n"}, api.CodeQuotaExceeded)
	page := call[api.Page[api.Key]](w, "apiKeys.list", owner, map[string]any{"limit": 100})
	if len(page.Data) != 50 {
		t.Fatal(len(page.Data))
	}
	call[api.Key](w, "apiKeys.revoke", owner, api.KeyRef{ID: page.Data[0].ID})
	call[api.Key](w, "apiKeys.create", owner, api.KeyCreate{Name: "n"})
}

func TestWrongKeysAreLimitedByAddressAndRightOnesNever(t *testing.T) {
	w := newWorld(t)
	b := w.found("a")
	wrong := mistype(b.Key.Secret)
	for i := range 200 {
		want := api.CodeInvalidKey
		if i >= 10 {
			want = api.CodeRateLimited
		}
		if _, code := w.authenticate(wrong, home); code != want {
			t.Fatalf("attempt %d: %q", i, code)
		}
	}
	_, err := w.teams.Authenticate(t.Context(), wrong, home)
	if wait := op.Refusal(err).RetryAfter; wait != 3 {
		t.Fatal("retry after", wait)
	}
	for _, address := range []string{home, "198.51.100.1"} {
		if _, code := w.authenticate(b.Key.Secret, address); code != "" {
			t.Fatalf("the right key from %s: %q", address, code)
		}
	}
	if _, code := w.authenticate(wrong, "198.51.100.1"); code != api.CodeInvalidKey {
		t.Fatal(code)
	}
	w.pass(3 * time.Second)
	for _, want := range []api.Code{api.CodeInvalidKey, api.CodeRateLimited} {
		if _, code := w.authenticate(wrong, home); code != want {
			t.Fatal(code)
		}
	}
	if _, code := w.authenticate("", home); code != api.CodeMissingKey {
		t.Fatal(code)
	}
}

// TestAttackersNetworkIsOneOrigin: who has an IPv6 address has the whole /64.
func TestAttackersNetworkIsOneOrigin(t *testing.T) {
	w := newWorld(t)
	at := netip.MustParseAddr("2001:db8::1")
	last := api.Code("")
	for range 20 {
		_, last = w.authenticate("svc_nonsense", at.String())
		at = at.Next()
	}
	if last != api.CodeRateLimited {
		t.Fatal(last)
	}
	if _, code := w.authenticate("svc_nonsense", "2001:db8:0:1::1"); code != api.CodeInvalidKey {
		t.Fatal(code)
	}
}

func TestUseIsNotedLaterAndToTheMinute(t *testing.T) {
	w := newWorld(t)
	b := w.found("a")
	owner := w.enter(b.LinkToken)
	lastUsed := func() api.Key {
		return call[api.Page[api.Key]](w, "apiKeys.list", owner, api.None{}).Data[0]
	}
	w.pass(30 * time.Second)
	if _, code := w.authenticate(b.Key.Secret, home); code != "" {
		t.Fatal(code)
	}
	if k := lastUsed(); k.LastUsedAt != 0 {
		t.Fatal("written on the way:", k.LastUsedAt)
	}
	for range 2 { // the second has nothing to write
		w.fatal(w.teams.Flush(t.Context()))
		if k := lastUsed(); k.LastUsedAt != api.TimeOf(w.now.Truncate(time.Minute)) || k.Version != 1 {
			t.Fatalf("%+v", k)
		}
	}
	w.pass(time.Hour)
	w.fatal(w.teams.Flush(t.Context()))
	if _, code := w.authenticate(b.Key.Secret, home); code != "" {
		t.Fatal(code)
	}
	w.fatal(w.teams.Flush(t.Context()))
	if k := lastUsed(); k.LastUsedAt != api.TimeOf(w.now.Truncate(time.Minute)) {
		t.Fatal(k.LastUsedAt)
	}
}

// mistype changes one character of a key.
func mistype(key string) string {
	c := byte('a')
	if key[10] == c {
		c = 'b'
	}
	return key[:10] + string(c) + key[11:]
}

func TestEveryTypoIsCaughtOffline(t *testing.T) {
	w := newWorld(t)
	key := w.found("a").Key.Secret
	if _, ok := team.ParseKey(key); !ok {
		t.Fatal("the key itself")
	}
	for i := range key {
		for _, c := range []byte("09azAZ_-\x00") {
			if typo := key[:i] + string(rune(c)) + key[i+1:]; typo != key {
				if _, ok := team.ParseKey(typo); ok {
					t.Fatalf("accepted %q for %q", typo, key)
				}
			}
		}
	}
	for i := 4; i+1 < len(key); i++ { // neighbours swapped
		if typo := key[:i] + key[i+1:i+2] + key[i:i+1] + key[i+2:]; typo != key {
			if _, ok := team.ParseKey(typo); ok {
				t.Fatalf("accepted %q for %q", typo, key)
			}
		}
	}
}

func FuzzParseKey(f *testing.F) {
	// A key that was made by the rules with another implementation:
	// CRC-32 (zlib) of the first 36 characters, in base62, digits first.
	const known, knownSum = "svc_0123456789ABCDEFGHIJKLMNOPQRSTUV", "0oTOJ7"
	f.Add(known + knownSum)
	f.Add("svc_")
	f.Add("")
	f.Add(strings.Repeat("é", 21))
	f.Fuzz(func(t *testing.T, s string) {
		print1, ok := team.ParseKey(s)
		print2, _ := team.ParseKey(s)
		if print1 != print2 {
			t.Fatal("two fingerprints of one key")
		}
		if ok && !regexp.MustCompile(`^svc_[0-9A-Za-z]{38}$`).MatchString(s) {
			t.Fatalf("accepted %q", s)
		}
		if s == known+knownSum && !ok {
			t.Fatal("the known key is refused")
		}
	})
}

// benchmarkKeys has a thousand keys of twenty teams.
func benchmarkKeys(b *testing.B) (*world, []string) {
	w := newWorld(b)
	var all []string
	for i := range 20 {
		t := w.found(fmt.Sprintf("t%d", i))
		owner := w.enter(t.LinkToken)
		all = append(all, t.Key.Secret)
		for range 49 {
			all = append(all, call[api.Key](w, "apiKeys.create", owner, api.KeyCreate{Name: "n", Scopes: []string{"*"}}).Secret)
		}
	}
	return w, all
}

func BenchmarkAuthenticate(b *testing.B) {
	w, all := benchmarkKeys(b)
	w.teams.Now = time.Now
	b.Run("right", func(b *testing.B) {
		b.ReportAllocs()
		for i := 0; b.Loop(); i++ {
			if _, err := w.teams.Authenticate(b.Context(), all[i%len(all)], home); err != nil {
				b.Fatal(err)
			}
		}
	})
	b.Run("mistyped", func(b *testing.B) {
		b.ReportAllocs()
		wrong := mistype(all[0])
		for b.Loop() {
			if _, err := w.teams.Authenticate(b.Context(), wrong, home); err == nil {
				b.Fatal("accepted")
			}
		}
	})
}
