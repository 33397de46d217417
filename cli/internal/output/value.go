package output

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"reflect"
	"strings"
	"text/template"
	"time"

	"github.com/goccy/go-yaml"
	"github.com/itchyny/gojq"

	"edgesvc.dev/svc/cli/internal/terminal"
)

// value writes anything that has a JSON form, in the form that was asked for.
func (p Printer) value(v any) error {
	raw, err := p.encode(v)
	if err != nil {
		return err
	}
	switch {
	case p.JQ != "":
		return p.query(raw)
	case p.Template != "":
		return p.execute(raw)
	case p.Format == "yaml":
		b, err := yaml.JSONToYAML(raw)
		if err != nil {
			return fmt.Errorf("write YAML: %w", err)
		}
		return p.write(b)
	case p.Format == "jsonl":
		return p.lines(raw)
	}
	return p.write(append(indent(raw), '\n'))
}

// lines writes each element of an array on a line of its own, and anything else
// on one.
func (p Printer) lines(raw []byte) error {
	var list []json.RawMessage
	if json.Unmarshal(raw, &list) != nil {
		list = []json.RawMessage{raw}
	}
	for _, one := range list {
		if err := p.write(append(one, '\n')); err != nil {
			return err
		}
	}
	return nil
}

// Value writes what is no record of a View: an answer as it came.
func (p Printer) Value(v any) error { return p.value(v) }

func (p Printer) line(v any) error {
	raw, err := p.encode(v)
	if err != nil {
		return err
	}
	return p.write(append(raw, '\n'))
}

func (p Printer) encode(v any) ([]byte, error) {
	raw, err := Encode(v)
	if err != nil || len(p.Fields) == 0 {
		return raw, err
	}
	return pick(raw, p.Fields, fields(reflect.TypeOf(v)))
}

// Encode is the JSON of v on one line, without HTML escaping.
func Encode(v any) ([]byte, error) {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		return nil, fmt.Errorf("write JSON: %w", err)
	}
	return bytes.TrimRight(b.Bytes(), "\n"), nil
}

func indent(raw []byte) []byte {
	var b bytes.Buffer
	if json.Indent(&b, raw, "", "  ") != nil {
		return raw
	}
	return b.Bytes()
}

// write escapes what could steer a terminal; in JSON the escapes mean the same.
func (p Printer) write(b []byte) error {
	_, err := io.WriteString(p.IO.Out, escape(string(b)))
	return err
}

func escape(s string) string {
	if strings.IndexFunc(s, terminal.Unsafe) < 0 {
		return s
	}
	var b strings.Builder
	for _, r := range s {
		if terminal.Unsafe(r) {
			fmt.Fprintf(&b, `\u%04x`, r)
			continue
		}
		b.WriteRune(r)
	}
	return b.String()
}

func (p Printer) compileJQ() (*gojq.Code, error) {
	if p.JQ == "" {
		return nil, nil
	}
	query, err := gojq.Parse(p.JQ)
	if err != nil {
		return nil, fmt.Errorf("%w: --jq: %w", ErrUsage, err)
	}
	code, err := gojq.Compile(query)
	if err != nil {
		return nil, fmt.Errorf("%w: --jq: %w", ErrUsage, err)
	}
	return code, nil
}

// query prints each result: strings as they are, everything else as JSON.
func (p Printer) query(raw []byte) error {
	code, err := p.compileJQ()
	if err != nil {
		return err
	}
	var v any
	if err := json.Unmarshal(raw, &v); err != nil {
		return fmt.Errorf("read JSON: %w", err)
	}
	results := code.Run(v)
	for {
		result, more := results.Next()
		if !more {
			return nil
		}
		if err, ok := result.(error); ok {
			return fmt.Errorf("--jq: %w", err)
		}
		if err := p.result(result); err != nil {
			return err
		}
	}
}

func (p Printer) result(v any) error {
	if s, ok := v.(string); ok {
		if p.IO.OutTTY {
			s = terminal.Clean(s)
		}
		_, err := fmt.Fprintln(p.IO.Out, s)
		return err
	}
	raw, err := gojq.Marshal(v)
	if err != nil {
		return fmt.Errorf("write JSON: %w", err)
	}
	return p.write(append(raw, '\n'))
}

func (p Printer) parseTemplate() (*template.Template, error) {
	t, err := template.New("template").Funcs(template.FuncMap{
		"json": func(v any) (string, error) {
			b, err := Encode(v)
			return string(b), err
		},
		"join": func(sep string, items []any) string {
			texts := make([]string, len(items))
			for i, item := range items {
				texts[i] = fmt.Sprint(item)
			}
			return strings.Join(texts, sep)
		},
		"ago": func(s string) (string, error) {
			at, err := time.Parse(time.RFC3339, s)
			return Ago(time.Now(), at), err
		},
	}).Parse(p.Template)
	if err != nil {
		return nil, fmt.Errorf("%w: --template: %w", ErrUsage, err)
	}
	return t, nil
}

func (p Printer) execute(raw []byte) error {
	t, err := p.parseTemplate()
	if err != nil {
		return err
	}
	var v any
	if err := json.Unmarshal(raw, &v); err != nil {
		return fmt.Errorf("read JSON: %w", err)
	}
	var b strings.Builder
	if err := t.Execute(&b, v); err != nil {
		return fmt.Errorf("%w: %w", ErrUsage, err)
	}
	s := b.String()
	if p.IO.OutTTY {
		s = terminal.Clean(s)
	}
	_, err = io.WriteString(p.IO.Out, s)
	return err
}
