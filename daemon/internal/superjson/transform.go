package superjson

import (
	"errors"
	"fmt"
	"math"
	"net/url"
	"strconv"
	"strings"
)

// revivers turn a value's JSON form into what its annotation says, in place.
// Only the forms that the library writes are taken.
var revivers = map[string]func(*Value) error{
	"undefined": func(v *Value) error { *v = Value{}; return nil },
	"Date":      reviveDate,
	"bigint":    reviveBig,
	"number":    reviveNumber,
	"regexp":    reviveRegExp,
	"URL":       reviveURL,
	"set":       reviveSet,
	"map":       reviveMap,
	"Error":     reviveError,
}

func transform(v, kind *Value) error {
	if kind.Kind == String {
		revive, ok := revivers[kind.Text]
		if !ok {
			return fmt.Errorf("Unknown transformation: %s", kind.Text) //nolint:staticcheck // the library's own words
		}
		return revive(v)
	}
	if kind.Kind != Array || len(kind.Items) != 2 || kind.Items[0].Text != "typed-array" || kind.Items[1].Kind != String {
		return errors.New("unknown composite transformation")
	}
	return reviveTyped(v, kind.Items[1].Text)
}

func (v *Value) text(what string) error {
	if v.Kind != String {
		return fmt.Errorf("a %s must be text", what)
	}
	return nil
}

func reviveDate(v *Value) error {
	if err := v.text("Date"); err != nil {
		return err
	}
	ms, err := parseDate(v.Text)
	*v = Value{Kind: Date, Time: ms}
	return err
}

func reviveBig(v *Value) error {
	if err := v.text("bigint"); err != nil {
		return err
	}
	digits := strings.TrimLeft(v.Text, "+-")
	if len(digits) == 0 || len(digits) > maxDigits || len(v.Text)-len(digits) > 1 || strings.Trim(digits, "0123456789") != "" {
		return errors.New("a bigint must be decimal digits")
	}
	digits = strings.TrimLeft(digits, "0")
	switch {
	case digits == "":
		digits = "0"
	case v.Text[0] == '-':
		digits = "-" + digits
	}
	*v = Value{Kind: BigInt, Text: digits}
	return nil
}

func reviveNumber(v *Value) error {
	n := Value{Kind: Number, Text: v.Text}
	if v.Kind != String || !n.special() {
		return errors.New("a number must be NaN, Infinity, -Infinity or -0")
	}
	*v = n
	return nil
}

func reviveRegExp(v *Value) error {
	if err := v.text("RegExp"); err != nil {
		return err
	}
	end := strings.LastIndexByte(v.Text, '/')
	if end < 1 || v.Text[0] != '/' {
		return errors.New("a RegExp must be /source/flags")
	}
	for i, flag := range v.Text[end+1:] {
		if !strings.ContainsRune("dgimsuvy", flag) || strings.ContainsRune(v.Text[end+2+i:], flag) {
			return errors.New("a RegExp has an unknown flag or one twice")
		}
	}
	*v = Value{Kind: RegExp, Text: v.Text}
	return nil
}

func reviveURL(v *Value) error {
	if err := v.text("URL"); err != nil {
		return err
	}
	u, err := url.Parse(v.Text)
	if err != nil || u.Scheme == "" {
		return errors.New("a URL must be absolute")
	}
	switch u.Scheme {
	case "http", "https", "ws", "wss", "ftp":
		if u.Host == "" {
			return errors.New("a URL must have a host")
		}
		if u.Path == "" {
			u.Path = "/"
		}
		u.Host = strings.ToLower(u.Host)
		*v = Value{Kind: URL, Text: u.String()}
		return nil
	}
	*v = Value{Kind: URL, Text: v.Text}
	return nil
}

// scalarKey is what JavaScript compares a scalar by.
type scalarKey struct {
	kind Kind
	text string
	bool bool
}

// key gives scalars that JavaScript holds for the same the same key.
func (v *Value) key() scalarKey {
	k := scalarKey{v.Kind, v.Text, v.Bool}
	if v.Kind == Number && !v.special() {
		if f, err := strconv.ParseFloat(v.Text, 64); err == nil {
			k.text = strconv.FormatFloat(f, 'g', -1, 64)
		}
	} else if v.Kind == Number && v.Text == "-0" {
		k.text = "0"
	}
	return k
}

func reviveSet(v *Value) error {
	if v.Kind != Array {
		return errors.New("a Set must be a list")
	}
	seen := map[scalarKey]bool{}
	items := make([]*Value, 0, len(v.Items))
	for _, item := range v.Items {
		if k := item.key(); item.scalar() {
			if seen[k] {
				continue
			}
			seen[k] = true
		}
		items = append(items, item)
	}
	*v = Value{Kind: Set, Items: items}
	return nil
}

func reviveMap(v *Value) error {
	if v.Kind != Array {
		return errors.New("a Map must be a list")
	}
	at := map[scalarKey]int{}
	items := make([]*Value, 0, 2*len(v.Items))
	for _, row := range v.Items {
		if row.Kind != Array || len(row.Items) != 2 {
			return errors.New("a row of a Map must be a key and a value")
		}
		key := row.Items[0]
		if i, ok := at[key.key()]; ok && key.scalar() {
			items[i] = row.Items[1] // the place of the first, the value of the last
			continue
		}
		items = append(items, key, row.Items[1])
		if key.scalar() {
			at[key.key()] = len(items) - 1
		}
	}
	*v = Value{Kind: Map, Items: items}
	return nil
}

// reviveError keeps name, message and cause. A revived error always has a
// cause, if only undefined.
func reviveError(v *Value) error {
	if v.Kind != Object {
		return errors.New("an Error must be an object")
	}
	e := Value{Kind: Error}
	for _, name := range []string{"name", "message", "cause"} {
		member := v.Member(name)
		switch {
		case member == nil && name == "message":
			member = Text("")
		case member == nil:
			member = &Value{}
		case name == "name" && member.Kind == Undefined:
		case name != "cause" && member.Kind != String:
			return fmt.Errorf("an Error's %s must be text", name)
		}
		e.set(name, member)
	}
	*v = e
	return nil
}

// ranges of the elements of typed arrays; floats take any number.
var ranges = map[string][2]float64{
	"Int8Array": {-1 << 7, 1<<7 - 1}, "Uint8Array": {0, 1<<8 - 1}, "Uint8ClampedArray": {0, 1<<8 - 1},
	"Int16Array": {-1 << 15, 1<<15 - 1}, "Uint16Array": {0, 1<<16 - 1},
	"Int32Array": {-1 << 31, 1<<31 - 1}, "Uint32Array": {0, 1<<32 - 1},
	"Float32Array": {}, "Float64Array": {},
}

func reviveTyped(v *Value, class string) error {
	limits, known := ranges[class]
	if !known || v.Kind != Array {
		return errors.New("a typed array must be a list and of a known class")
	}
	float := strings.HasPrefix(class, "Float")
	items := make([]*Value, len(v.Items))
	for i, item := range v.Items {
		if items[i] = item; item.Kind == Null {
			items[i] = Int(0) // what JSON makes of NaN
			continue
		}
		n, err := strconv.ParseFloat(item.Text, 64)
		if item.Kind != Number || err != nil || !float && (n != math.Trunc(n) || n < limits[0] || n > limits[1]) {
			return fmt.Errorf("an element does not fit %s", class)
		}
		if class == "Float32Array" {
			items[i] = number(strconv.FormatFloat(float64(float32(n)), 'g', -1, 64))
		}
	}
	*v = Value{Kind: TypedArray, Text: class, Items: items}
	return nil
}
