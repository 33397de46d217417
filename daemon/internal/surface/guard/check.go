package guard

import (
	"bytes"

	"github.com/valyala/fasthttp"
)

// check returns why a request must not be served, or nil. Everything here is
// about framing and identity: where front proxies and this server could
// disagree on where a request ends, whom it is for, or who sent it.
func check(h *fasthttp.RequestHeader) *refusal {
	if p := string(h.Protocol()); p != "HTTP/1.1" && p != "HTTP/1.0" {
		return malformed("The protocol must be HTTP/1.1 or HTTP/1.0.")
	}
	if !knownMethod(h.Method()) {
		return unknownMethod
	}
	if r := checkTarget(h.RequestURI()); r != nil {
		return r
	}
	return checkFields(h.RawHeaders(), h.IsHTTP11())
}

func knownMethod(m []byte) bool {
	switch string(m) {
	case "GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS":
		return true
	}
	return false
}

// single are the fields whose second occurrence would let one reader believe
// the first and another the last.
var single = [...]string{
	"Host", "Content-Length", "Transfer-Encoding", "Authorization", "Content-Type", "Content-Encoding",
	"Origin", "Expect", "Idempotency-Key", "If-Match",
}

const (
	fieldHost = iota
	fieldLength
	fieldTransfer
)

// checkFields reads the header block as it came over the wire, because the
// parser has already unfolded and merged what it accepted.
func checkFields(block []byte, http11 bool) *refusal {
	var seen [len(single)]bool
	for len(block) > 0 && string(block) != "\r\n" {
		end := bytes.IndexByte(block, '\n')
		if end < 1 || block[end-1] != '\r' {
			return malformed("Header lines must end with CR LF.")
		}
		line := block[:end-1]
		block = block[end+1:]
		colon := bytes.IndexByte(line, ':')
		if colon < 1 || !onlyOf(line[:colon], &tokenByte) {
			return malformed("A header line is not a name, a colon and a value.")
		}
		name, value := line[:colon], line[colon+1:]
		if !onlyOf(value, &valueByte) {
			return malformed("A header value holds a control character.")
		}
		if r := checkField(name, bytes.Trim(value, " \t"), &seen, http11); r != nil {
			return r
		}
	}
	if !seen[fieldHost] {
		return malformed("The Host header is missing.")
	}
	if seen[fieldLength] && seen[fieldTransfer] {
		return malformed("Content-Length and Transfer-Encoding exclude each other.")
	}
	return nil
}

func checkField(name, value []byte, seen *[len(single)]bool, http11 bool) *refusal {
	for i, s := range single {
		if len(s) != len(name) || s[0] != name[0]&^0x20 || !bytes.EqualFold(name, []byte(s)) {
			continue
		}
		if seen[i] {
			return malformed("The header " + s + " occurs twice.")
		}
		seen[i] = true
		return checkSingle(s, value, http11)
	}
	return nil
}

func checkSingle(name string, value []byte, http11 bool) *refusal {
	switch name {
	case "Host":
		if len(value) == 0 || !onlyOf(value, &hostByte) {
			return malformed("The Host header is not a host name and port.")
		}
	case "Content-Length":
		if len(value) == 0 || len(value) > 15 || !onlyOf(value, &digitByte) {
			return malformed("Content-Length must be a decimal number.")
		}
	case "Transfer-Encoding":
		if !http11 || !bytes.EqualFold(value, []byte("chunked")) {
			return malformed("The only Transfer-Encoding is chunked, in HTTP/1.1.")
		}
	case "Content-Encoding":
		if !bytes.EqualFold(value, []byte("identity")) {
			return encodedBody
		}
	}
	return nil
}
