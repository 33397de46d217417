package ghost

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"strconv"
	"strings"
	"time"
)

// row is one row of a table, by column.
type row map[string]any

func (r row) text(key string) string {
	switch v := r[key].(type) {
	case string:
		return v
	case float64:
		return strconv.FormatFloat(v, 'f', -1, 64)
	case bool:
		return strconv.FormatBool(v)
	}
	return ""
}

func (r row) texts(keys []string) map[string]string {
	out := map[string]string{}
	for _, key := range keys {
		if s := r.text(key); s != "" {
			out[key] = s
		}
	}
	return out
}

type flag bool

func (r row) flag(key string) flag { return flag(truth(r.text(key))) }

func truth(s string) bool { return s == "true" || s == "1" }

// moment is a time of the export: text, or milliseconds as old exports have it.
type moment time.Time

func (m moment) IsZero() bool           { return time.Time(m).IsZero() }
func (m moment) After(t time.Time) bool { return time.Time(m).After(t) }
func (m moment) String() string         { return time.Time(m).UTC().Format(time.RFC3339) }

func (r row) moment(key string) moment {
	switch v := r[key].(type) {
	case float64:
		if v <= 0 || v > math.MaxInt64/2 {
			return moment{}
		}
		return moment(time.UnixMilli(int64(v)))
	case string:
		for _, layout := range []string{time.RFC3339, "2006-01-02 15:04:05", "2006-01-02T15:04:05"} {
			if at, err := time.Parse(layout, strings.TrimSpace(v)); err == nil {
				return moment(at)
			}
		}
	}
	return moment{}
}

// object reads an object; member reads the value of each of its members.
func object(dec *json.Decoder, member func(key string) error) error {
	t, err := dec.Token()
	if err != nil {
		return unexpected(err)
	}
	if t == nil {
		return nil
	}
	if t != json.Delim('{') {
		return fmt.Errorf("want an object, not %v", t)
	}
	for dec.More() {
		t, err := dec.Token()
		if err != nil {
			return unexpected(err)
		}
		key, _ := t.(string)
		if err := member(key); err != nil {
			return err
		}
	}
	_, err = dec.Token()
	return unexpected(err)
}

// array reads an array; element reads each of its elements.
func array(dec *json.Decoder, element func() error) error {
	t, err := dec.Token()
	if err != nil {
		return unexpected(err)
	}
	if t == nil {
		return nil
	}
	if t != json.Delim('[') {
		return fmt.Errorf("want an array, not %v", t)
	}
	for dec.More() {
		if err := element(); err != nil {
			return err
		}
	}
	_, err = dec.Token()
	return unexpected(err)
}

func skip(dec *json.Decoder) error {
	var ignored json.RawMessage
	return unexpected(dec.Decode(&ignored))
}

func unexpected(err error) error {
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		return errors.New("the file ends in the middle; export it again")
	}
	if e := new(json.SyntaxError); errors.As(err, &e) {
		return fmt.Errorf("the file is not JSON: %w", err)
	}
	return err
}

// cmpOr is the first text that is not empty.
func cmpOr(texts ...string) string {
	for _, t := range texts {
		if strings.TrimSpace(t) != "" {
			return t
		}
	}
	return ""
}
