package sites

import (
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"errors"
	"html"
	"log/slog"
	"net/http"
	"slices"
	"strings"
	"time"

	"edgesvc.dev/svc/daemon/internal/op"
	"edgesvc.dev/svc/daemon/internal/roster"
	"edgesvc.dev/svc/daemon/internal/seal"
	"edgesvc.dev/svc/kv"
	"edgesvc.dev/svc/sdk/api"
)

const (
	sitePrefix = "wsec_"

	// maxProof bounds what a visitor sends as a token before it is looked at.
	maxProof = 4096
	// proofLife is how far ahead a token may end: one that leaks is of use for
	// that long.
	proofLife = 24 * time.Hour
	maxClaim  = 320
	// clockSlack is how far the clock of a site may be ahead.
	clockSlack = 5 * time.Minute
)

// Sealer keeps bytes so that they can be read again at the same place only.
type Sealer interface {
	Seal(place string, plaintext []byte) []byte
	Unseal(place string, sealed []byte) ([]byte, error)
}

// Identity is who the site has proved that a visitor is.
type Identity struct {
	ID string
	// Email and Name are empty unless the site signed them too.
	Email, Name string
}

func sealedAt(teamID, siteID string) string { return "site/" + teamID + "/" + siteID }

// RotateSiteSecret gives a site another secret and returns it, this once.
func (s *Service) RotateSiteSecret(ctx context.Context, who op.Caller, in api.SiteRef) (out api.SiteSecretRolled, err error) {
	plain := seal.Token(sitePrefix)
	out.Secret = api.Secret(plain)
	err = s.store.Update(ctx, func(tx kv.Tx) (err error) {
		out.Site, err = s.changeSite(tx, who, in, "sites.rotateSecret", func(v *site) {
			v.Secret = s.seal.Seal(sealedAt(who.Team, in.ID), []byte(plain))
			v.Last4 = plain[len(plain)-4:]
			v.Rotated, v.Form = v.Rotated+1, ""
		})
		return err
	})
	return out, err
}

// The forms of proof.
const (
	formJWT  = "jwt"
	formHMAC = "hmac"
)

// identityKey is what signs one form of proof. The forms have keys of their own,
// made of the site's secret: a site that signs ids which its visitors choose
// must not sign a JWT thereby.
func identityKey(secret []byte, form string) []byte {
	return sign(secret, "svc identity "+form+" v1")
}

// VerifyIdentity reports whether the site has proved who the visitor is, by a
// token that a key of its secret signed: a JWT (RFC 7519; HS256 and nothing else,
// ending within a day), or the hex HMAC-SHA256 of the visitor's id. The latter
// proves no e-mail address.
//
// A secret from before the forms had keys of their own also signs one form
// itself: the one that the site is first seen to use.
func (s *Service) VerifyIdentity(ctx context.Context, at api.Site, user api.ChatUser) (Identity, bool) {
	if at.Identity == identityOff || user.Token == "" || len(user.Token) > maxProof {
		return Identity{}, false
	}
	secret, v, err := s.siteSecret(ctx, at.ID)
	if err != nil || len(secret) == 0 {
		return Identity{}, false
	}
	form, verify := formJWT, s.verifyJWT
	if mac, err := hex.DecodeString(user.Token); err == nil {
		form, verify = formHMAC, func(key []byte, _ string) (Identity, bool) {
			ok := user.ID != "" && len(user.ID) <= maxClaim && hmac.Equal(mac, sign(key, user.ID))
			return Identity{ID: user.ID}, ok
		}
	}
	who, ok := verify(identityKey(secret, form), user.Token)
	if !ok && v.Rotated == 0 && (v.Form == "" || v.Form == form) {
		if who, ok = verify(secret, user.Token); ok && v.Form == "" {
			ok = s.settleForm(ctx, at.ID, form)
		}
	}
	return who, ok && (user.ID == "" || user.ID == who.ID)
}

// settleForm notes which form of proof an earlier secret signs itself. It
// reports false when that is another one.
func (s *Service) settleForm(ctx context.Context, id, form string) (ok bool) {
	err := s.store.Update(ctx, func(tx kv.Tx) error {
		teamID, v, err := siteOf(tx, id)
		if err != nil {
			return err
		}
		ok = v.Rotated == 0 && (v.Form == "" || v.Form == form)
		if !ok || v.Form != "" {
			return nil
		}
		v.Form = form
		if err := sites.Put(tx, teamID, id, v); err != nil {
			return err
		}
		who := op.Caller{Kind: op.System, Team: teamID, Actor: api.Actor{Type: "system", ID: "sites"}}
		return s.Audit(tx, &who, "sites.identityForm", id, detail{"form": form})
	})
	if err != nil {
		slog.ErrorContext(ctx, "note a site's form of proof", "site", id, "err", err)
	}
	return ok && err == nil
}

func (s *Service) siteSecret(ctx context.Context, id string) (plain []byte, v *site, err error) {
	var place string
	err = s.store.View(ctx, func(tx kv.Tx) error {
		teamID, found, err := siteOf(tx, id)
		if err == nil {
			place, v = sealedAt(teamID, id), found
		}
		return err
	})
	if err != nil || len(v.Secret) == 0 {
		return nil, v, err
	}
	plain, err = s.seal.Unseal(place, v.Secret)
	return plain, v, err
}

func sign(secret []byte, text string) []byte {
	h := hmac.New(sha256.New, secret)
	h.Write([]byte(text))
	return h.Sum(nil)
}

// claims are the members of a token that are read; others may be there.
type claims struct {
	Subject   string   `json:"sub"`
	Email     string   `json:"email"`
	Name      string   `json:"name"`
	Expires   *float64 `json:"exp"`
	NotBefore float64  `json:"nbf"`
	IssuedAt  float64  `json:"iat"`
}

// verifyJWT checks the signature before it reads what was signed.
func (s *Service) verifyJWT(secret []byte, token string) (Identity, bool) {
	signed, mac, ok := cutLast(token, ".")
	head, body, two := strings.Cut(signed, ".")
	sum, err := base64.RawURLEncoding.Strict().DecodeString(mac)
	if !ok || !two || strings.Contains(body, ".") || err != nil || !hmac.Equal(sum, sign(secret, signed)) {
		return Identity{}, false
	}
	var header struct {
		Algorithm string           `json:"alg"`
		Critical  *json.RawMessage `json:"crit"`
	}
	var c claims
	if segment(head, &header) != nil || header.Algorithm != "HS256" || header.Critical != nil || segment(body, &c) != nil {
		return Identity{}, false
	}
	if !c.valid(s.Now()) {
		return Identity{}, false
	}
	return Identity{ID: c.Subject, Email: roster.NormalEmail(c.Email), Name: c.Name}, true
}

func (c *claims) valid(now time.Time) bool {
	seconds := float64(now.Unix())
	slack := clockSlack.Seconds()
	return c.Subject != "" && max(len(c.Subject), len(c.Email), len(c.Name)) <= maxClaim &&
		c.Expires != nil && *c.Expires > seconds && *c.Expires <= seconds+proofLife.Seconds()+slack &&
		c.NotBefore <= seconds+slack && c.IssuedAt <= seconds+slack
}

func segment(text string, v any) error {
	b, err := base64.RawURLEncoding.Strict().DecodeString(text)
	if err != nil {
		return err
	}
	return json.Unmarshal(b, v)
}

func cutLast(s, sep string) (before, after string, found bool) {
	i := strings.LastIndex(s, sep)
	if i < 0 {
		return s, "", false
	}
	return s[:i], s[i+len(sep):], true
}

// InstallSnippet returns the markup that puts the widget on a page.
func (s *Service) InstallSnippet(ctx context.Context, who op.Caller, in api.SiteInstall) (api.SiteSnippet, error) {
	if strings.ContainsFunc(in.Nonce, func(r rune) bool { return r < ' ' || r == '"' || r == '<' || r == '>' }) {
		return api.SiteSnippet{}, api.Invalid("/nonce", "format", `A nonce has no quotes, angle brackets or line ends.`)
	}
	v, err := s.Site(ctx, who, api.SiteGet{ID: in.ID})
	if err != nil {
		return api.SiteSnippet{}, err
	}
	nonce := ""
	if in.Nonce != "" {
		nonce = ` nonce="` + in.Nonce + `"`
	}
	return api.SiteSnippet{HTML: `<script` + nonce + `>window.svc=window.svc||function(){(svc.q=svc.q||[]).push(arguments)}</script>` + "\n" +
		`<script` + nonce + ` async src="` + html.EscapeString(s.BaseURL) + `/widget.js" data-site="` + html.EscapeString(v.ID) + `"></script>` + "\n"}, nil
}

// AdmitSite returns the site whose page has that origin, as the Origin header
// of a browser says it. A client that is no browser has none (""), and could
// name any: it is let in. Its refusals are not_found and origin_not_allowed.
func (s *Service) AdmitSite(ctx context.Context, id, origin string) (teamID string, out api.Site, err error) {
	teamID, out, err = s.SiteByID(ctx, id)
	if _, missing := errors.AsType[*kv.NotFoundError](err); missing {
		return "", out, api.NewError(http.StatusNotFound, api.CodeNotFound, "There is no such site.")
	}
	if err != nil {
		return "", out, err
	}
	if origin != "" && !slices.Contains(out.AllowedOrigins, origin) {
		return "", out, api.NewError(http.StatusForbidden, api.CodeOriginNotAllowed,
			"Pages of this origin may not use the site. Add it to the site's allowed origins.")
	}
	return teamID, out, nil
}
