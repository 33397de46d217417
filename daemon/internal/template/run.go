package template

import (
	"errors"
	"slices"
	"time"

	"github.com/osteele/liquid/expressions"
	"github.com/osteele/liquid/values"
)

// maxTime backs up the count of steps where one step costs more than foreseen.
const maxTime = 200 * time.Millisecond

var (
	errBreak    = errors.New("break outside a loop")
	errContinue = errors.New("continue outside a loop")
)

// run is one rendering.
type run struct {
	values  map[string]any
	config  expressions.Config
	steps   int
	calls   int
	began   time.Time
	absent  []string // names that the present expression found no value for
	missing []string
}

func newRun(in Input) *run {
	r := &run{values: map[string]any{}, began: time.Now()}
	for name, v := range in.Values {
		r.values[name] = r.traced(name, v)
	}
	r.config = r.filters()
	return r
}

// spend counts work: a step is a node or about 64 bytes that are looked at.
func (r *run) spend(steps int) error {
	r.calls++
	if r.steps += steps; r.steps > maxSteps || r.calls%16 == 0 && time.Since(r.began) > maxTime {
		return ErrLimit
	}
	return nil
}

func (r *run) all(nodes []node, w *writer) error {
	for _, n := range nodes {
		if err := r.spend(4); err != nil {
			return err
		}
		if err := n.run(r, w); err != nil {
			return err
		}
	}
	return nil
}

// environment is what an expression sees.
type environment struct {
	expressions.Context
	run *run
}

// Get implements expressions.Context: a name that stands for nothing is noted.
func (e environment) Get(name string) any {
	v, ok := e.run.values[name]
	if !ok {
		return e.run.lacking(name)
	}
	return v
}

// value evaluates an expression whose value is needed: placeholders without one
// are missing.
func (r *run) value(e expressions.Expression) (any, error) {
	v, err := r.evaluate(e)
	r.missing = appendNew(r.missing, r.absent)
	return v, err
}

func (r *run) evaluate(e expressions.Expression) (any, error) {
	r.absent = r.absent[:0]
	return e.Evaluate(environment{expressions.NewContext(r.values, r.config), r})
}

// truth evaluates a condition, where asking for what is not there is allowed.
func (r *run) truth(e expressions.Expression) (bool, error) {
	v, err := r.evaluate(e)
	return v != nil && v != false, err
}

func appendNew(to, names []string) []string {
	for _, name := range names {
		if !slices.Contains(to, name) && len(to) < 100 {
			to = append(to, name)
		}
	}
	return to
}

func (t text) run(r *run, w *writer) error {
	if err := r.spend(len(t) / 64); err != nil {
		return err
	}
	return w.literal(string(t))
}

func (o object) run(r *run, w *writer) error {
	v, err := r.value(o.expr)
	if err != nil || v == nil {
		return err
	}
	s, err := show(v)
	if err != nil {
		return err
	}
	if err := r.spend(len(s.text) / 64); err != nil {
		return err
	}
	return w.value(s)
}

func (a assign) run(r *run, _ *writer) error {
	v, err := r.value(a.expr)
	r.values[a.name] = r.traced(a.name, v)
	return err
}

func (c capture) run(r *run, _ *writer) error {
	inner := &writer{place: Plain, limit: maxValue}
	err := r.all(c.body, inner)
	r.values[c.name] = inner.String()
	return err
}

func (c choice) run(r *run, w *writer) error {
	for _, b := range c.branches {
		holds := b.test == nil
		if !holds {
			is, err := r.truth(b.test)
			if err != nil {
				return err
			}
			holds = is != b.negate
		}
		if holds {
			return r.all(b.body, w)
		}
	}
	return nil
}

func (s selection) run(r *run, w *writer) error {
	subject, err := r.evaluate(s.subject)
	if err != nil {
		return err
	}
	for _, c := range s.cases {
		holds := c.values == nil
		for _, e := range c.values {
			v, err := r.evaluate(e)
			if err != nil {
				return err
			}
			holds = holds || values.Equal(subject, v)
		}
		if holds {
			return r.all(c.body, w)
		}
	}
	return nil
}

func (j jump) run(*run, *writer) error { return j.err }

func (l loop) run(r *run, w *writer) error {
	items, err := l.items(r)
	if err != nil {
		return err
	}
	if len(items) == 0 {
		return r.all(l.empty, w)
	}
	for _, name := range []string{l.Variable, "forloop"} {
		before, had := r.values[name]
		defer func() {
			if delete(r.values, name); had {
				r.values[name] = before
			}
		}()
	}
	for i, item := range items {
		r.values[l.Variable] = r.traced(l.Variable, item)
		r.values["forloop"] = position(i, len(items))
		err := r.all(l.body, w)
		if errors.Is(err, errBreak) {
			return nil
		}
		if err != nil && !errors.Is(err, errContinue) {
			return err
		}
		if err := r.spend(8); err != nil {
			return err
		}
	}
	return nil
}

func position(i, n int) map[string]any {
	return map[string]any{
		"first": i == 0, "last": i == n-1, "index": i + 1, "index0": i,
		"rindex": n - i, "rindex0": n - i - 1, "length": n,
	}
}

// items are what the loop goes through.
func (l loop) items(r *run) ([]any, error) {
	v, err := r.value(l.Expr)
	if err != nil {
		return nil, err
	}
	items, err := list(v)
	if err != nil {
		return nil, err
	}
	from, err := l.bound(r, l.Offset, 0)
	if err != nil {
		return nil, err
	}
	items = items[min(from, len(items)):]
	most, err := l.bound(r, l.Limit, len(items))
	if err != nil {
		return nil, err
	}
	items = items[:min(most, len(items))]
	if l.Reversed {
		items = slices.Clone(items)
		slices.Reverse(items)
	}
	return items, r.spend(len(items) / 8)
}

func (l loop) bound(r *run, e expressions.Expression, otherwise int) (int, error) {
	if e == nil {
		return otherwise, nil
	}
	v, err := r.value(e)
	if err != nil {
		return 0, err
	}
	n, ok := number(v)
	if !ok || n < 0 {
		return 0, errors.New("limit and offset of a loop are whole numbers from 0")
	}
	return int(min(n, maxItems)), nil
}
