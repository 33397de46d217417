package mcp

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"
)

// maxAnswer is how many characters a tool's answer may have: what a model can
// still take in beside its task.
const maxAnswer = 20_000

func length(body []byte) int { return utf8.RuneCount(body) }

const mark = `{"truncated":true,`

// fit cuts a JSON object to the bound, texts before lists, and says so in the
// object. It keeps all members of objects, so that the answer still is as the
// schema has it. An answer that was made shorter before says so too.
func fit(body jsontext.Value, truncated bool) jsontext.Value {
	cut := body
	if length(cut) > maxAnswer-len(mark) && (truncated || length(cut) > maxAnswer) {
		truncated = true
		text, items := maxAnswer, 1<<20
		for length(cut) > maxAnswer-len(mark) && text > 1 {
			text = text * 3 / 4
			if text < 500 {
				items = max(1, min(items, 200)*3/4)
			}
			cut = shrink(body, text, items)
		}
	}
	if truncated && len(cut) > 2 {
		cut = append([]byte(mark), bytes.TrimSpace(cut)[1:]...)
	}
	return cut
}

// shrink copies JSON with at most text characters of each text and items
// members of each list.
func shrink(body jsontext.Value, text, items int) jsontext.Value {
	var out bytes.Buffer
	s := shrinking{dec: jsontext.NewDecoder(bytes.NewReader(body)), enc: jsontext.NewEncoder(&out, jsontext.EscapeForHTML(false)), text: text, items: items}
	for {
		if err := s.value(); errors.Is(err, io.EOF) {
			return bytes.TrimSpace(out.Bytes())
		} else if err != nil {
			panic(fmt.Sprintf("mcp: answer is no JSON: %v", err)) // the daemon wrote it
		}
	}
}

type shrinking struct {
	dec         *jsontext.Decoder
	enc         *jsontext.Encoder
	text, items int
}

// value copies the next token, or skips the value that is one too many.
func (s *shrinking) value() error {
	if kind, n := s.dec.StackIndex(s.dec.StackDepth()); kind == '[' && n >= int64(s.items) && s.dec.PeekKind() != ']' {
		return s.dec.SkipValue()
	}
	tok, err := s.dec.ReadToken()
	if err != nil {
		return err
	}
	if tok.Kind() == '"' && !s.isName() {
		tok = jsontext.String(clip(tok.String(), s.text))
	}
	return s.enc.WriteToken(tok)
}

// isName reports whether the token just read names a member.
func (s *shrinking) isName() bool {
	kind, n := s.dec.StackIndex(s.dec.StackDepth())
	return kind == '{' && n%2 == 1
}

// clip keeps the first n characters.
func clip(text string, n int) string {
	if len(text) <= n || utf8.RuneCountInString(text) <= n {
		return text
	}
	for i := range text {
		if n--; n == 0 {
			return text[:i] + "…"
		}
	}
	return text
}
