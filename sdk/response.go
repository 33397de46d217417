package sdk

import (
	"bytes"
	"encoding/json"
	"errors"
	"mime"
	"net/http"
	"net/url"

	"edgesvc.dev/svc/sdk/api"
)

// CodeUnexpectedResponse marks an answer that did not come from svc, or not
// whole: another program's page, a proxy's error, cut JSON.
const CodeUnexpectedResponse api.Code = "unexpected_response"

func unexpected(status int, h http.Header, detail string, args ...any) *api.Error {
	e := api.NewError(status, CodeUnexpectedResponse, detail, args...)
	e.RequestID = h.Get("X-Request-Id")
	return e
}

func mediaType(h http.Header) string {
	t, _, err := mime.ParseMediaType(h.Get("Content-Type"))
	if err != nil {
		return ""
	}
	return t
}

func kind(h http.Header) string {
	if t := mediaType(h); t != "" {
		return t
	}
	return "no content type"
}

// Err is nil for an answer of 2xx, and an *api.Error for every other.
func (r *Response) Err() error {
	switch {
	case r.Status >= 200 && r.Status < 300:
		return nil
	case r.Status < 400:
		return unexpected(r.Status, r.Header, "the server redirects to %s; use that address", redirect(r.Header))
	}
	return refusal(r)
}

// redirect names the origin of a Location, or its path when it has none.
func redirect(h http.Header) string {
	u, err := url.Parse(h.Get("Location"))
	if err != nil || u.Host == "" {
		return h.Get("Location")
	}
	return u.Scheme + "://" + u.Host
}

// decode reads a JSON answer into out. member is one that the answer of this
// version of the API always has; without it, something else is speaking.
func (r *Response) decode(member string, out any) error {
	if err := r.Err(); err != nil {
		return err
	}
	if r.Status == http.StatusNoContent {
		return nil
	}
	if mediaType(r.Header) != "application/json" {
		return unexpected(r.Status, r.Header, "the server answered %s instead of JSON; is this the address of svc?", kind(r.Header))
	}
	var members map[string]json.RawMessage
	if err := json.Unmarshal(r.Body, &members); err != nil {
		return r.cut(err)
	}
	if _, ok := members[member]; member != "" && !ok {
		return unexpected(r.Status, r.Header, "the answer has no %q; the server is not svc, or of a version that this client does not know", member)
	}
	if tooMany(members["data"]) {
		return unexpected(r.Status, r.Header, "the list has more than %d records on a page", maxRecords)
	}
	if err := json.Unmarshal(r.Body, out); err != nil {
		return r.cut(err)
	}
	return nil
}

// maxRecords is well above what a page can have. Short records would otherwise
// grow a hundredfold in memory.
const maxRecords = 10_000

func tooMany(list json.RawMessage) bool {
	dec := json.NewDecoder(bytes.NewReader(list))
	if open, err := dec.Token(); err != nil || open != json.Delim('[') {
		return false
	}
	var record json.RawMessage
	for n := 0; dec.More(); n++ {
		if n == maxRecords {
			return true
		}
		if dec.Decode(&record) != nil {
			return false // the typed decoding reports it
		}
	}
	return false
}

func (r *Response) cut(err error) error {
	if _, ok := errors.AsType[*json.SyntaxError](err); ok {
		return unexpected(r.Status, r.Header, "the answer's JSON is cut or damaged after %d bytes: %v", len(r.Body), err)
	}
	return unexpected(r.Status, r.Header, "the answer is not what this version of the API sends: %v", err)
}
