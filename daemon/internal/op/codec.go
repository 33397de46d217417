package op

import (
	"bytes"
	"io"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"edgesvc.dev/svc/sdk/api"
)

// marshal and unmarshal options of every JSON that crosses the daemon's edge:
// members match exactly, none twice, none unknown, valid UTF-8, no escaping of
// HTML, times without an allocation each, the same bytes for equal values.
var (
	encodeOptions = json.JoinOptions(
		json.WithMarshalers(json.JoinMarshalers(json.MarshalToFunc(encodeTime), json.MarshalToFunc(encodeChoice))),
		jsontext.EscapeForHTML(false),
		json.Deterministic(true), // of maps
	)
	decodeOptions = json.RejectUnknownMembers(true)
)

func encodeTime(enc *jsontext.Encoder, t api.Time) error {
	b := enc.AvailableBuffer()
	if t == 0 {
		return enc.WriteToken(jsontext.Null)
	}
	b = append(b, '"')
	b = t.Time().AppendFormat(b, "2006-01-02T15:04:05.000Z")
	return enc.WriteValue(append(b, '"'))
}

// encodeChoice writes an answer of several alternatives as the one that it is:
// what the type's own MarshalJSON does, without encoding twice and without
// escaping HTML.
func encodeChoice(enc *jsontext.Encoder, v interface{ Choice() any }) error {
	return json.MarshalEncode(enc, v.Choice())
}

// Encode appends v as JSON to dst.
func Encode(dst []byte, v any) ([]byte, error) {
	w := bytes.NewBuffer(dst)
	err := json.MarshalWrite(w, v, encodeOptions)
	return w.Bytes(), err
}

// Decode reads JSON that the daemon itself wrote.
func Decode(b []byte, v any) error { return json.Unmarshal(b, v) }

// EncodeTo writes v as JSON to w, which may have taken a part of it when there
// is an error.
func EncodeTo(w io.Writer, v any) error { return json.MarshalWrite(w, v, encodeOptions) }
