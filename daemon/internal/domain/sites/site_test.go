package sites_test

import (
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"edgesvc.dev/svc/daemon/internal/domain/team/teamtest"
	"edgesvc.dev/svc/daemon/internal/op"
	"edgesvc.dev/svc/daemon/internal/optest"
	"edgesvc.dev/svc/kv"
	"edgesvc.dev/svc/sdk/api"
)

func newSite(t *testing.T) (*teamtest.World, op.Caller, api.Site) {
	w := teamtest.New(t)
	owner := w.Enter(w.Found("acme").LinkToken)
	return w, owner, optest.Must[api.Site](w.As(owner), "sites.create", api.SiteCreate{
		Name: "Shop", AllowedOrigins: []string{"https://Shop.Example:443/", "http://localhost:3000"}, Identity: "optional"})
}

// rotate gives a site another secret and returns it.
func rotate(w *teamtest.World, who op.Caller, id string) string {
	w.Helper()
	return string(optest.Must[api.SiteSecretRolled](w.As(who), "sites.rotateSecret", api.SiteRef{ID: id}).Secret)
}

func TestSites(t *testing.T) {
	w, owner, v := newSite(t)
	if want := []string{"https://shop.example", "http://localhost:3000"}; !slices.Equal(v.AllowedOrigins, want) || v.Color != "#2563eb" || v.Secret.Set {
		t.Fatalf("%+v", v)
	}
	patch := api.SitePatch{SiteRef: api.SiteRef{ID: v.ID, IfMatch: 1}, Greeting: api.Some("Hi"), Color: api.Some("#ff0000")}
	if v = optest.Must[api.Site](w.As(owner), "sites.update", patch); v.Greeting != "Hi" || v.Version != 2 || v.Color != "#ff0000" {
		t.Fatalf("%+v", v)
	}
	w.As(owner).Refused(api.CodeVersionConflict, "sites.update", patch)
	patch.IfMatch = 2
	if v = optest.Must[api.Site](w.As(owner), "sites.update", patch); v.Version != 2 {
		t.Fatalf("a patch that changes nothing is a version: %+v", v)
	}

	teamID, found, err := w.Sites.SiteByID(t.Context(), v.ID)
	if err != nil || teamID != owner.Team || found.Greeting != "Hi" {
		t.Fatal(teamID, found, err)
	}
	if got := optest.Must[api.Page[api.Site]](w.As(owner), "sites.list", api.PageQuery{}); len(got.Data) != 1 || got.Data[0].ID != v.ID {
		t.Fatalf("%+v", got)
	}
	stranger := w.Enter(w.Found("other").LinkToken)
	for _, name := range []string{"sites.get", "sites.delete", "sites.rotateSecret", "sites.installSnippet"} {
		w.As(stranger).Refused(api.CodeNotFound, name, api.SiteGet{ID: v.ID})
	}
	viewer := w.Invite(owner, "viewer@acme.example", "viewer")
	optest.Must[api.Site](w.As(viewer), "sites.get", api.SiteGet{ID: v.ID})
	w.As(viewer).Refused(api.CodeRoleRequired, "sites.delete", api.SiteRef{ID: v.ID})

	optest.Must[api.None](w.As(owner), "sites.delete", api.SiteRef{ID: v.ID})
	if _, _, err := w.Sites.SiteByID(t.Context(), v.ID); w.Code(err) != api.CodeNotFound {
		t.Fatal(err)
	}
	if got := w.Actions(owner); !slices.Contains(got, "sites.create") || got[len(got)-1] != "sites.delete" {
		t.Fatal(got)
	}
	var told []string
	for _, e := range optest.Must[api.Page[api.Event]](w.As(owner), "events.list", map[string]any{"order": "asc"}).Data {
		told = append(told, e.Type+" "+string(e.Data.Previous))
	}
	if want := []string{"site.created ", `site.updated {"color":"#2563eb","greeting":""}`, "site.deleted "}; !slices.Equal(told, want) {
		t.Errorf("the log tells of %q", told)
	}
}

func TestOrigins(t *testing.T) {
	w, owner, _ := newSite(t)
	for _, bad := range []string{"*", "https://*.example", "shop.example", "//shop.example", "https://", "https://shop.example/path", "https://shop.example?q",
		"https://shop.example#x", "ftp://shop.example", "javascript:alert(1)", "null", "https://user@shop.example", "https://shop.example:0", "https://shop.example:99999",
		"https://shop.example:", "https://sh%6fp.example", "https://bücher.example", "https://shop.example\\@evil", " https://shop.example"} {
		e := w.As(owner).Refused(api.CodeValidationFailed, "sites.create", api.SiteCreate{Name: "x", AllowedOrigins: []string{"https://good.example", bad}})
		if len(e.Errors) != 1 || e.Errors[0].Pointer != "/allowedOrigins/1" {
			t.Errorf("%q: %+v", bad, e.Errors)
		}
	}
	good := []string{"https://[::1]:8080", "http://127.0.0.1:8080", "https://xn--bcher-kva.example"}
	if v := optest.Must[api.Site](w.As(owner), "sites.create", api.SiteCreate{Name: "x", AllowedOrigins: good}); !slices.Equal(v.AllowedOrigins, good) {
		t.Fatal(v.AllowedOrigins)
	}
}

func TestAdmitSite(t *testing.T) {
	w, _, v := newSite(t)
	for origin, want := range map[string]api.Code{
		"": "", "https://shop.example": "", "http://localhost:3000": "", "http://shop.example": api.CodeOriginNotAllowed,
		"null": api.CodeOriginNotAllowed, "https://shop.example.evil": api.CodeOriginNotAllowed, "https://svc.example": api.CodeOriginNotAllowed,
	} {
		if _, _, err := w.Sites.AdmitSite(t.Context(), v.ID, origin); w.Code(err) != want {
			t.Errorf("%q: %v", origin, err)
		}
	}
	if _, _, err := w.Sites.AdmitSite(t.Context(), "site_none", "https://shop.example"); w.Code(err) != api.CodeNotFound {
		t.Error(err)
	}
}

func jwt(t *testing.T, secret string, header, claims map[string]any) string {
	t.Helper()
	part := func(v any) string {
		b, err := json.Marshal(v)
		if err != nil {
			t.Fatal(err)
		}
		return base64.RawURLEncoding.EncodeToString(b)
	}
	signed := part(header) + "." + part(claims)
	return signed + "." + base64.RawURLEncoding.EncodeToString(mac(secret, signed))
}

func mac(secret, text string) []byte {
	h := hmac.New(sha256.New, []byte(secret))
	h.Write([]byte(text))
	return h.Sum(nil)
}

func TestIdentity(t *testing.T) {
	w, owner, v := newSite(t)
	rolled := optest.Must[api.SiteSecretRolled](w.As(owner), "sites.rotateSecret", api.SiteRef{ID: v.ID})
	if v = rolled.Site; !v.Secret.Set || !strings.HasSuffix(string(rolled.Secret), v.Secret.Last4) {
		t.Fatalf("%+v", rolled)
	}
	secret, now := string(rolled.Secret), w.Now()
	hs256 := map[string]any{"alg": "HS256", "typ": "JWT"}
	with := func(header map[string]any, more map[string]any) string {
		claims := map[string]any{"sub": "u1", "email": "Ada@X.io", "name": "Ada", "exp": now.Add(time.Hour).Unix()}
		for k, c := range more {
			claims[k] = c
		}
		return jwt(t, key(secret, "jwt"), header, claims)
	}
	good := with(hs256, nil)
	who, ok := w.Sites.VerifyIdentity(t.Context(), v, api.ChatUser{Token: good, Email: "grace@x.io"})
	if !ok || who.ID != "u1" || who.Email != "ada@x.io" || who.Name != "Ada" {
		t.Fatal(who, ok)
	}
	signed := hex.EncodeToString(mac(key(secret, "hmac"), "u2"))
	if who, ok := w.Sites.VerifyIdentity(t.Context(), v, api.ChatUser{ID: "u2", Email: "ada@x.io", Token: signed}); !ok || who.ID != "u2" || who.Email != "" {
		t.Fatal("an HMAC proves the id alone:", who, ok)
	}

	head, rest, _ := strings.Cut(good, ".")
	for name, user := range map[string]api.ChatUser{
		"no token":           {ID: "u1"},
		"another id":         {ID: "u2", Token: good},
		"HMAC of another":    {ID: "u1", Token: signed},
		"HMAC of nobody":     {Token: hex.EncodeToString(mac(key(secret, "hmac"), ""))},
		"alg none":           {Token: with(map[string]any{"alg": "none"}, nil)},
		"unsigned":           {Token: head + "." + strings.Split(rest, ".")[0] + "."},
		"HS512 in name":      {Token: with(map[string]any{"alg": "HS512"}, nil)},
		"critical header":    {Token: with(map[string]any{"alg": "HS256", "crit": []string{"b64"}}, nil)},
		"another secret":     {Token: jwt(t, "wsec_other", hs256, map[string]any{"sub": "u1", "exp": now.Add(time.Hour).Unix()})},
		"no end":             {Token: with(hs256, map[string]any{"exp": nil})},
		"ended":              {Token: with(hs256, map[string]any{"exp": now.Unix()})},
		"ends in two days":   {Token: with(hs256, map[string]any{"exp": now.Add(48 * time.Hour).Unix()})},
		"not yet":            {Token: with(hs256, map[string]any{"nbf": now.Add(time.Hour).Unix()})},
		"made later":         {Token: with(hs256, map[string]any{"iat": now.Add(time.Hour).Unix()})},
		"no subject":         {Token: with(hs256, map[string]any{"sub": ""})},
		"subject of number":  {Token: with(hs256, map[string]any{"sub": 1})},
		"HMAC by the JWT's":  {ID: "u2", Token: hex.EncodeToString(mac(key(secret, "jwt"), "u2"))},
		"JWT by the HMAC's":  {Token: jwt(t, key(secret, "hmac"), hs256, map[string]any{"sub": "u1", "exp": now.Add(time.Hour).Unix()})},
		"JWT by the secret":  {Token: jwt(t, secret, hs256, map[string]any{"sub": "u1", "exp": now.Add(time.Hour).Unix()})},
		"HMAC by the secret": {ID: "u2", Token: hex.EncodeToString(mac(secret, "u2"))},
		"four parts":         {Token: good + ".x"},
		"long":               {Token: strings.Repeat("a", 5000)},
	} {
		if who, ok := w.Sites.VerifyIdentity(t.Context(), v, user); ok {
			t.Errorf("%s: %+v", name, who)
		}
	}

	off := v
	off.Identity = "off"
	if _, ok := w.Sites.VerifyIdentity(t.Context(), off, api.ChatUser{Token: good}); ok {
		t.Error("verified where the site does not want it")
	}
	optest.Must[api.SiteSecretRolled](w.As(owner), "sites.rotateSecret", api.SiteRef{ID: v.ID})
	if _, ok := w.Sites.VerifyIdentity(t.Context(), v, api.ChatUser{Token: good}); ok {
		t.Error("the old secret still signs")
	}
}

// key is the one with which a site signs a form of proof, as docs/widget.md says.
func key(secret, form string) string { return string(mac(secret, "svc identity "+form+" v1")) }

// earlier makes a site's secret one from before the forms had keys of their own.
func earlier(w *teamtest.World, teamID, id string) {
	table := kv.NewTable[map[string]any]("site")
	w.Must(w.Store.Update(context.Background(), func(tx kv.Tx) error {
		v, err := table.Get(tx, teamID, id)
		if err == nil {
			delete(*v, "sv")
			err = table.Put(tx, teamID, id, v)
		}
		return err
	}))
}

// A site that has signed with its secret itself goes on with the form that it
// uses; the other form it cannot be made to sign. Rotating the secret ends that.
func TestEarlierSecretSignsOneForm(t *testing.T) {
	forms := map[string]func(secret string, now time.Time) api.ChatUser{
		"jwt": func(secret string, now time.Time) api.ChatUser {
			return api.ChatUser{Token: jwt(t, secret, map[string]any{"alg": "HS256"}, map[string]any{"sub": "admin", "exp": now.Add(time.Hour).Unix()})}
		},
		"hmac": func(secret string, _ time.Time) api.ChatUser {
			return api.ChatUser{ID: "u1", Token: hex.EncodeToString(mac(secret, "u1"))}
		},
	}
	for used, other := range map[string]string{"jwt": "hmac", "hmac": "jwt"} {
		w, owner, v := newSite(t)
		secret := rotate(w, owner, v.ID)
		earlier(w, owner.Team, v.ID)
		verify := func(user api.ChatUser) bool {
			_, ok := w.Sites.VerifyIdentity(t.Context(), v, user)
			return ok
		}
		if verify(forms[used]("wsec_other", w.Now())) {
			t.Fatal("another secret settles the form")
		}
		for range 2 {
			if !verify(forms[used](secret, w.Now())) {
				t.Errorf("%s is not accepted any more", used)
			}
		}
		if verify(forms[other](secret, w.Now())) {
			t.Errorf("a site that uses %s has signed a %s", used, other)
		}
		for _, form := range []string{used, other} {
			if !verify(forms[form](key(secret, form), w.Now())) {
				t.Errorf("%s by its own key", form)
			}
		}
		if got := optest.Must[api.Site](w.As(owner), "sites.get", api.SiteGet{ID: v.ID}).Secret; got.Form != used {
			t.Errorf("%+v", got)
		}
		if got := w.Actions(owner); got[len(got)-1] != "sites.identityForm" {
			t.Error(got)
		}
		rolled := optest.Must[api.SiteSecretRolled](w.As(owner), "sites.rotateSecret", api.SiteRef{ID: v.ID})
		if verify(forms[used](string(rolled.Secret), w.Now())) || rolled.Site.Secret.Form != "" || rolled.Site.Secret.Version != 1 {
			t.Errorf("a new secret signs %s itself: %+v", used, rolled.Site.Secret)
		}
	}
}

// A site signs ids that its visitors choose: none of them makes a token of the
// other form.
func TestHMACOfAChosenIDIsNoJWT(t *testing.T) {
	w, owner, v := newSite(t)
	secret := rotate(w, owner, v.ID)
	forged := jwt(t, "", map[string]any{"alg": "HS256"}, map[string]any{"sub": "admin", "name": "CEO", "exp": w.Now().Add(time.Hour).Unix()})
	id := forged[:strings.LastIndex(forged, ".")]
	signed := mac(key(secret, "hmac"), id)
	if who, ok := w.Sites.VerifyIdentity(t.Context(), v, api.ChatUser{ID: id, Token: hex.EncodeToString(signed)}); !ok || who.ID != id {
		t.Fatal("what the site signed is not accepted")
	}
	if who, ok := w.Sites.VerifyIdentity(t.Context(), v, api.ChatUser{Token: id + "." + base64.RawURLEncoding.EncodeToString(signed)}); ok {
		t.Errorf("the visitor is %+v", who)
	}
}

// The documentation's code makes tokens that hold: its labels are those of the
// keys.
func TestDocumentedSignatures(t *testing.T) {
	doc, err := os.ReadFile("../../../../docs/widget.md")
	if err != nil {
		t.Fatal(err)
	}
	w, owner, v := newSite(t)
	secret := rotate(w, owner, v.ID)
	labels := regexp.MustCompile(`createHmac\('sha256', SECRET\)\.update\('([^']+)'\)`).FindAllStringSubmatch(string(doc), -1)
	if len(labels) != 2 {
		t.Fatalf("docs/widget.md makes keys of %q", labels)
	}
	header, claims := map[string]any{"alg": "HS256", "typ": "JWT"}, map[string]any{"sub": "user-17", "email": "lin@shop.example", "exp": w.Now().Add(time.Hour).Unix()}
	token := jwt(t, string(mac(secret, labels[0][1])), header, claims)
	if who, ok := w.Sites.VerifyIdentity(t.Context(), v, api.ChatUser{Token: token}); !ok || who.ID != "user-17" || who.Email != "lin@shop.example" {
		t.Error("the documented JWT does not hold")
	}
	token = hex.EncodeToString(mac(string(mac(secret, labels[1][1])), "user-17"))
	if _, ok := w.Sites.VerifyIdentity(t.Context(), v, api.ChatUser{ID: "user-17", Token: token}); !ok {
		t.Error("the documented HMAC does not hold")
	}
}

// The secret of a site is in the answer alone: not in the store's file.
func TestSiteSecretIsSealed(t *testing.T) {
	w, owner, v := newSite(t)
	secret := rotate(w, owner, v.ID)
	b, err := os.ReadFile(w.Path())
	w.Must(err)
	if strings.Contains(string(b), secret) || strings.Contains(string(b), strings.TrimPrefix(secret, "wsec_")) {
		t.Error("the secret is in the store")
	}
}

func TestSnippet(t *testing.T) {
	w, owner, v := newSite(t)
	got := optest.Must[api.SiteSnippet](w.As(owner), "sites.installSnippet", api.SiteInstall{ID: v.ID, Nonce: "{{ .Nonce }}"}).HTML
	want := `<script nonce="{{ .Nonce }}">window.svc=window.svc||function(){(svc.q=svc.q||[]).push(arguments)}</script>
<script nonce="{{ .Nonce }}" async src="https://svc.example/widget.js" data-site="` + v.ID + `"></script>
`
	if got != want {
		t.Errorf("%s", got)
	}
	w.As(owner).Refused(api.CodeValidationFailed, "sites.installSnippet", api.SiteInstall{ID: v.ID, Nonce: `"><script>`})
}
