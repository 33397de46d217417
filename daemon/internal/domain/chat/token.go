package chat

import (
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base32"
	"encoding/base64"
	"strconv"
	"strings"
	"time"

	"edgesvc.dev/svc/kv"
	"edgesvc.dev/svc/sdk/api"
)

// proofLife is how long a token stands for a proof of the site. It counts from
// the proof, not from the last connection.
const proofLife = 7 * 24 * time.Hour

// keyring makes and checks what names visitors of one site.
type keyring struct {
	*keys
	team, site string
	secret     int // version of the site's secret
}

func (k keyring) sum(key []byte, purpose string, parts ...string) []byte {
	h := hmac.New(sha256.New, key)
	h.Write(kv.Key(append([]string{purpose, k.team, k.site}, parts...)...))
	return h.Sum(nil)
}

const visitorPrefix = "vis_"

var base32ID = base32.NewEncoding("0123456789abcdefghjkmnpqrstvwxyz").WithPadding(base32.NoPadding)

// visitorID is 16 bytes as the TypeID form has them.
func visitorID(b []byte) string {
	return visitorPrefix + base32ID.EncodeToString(append(make([]byte, 4), b[:16]...))[6:]
}

func newVisitorID() string {
	b := make([]byte, 16)
	_, _ = rand.Read(b) // documented never to fail
	return visitorID(b)
}

// proven is the id of the visitor whom the site knows by this id: the same on
// every device, and to be guessed by nobody.
func (k keyring) proven(siteID string) string { return visitorID(k.sum(k.ids, "identity", siteID)) }

// earlier is the id that proven gave before keys were sealed, "" for none.
func (k keyring) earlier(siteID string) string {
	if k.old == nil {
		return ""
	}
	return visitorID(k.sum(k.old, "identity", siteID))
}

const tokenBytes = 24

// token proves to be the visitor id and, with until, that the site has proven
// who that is: until then, and as long as the site keeps its secret. It is worth
// nothing at another site.
func (k keyring) token(id string, until api.Time) string {
	if until == 0 {
		return signed(id, k.sum(k.tokens, "visitor", id))
	}
	end := strconv.FormatInt(int64(until), 36)
	return signed(id+"."+end, k.sum(k.tokens, "proven", id, end, strconv.Itoa(k.secret)))
}

func signed(text string, sum []byte) string {
	return text + "." + base64.RawURLEncoding.EncodeToString(sum[:tokenBytes])
}

// visitor returns whom a token is for, and until when a proof of the site
// is; 0 is no proof. ok is false for a token that was not made for this
// site, or whose proof has ended.
func (k keyring) visitor(token string, now time.Time) (id string, until api.Time, ok bool) {
	id, rest, _ := strings.Cut(token, ".")
	if !strings.HasPrefix(id, visitorPrefix) {
		return "", 0, false
	}
	if end, _, proof := strings.Cut(rest, "."); proof {
		n, err := strconv.ParseInt(end, 36, 64)
		until = api.Time(n)
		return id, until, err == nil && until > api.TimeOf(now) && same(token, k.token(id, until))
	}
	return id, 0, same(token, k.token(id, 0))
}

// former returns whom a token is for that was made before keys were sealed.
// Those that stood for a proof are not accepted: they did not say when it ends.
func (k keyring) former(token string, now time.Time) (id string, ok bool) {
	id, _, _ = strings.Cut(token, ".")
	return id, k.old != nil && k.keys.former > api.TimeOf(now) && strings.HasPrefix(id, visitorPrefix) &&
		same(token, signed(id, k.sum(k.old, "visitor", id)))
}

func same(a, b string) bool { return hmac.Equal([]byte(a), []byte(b)) }
