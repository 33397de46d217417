package access_test

import (
	"fmt"
	"net/netip"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"edgesvc.dev/svc/daemon/internal/domain/access"
	"edgesvc.dev/svc/daemon/internal/domain/team/teamtest"
	"edgesvc.dev/svc/daemon/internal/op"
	"edgesvc.dev/svc/daemon/internal/optest"
	"edgesvc.dev/svc/sdk/api"
)

func authenticate(w *teamtest.World, bearer api.Secret, address string) (op.Caller, api.Code) {
	who, err := w.Access.Authenticate(w.Context(), string(bearer), address)
	return who, w.Code(err)
}

func TestKeyLife(t *testing.T) {
	w := teamtest.New(t)
	owner := w.Enter(w.Found("a").LinkToken)
	expires := api.TimeOf(w.Now().Add(time.Hour))
	k := optest.Must[api.Key](w.As(owner), "apiKeys.create", api.KeyCreate{Name: "ci", Scopes: []string{"posts:read", "posts:write"}, ExpiresAt: expires})
	if !regexp.MustCompile(`^svc_[0-9A-Za-z]{38}$`).MatchString(string(k.Secret)) || k.Last4 != string(k.Secret[38:]) || k.State != "active" || !slices.Equal(k.Scopes, []string{"posts:read", "posts:write"}) {
		t.Fatalf("%+v", k)
	}
	who, code := authenticate(w, k.Secret, teamtest.Home)
	if code != "" || who.Kind != op.Key || who.Credential != k.ID || who.Team != owner.Team || who.Name != "ci" || who.Role != 0 ||
		who.Scopes != op.PostsRead|op.PostsWrite || who.ExpiresAt != expires || who.Address != teamtest.Home || who.Actor != (api.Actor{Type: "key", ID: k.ID}) {
		t.Fatalf("%s %+v", code, who)
	}

	w.Pass(time.Hour)
	if _, code := authenticate(w, k.Secret, teamtest.Home); code != api.CodeExpiredKey {
		t.Fatal(code)
	}
	if got := optest.Must[api.Page[api.Key]](w.As(owner), "apiKeys.list", api.None{}).Data[0]; got.State != "expired" || got.Secret != "" {
		t.Fatalf("%+v", got)
	}
	k2 := optest.Must[api.Key](w.As(owner), "apiKeys.update", map[string]any{"id": k.ID, "name": "cd", "scopes": []string{"publisher"}, "expiresAt": nil})
	who, code = authenticate(w, k.Secret, teamtest.Home)
	if code != "" || who.Name != "cd" || who.Scopes&op.PostsPublish == 0 || who.ExpiresAt != 0 || k2.Version != 2 {
		t.Fatalf("%s %+v %+v", code, who, k2)
	}

	same := optest.Must[api.Key](w.As(owner), "apiKeys.update", map[string]any{"id": k.ID, "name": "cd", "scopes": []string{"publisher"}})
	if same.Version != 2 || same.UpdatedAt != k2.UpdatedAt {
		t.Fatalf("an update that changes nothing is a version: %+v", same)
	}
	gone := optest.Must[api.Key](w.As(owner), "apiKeys.revoke", api.KeyRef{ID: k.ID})
	if _, code := authenticate(w, k.Secret, teamtest.Home); code != api.CodeRevokedKey || gone.State != "revoked" || gone.RevokedAt == 0 {
		t.Fatalf("%s %+v", code, gone)
	}
	if again := optest.Must[api.Key](w.As(owner), "apiKeys.revoke", api.KeyRef{ID: k.ID}); again.Version != gone.Version {
		t.Fatalf("%+v", again)
	}
	w.As(owner).Refused(api.CodeInvalidTransition, "apiKeys.update", map[string]any{"id": k.ID, "name": "x"})
	w.As(owner).Refused(api.CodeInvalidTransition, "apiKeys.roll", api.KeyRoll{ID: k.ID})
}

func TestRolledKeyWorksForTheGrace(t *testing.T) {
	w := teamtest.New(t)
	owner := w.Enter(w.Found("a").LinkToken)
	first := optest.Must[api.Key](w.As(owner), "apiKeys.create", api.KeyCreate{Name: "ci", Scopes: []string{"*"}})
	second := optest.Must[api.Key](w.As(owner), "apiKeys.roll", api.KeyRoll{ID: first.ID, GraceHours: 2})
	check := func(want ...api.Code) {
		t.Helper()
		for i, secret := range []api.Secret{first.Secret, second.Secret} {
			if _, code := authenticate(w, secret, teamtest.Home); code != want[i] {
				t.Fatalf("secret %d: %q, want %q", i+1, code, want[i])
			}
		}
	}
	if second.Secret == first.Secret || second.ID != first.ID || second.Last4 != string(second.Secret[38:]) {
		t.Fatalf("%+v", second)
	}
	check("", "")
	optest.Must[api.Key](w.As(owner), "apiKeys.update", map[string]any{"id": first.ID, "scopes": []string{"posts:read"}})
	if who, _ := authenticate(w, first.Secret, teamtest.Home); who.Scopes != op.PostsRead {
		t.Fatal("the old secret kept its scopes:", who.Scopes)
	}
	w.Pass(2 * time.Hour)
	check(api.CodeRevokedKey, "")
	third := optest.Must[api.Key](w.As(owner), "apiKeys.roll", api.KeyRoll{ID: first.ID})
	check(api.CodeInvalidKey, api.CodeRevokedKey)
	optest.Must[api.Key](w.As(owner), "apiKeys.revoke", api.KeyRef{ID: first.ID})
	check(api.CodeInvalidKey, api.CodeRevokedKey)
	if _, code := authenticate(w, third.Secret, teamtest.Home); code != api.CodeRevokedKey {
		t.Fatal(code)
	}
}

func TestKeyRules(t *testing.T) {
	w := teamtest.New(t)
	owner := w.Enter(w.Found("a").LinkToken)
	if k := optest.Must[api.Key](w.As(owner), "apiKeys.create", api.KeyCreate{Name: "r"}); slices.Contains(k.Scopes, "posts:write") || !slices.Contains(k.Scopes, "posts:read") {
		t.Fatal("without scopes it can", k.Scopes)
	}
	if e := w.As(owner).Refused(api.CodeValidationFailed, "apiKeys.create", api.KeyCreate{Name: "r", Scopes: []string{"posts:eat"}}); e.Pointer() != "/scopes" {
		t.Fatal(e.Pointer())
	}
	w.As(owner).Refused(api.CodeValidationFailed, "apiKeys.create", api.KeyCreate{Name: "r", ExpiresAt: api.TimeOf(w.Now())})
	w.As(owner).Refused(api.CodeValidationFailed, "apiKeys.create", api.KeyCreate{})

	other := w.Enter(w.Found("b").LinkToken)
	theirs := optest.Must[api.Key](w.As(other), "apiKeys.create", api.KeyCreate{Name: "b"})
	for _, name := range []string{"apiKeys.update", "apiKeys.revoke", "apiKeys.roll"} {
		w.As(owner).Refused(api.CodeNotFound, name, api.KeyRef{ID: theirs.ID})
	}
	for range 48 { // beside the first key and the one above
		optest.Must[api.Key](w.As(owner), "apiKeys.create", api.KeyCreate{Name: "n"})
	}
	w.As(owner).Refused(api.CodeQuotaExceeded, "apiKeys.create", api.KeyCreate{Name: "n"})
	page := optest.Must[api.Page[api.Key]](w.As(owner), "apiKeys.list", map[string]any{"limit": 100})
	if len(page.Data) != 50 {
		t.Fatal(len(page.Data))
	}
	optest.Must[api.Key](w.As(owner), "apiKeys.revoke", api.KeyRef{ID: page.Data[0].ID})
	optest.Must[api.Key](w.As(owner), "apiKeys.create", api.KeyCreate{Name: "n"})
}

func TestWrongKeysAreLimitedByAddressAndRightOnesNever(t *testing.T) {
	w := teamtest.New(t)
	b := w.Found("a")
	wrong := mistype(b.Key.Secret)
	for i := range 200 {
		want := api.CodeInvalidKey
		if i >= 10 {
			want = api.CodeRateLimited
		}
		if _, code := authenticate(w, wrong, teamtest.Home); code != want {
			t.Fatalf("attempt %d: %q", i, code)
		}
	}
	_, err := w.Access.Authenticate(t.Context(), string(wrong), teamtest.Home)
	if wait := op.Refusal(err).RetryAfter; wait != 3 {
		t.Fatal("retry after", wait)
	}
	for _, address := range []string{teamtest.Home, "198.51.100.1"} {
		if _, code := authenticate(w, b.Key.Secret, address); code != "" {
			t.Fatalf("the right key from %s: %q", address, code)
		}
	}
	if _, code := authenticate(w, wrong, "198.51.100.1"); code != api.CodeInvalidKey {
		t.Fatal(code)
	}
	w.Pass(3 * time.Second)
	for _, want := range []api.Code{api.CodeInvalidKey, api.CodeRateLimited} {
		if _, code := authenticate(w, wrong, teamtest.Home); code != want {
			t.Fatal(code)
		}
	}
	if _, code := authenticate(w, "", teamtest.Home); code != api.CodeMissingKey {
		t.Fatal(code)
	}
}

// TestAttackersNetworkIsOneOrigin: who has an IPv6 address has the whole /64.
func TestAttackersNetworkIsOneOrigin(t *testing.T) {
	w := teamtest.New(t)
	at := netip.MustParseAddr("2001:db8::1")
	last := api.Code("")
	for range 20 {
		_, last = authenticate(w, "svc_nonsense", at.String())
		at = at.Next()
	}
	if last != api.CodeRateLimited {
		t.Fatal(last)
	}
	if _, code := authenticate(w, "svc_nonsense", "2001:db8:0:1::1"); code != api.CodeInvalidKey {
		t.Fatal(code)
	}
}

func TestUseIsNotedLaterAndToTheMinute(t *testing.T) {
	w := teamtest.New(t)
	b := w.Found("a")
	owner := w.Enter(b.LinkToken)
	lastUsed := func() api.Key {
		return optest.Must[api.Page[api.Key]](w.As(owner), "apiKeys.list", api.None{}).Data[0]
	}
	w.Pass(30 * time.Second)
	if _, code := authenticate(w, b.Key.Secret, teamtest.Home); code != "" {
		t.Fatal(code)
	}
	if k := lastUsed(); k.LastUsedAt != 0 {
		t.Fatal("written on the way:", k.LastUsedAt)
	}
	for range 2 { // the second has nothing to write
		w.Must(w.Access.Flush(t.Context()))
		if k := lastUsed(); k.LastUsedAt != api.TimeOf(w.Now().Truncate(time.Minute)) || k.Version != 1 {
			t.Fatalf("%+v", k)
		}
	}
	w.Pass(time.Hour)
	w.Must(w.Access.Flush(t.Context()))
	if _, code := authenticate(w, b.Key.Secret, teamtest.Home); code != "" {
		t.Fatal(code)
	}
	w.Must(w.Access.Flush(t.Context()))
	if k := lastUsed(); k.LastUsedAt != api.TimeOf(w.Now().Truncate(time.Minute)) {
		t.Fatal(k.LastUsedAt)
	}
}

// mistype changes one character of a key.
func mistype(key api.Secret) api.Secret {
	c := byte('a')
	if key[10] == c {
		c = 'b'
	}
	return key[:10] + api.Secret(c) + key[11:]
}

func TestEveryTypoIsCaughtOffline(t *testing.T) {
	w := teamtest.New(t)
	key := string(w.Found("a").Key.Secret)
	if _, ok := access.ParseKey(key); !ok {
		t.Fatal("the key itself")
	}
	for i := range key {
		for _, c := range []byte("09azAZ_-\x00") {
			if typo := key[:i] + string(rune(c)) + key[i+1:]; typo != key {
				if _, ok := access.ParseKey(typo); ok {
					t.Fatalf("accepted %q for %q", typo, key)
				}
			}
		}
	}
	for i := 4; i+1 < len(key); i++ { // neighbours swapped
		if typo := key[:i] + key[i+1:i+2] + key[i:i+1] + key[i+2:]; typo != key {
			if _, ok := access.ParseKey(typo); ok {
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
		print1, ok := access.ParseKey(s)
		print2, _ := access.ParseKey(s)
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
func benchmarkKeys(b *testing.B) (*teamtest.World, []string) {
	w := teamtest.New(b)
	var all []string
	for i := range 20 {
		t := w.Found(fmt.Sprintf("t%d", i))
		owner := w.Enter(t.LinkToken)
		all = append(all, string(t.Key.Secret))
		for range 49 {
			all = append(all, string(optest.Must[api.Key](w.As(owner), "apiKeys.create", api.KeyCreate{Name: "n", Scopes: []string{"*"}}).Secret))
		}
	}
	return w, all
}

func BenchmarkAuthenticate(b *testing.B) {
	w, all := benchmarkKeys(b)
	w.Access.Now = time.Now
	b.Run("right", func(b *testing.B) {
		b.ReportAllocs()
		for i := 0; b.Loop(); i++ {
			if _, err := w.Access.Authenticate(b.Context(), all[i%len(all)], teamtest.Home); err != nil {
				b.Fatal(err)
			}
		}
	})
	b.Run("mistyped", func(b *testing.B) {
		b.ReportAllocs()
		wrong := string(mistype(api.Secret(all[0])))
		for b.Loop() {
			if _, err := w.Access.Authenticate(b.Context(), wrong, teamtest.Home); err == nil {
				b.Fatal("accepted")
			}
		}
	})
}
