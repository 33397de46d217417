package trpc_test

import (
	"context"
	"errors"
	"math"
	"strconv"
	"strings"
	"time"

	"github.com/valyala/fasthttp"

	"edgesvc.dev/svc/daemon/internal/superjson"
	"edgesvc.dev/svc/daemon/internal/superjson/superjsontest"
	"edgesvc.dev/svc/daemon/internal/surface/trpc"
)

// procedures are those that the vectors describe.
func procedures() map[string]*trpc.Procedure {
	query := func(f func(c *trpc.Call) (string, error)) *trpc.Procedure { return answer(trpc.Query, f) }
	mutation := func(f func(c *trpc.Call) (string, error)) *trpc.Procedure { return answer(trpc.Mutation, f) }
	fixed := func(s string) *trpc.Procedure { return query(func(*trpc.Call) (string, error) { return s, nil }) }
	fail := func(code, message string) func(*trpc.Call) (string, error) {
		return func(*trpc.Call) (string, error) { return "", &trpc.Error{Code: code, Message: message} }
	}
	return map[string]*trpc.Procedure{
		"echo": query(echo), "echoMut": mutation(echo),
		"kind": query(kind), "nothing": fixed(""), "nul": fixed(`{"json":null}`),
		"math.add": query(add), "math.addMut": mutation(add),
		"types.date":   fixed(`{"json":"2024-02-29T12:34:56.789Z","meta":{"values":["Date"],"v":1}}`),
		"types.bigint": fixed(`{"json":"12345678901234567890","meta":{"values":["bigint"],"v":1}}`),
		"types.map":    fixed(`{"json":[["k",1],["d","1970-01-01T00:00:00.000Z"]],"meta":{"values":["map",{"1.1":["Date"]}],"v":1}}`),
		"types.set":    fixed(`{"json":["a","b"],"meta":{"values":["set"],"v":1}}`),
		"types.mixed": fixed(`{"json":{"at":"1970-01-01T00:00:00.000Z","big":"1","none":null,"nan":"NaN","list":[1,null,"1970-01-01T00:00:00.001Z"],"dot.key":"1970-01-01T00:00:00.002Z"},` +
			`"meta":{"values":{"at":["Date"],"big":["bigint"],"none":["undefined"],"nan":["number"],"list.1":["undefined"],"list.2":["Date"],"dot\\.key":["Date"]},"v":1}}`),
		"fail.with": query(failWith), "fail.withMut": mutation(failWith),
		"fail.notFound":  query(fail("NOT_FOUND", "no such thing")),
		"fail.conflict":  mutation(fail("CONFLICT", "slug already taken")),
		"fail.plain":     query(func(*trpc.Call) (string, error) { return "", errors.New("boom") }),
		"session.whoami": query(guarded(`{"json":{"user":"alice"}}`)),
		"session.touch":  mutation(guarded(`{"json":{"user":"alice","ok":true}}`)),
		"slow": query(func(c *trpc.Call) (string, error) {
			v, err := c.Value()
			if err != nil {
				return "", err
			}
			ms, _ := strconv.Atoi(v.Member("ms").Text)
			time.Sleep(time.Duration(ms) * time.Millisecond)
			return envelope(v.Member("value"))
		}),
		"sub.count": subscribe(count), "sub.plain": subscribe(plainCount),
		"sub.echo": subscribe(func(c *trpc.Call, emit func(id, data string) error) error { return emitted(echo, c, emit) }),
		"sub.mixed": subscribe(func(_ *trpc.Call, emit func(id, data string) error) error {
			return errors.Join(emit("a", `{"json":1}`), emit("", `{"json":2}`), emit("b", `{"json":3}`))
		}),
		"sub.fail": subscribe(func(c *trpc.Call, emit func(id, data string) error) error {
			v, err := c.Value()
			if err != nil {
				return err
			}
			code := "FORBIDDEN"
			if m := v.Member("code"); m != nil {
				code = m.Text
			}
			return errors.Join(emit("", `{"json":1}`), &trpc.Error{Code: code, Message: "stopped"})
		}),
		"sub.failPlain": subscribe(func(*trpc.Call, func(id, data string) error) error { return errors.New("boom") }),
		"sub.idle": subscribe(func(c *trpc.Call, emit func(id, data string) error) error {
			return emit("", `{"json":"done"}`)
		}),
		"sub.guarded": subscribe(func(c *trpc.Call, emit func(id, data string) error) error {
			return emitted(guarded(`{"json":"alice"}`), c, emit)
		}),
		"sub.badInput": subscribe(func(c *trpc.Call, emit func(id, data string) error) error { return emitted(add, c, emit) }),
	}
}

func answer(kind trpc.Type, f func(c *trpc.Call) (string, error)) *trpc.Procedure {
	return &trpc.Procedure{Type: kind, Call: func(_ context.Context, c *trpc.Call, dst []byte) ([]byte, error) {
		out, err := f(c)
		return append(dst, out...), err
	}}
}

func subscribe(f func(c *trpc.Call, emit func(id, data string) error) error) *trpc.Procedure {
	return &trpc.Procedure{Type: trpc.Subscription, Subscribe: func(_ context.Context, c *trpc.Call, emit func(trpc.Event) error) error {
		return f(c, func(id, data string) error {
			e := trpc.Event{ID: id}
			if data != "" {
				e.Data = []byte(data)
			}
			return emit(e)
		})
	}}
}

func emitted(f func(*trpc.Call) (string, error), c *trpc.Call, emit func(id, data string) error) error {
	out, err := f(c)
	if err != nil {
		return err
	}
	return emit("", out)
}

func envelope(v *superjson.Value) (string, error) {
	b, err := superjsontest.Encode(nil, v)
	return string(b), err
}

func echo(c *trpc.Call) (string, error) {
	v, err := c.Value()
	if err != nil {
		return "", err
	}
	return envelope(v)
}

var kinds = map[superjson.Kind]string{
	superjson.Undefined: "undefined", superjson.Null: "null", superjson.Bool: "boolean", superjson.Number: "number", superjson.String: "string",
	superjson.BigInt: "bigint", superjson.Date: "Date", superjson.RegExp: "RegExp", superjson.URL: "URL", superjson.Array: "array",
	superjson.Object: "object", superjson.Set: "Set", superjson.Map: "Map", superjson.Error: "Error",
}

func kind(c *trpc.Call) (string, error) {
	v, err := c.Value()
	if err != nil {
		return "", err
	}
	return envelope(superjson.Text(kinds[v.Kind]))
}

func number(v *superjson.Value, name string) float64 {
	m := v.Member(name)
	if m == nil || m.Kind != superjson.Number {
		return math.NaN()
	}
	f, _ := strconv.ParseFloat(m.Text, 64)
	return f
}

func add(c *trpc.Call) (string, error) {
	v, err := c.Value()
	if err != nil {
		return "", err
	}
	sum := number(v, "a") + number(v, "b")
	if math.IsNaN(sum) {
		return "", &trpc.Error{Code: "BAD_REQUEST", Message: "a and b must be numbers"}
	}
	return `{"json":` + strconv.FormatFloat(sum, 'g', -1, 64) + `}`, nil
}

func failWith(c *trpc.Call) (string, error) {
	v, err := c.Value()
	if err != nil {
		return "", err
	}
	e := &trpc.Error{Code: "BAD_REQUEST", Message: "unknown code"}
	if code := v.Member("code"); code != nil && trpc.Known(code.Text) {
		e = &trpc.Error{Code: code.Text}
		if m := v.Member("message"); m != nil {
			e.Message = m.Text
		}
	}
	return "", e
}

func guarded(out string) func(*trpc.Call) (string, error) {
	return func(c *trpc.Call) (string, error) {
		if c.Session != "alice" {
			return "", errNoSession
		}
		return out, nil
	}
}

var errNoSession = &trpc.Error{Code: "UNAUTHORIZED", Message: "no session"}

func session(gate bool) func(ctx *fasthttp.RequestCtx) (any, error) {
	return func(ctx *fasthttp.RequestCtx) (any, error) {
		good := string(ctx.Request.Header.Peek("Authorization")) == "Bearer good" || strings.Contains(string(ctx.Request.Header.Peek("Cookie")), "session=good")
		switch {
		case good:
			return "alice", nil
		case gate:
			return nil, errNoSession
		}
		return nil, nil
	}
}

func bound(v *superjson.Value, name string, otherwise int) int {
	m := v.Member(name)
	if m == nil {
		return otherwise
	}
	n, err := strconv.Atoi(m.Text)
	if err != nil {
		return otherwise
	}
	return n
}

func count(c *trpc.Call, emit func(id, data string) error) error {
	v, err := c.Value()
	if err != nil {
		return err
	}
	from := bound(v, "from", 1)
	if m := v.Member("lastEventId"); m != nil {
		n, _ := strconv.Atoi(m.Text)
		from = n + 1
	}
	for i := from; i <= bound(v, "to", 3); i++ {
		data, err := envelope((&superjson.Value{Kind: superjson.Object}).With("n", superjson.Int(int64(i))).With("at", &superjson.Value{Kind: superjson.Date, Time: int64(i)}))
		if err != nil {
			return err
		}
		if err := emit(strconv.Itoa(i), data); err != nil {
			return err
		}
	}
	return nil
}

func plainCount(c *trpc.Call, emit func(id, data string) error) error {
	v, err := c.Value()
	if err != nil {
		return err
	}
	for i := 1; i <= bound(v, "to", 2); i++ {
		if err := emit("", `{"json":`+strconv.Itoa(i)+`}`); err != nil {
			return err
		}
	}
	return nil
}
