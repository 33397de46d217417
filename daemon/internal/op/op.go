// Package op is the operation table: every capability of the daemon is one row,
// declared once by its domain and offered by the surfaces (REST, tRPC, MCP) as
// the row says. It checks who may call, decodes and validates input, runs, keeps
// idempotency keys and rate limits, and turns the store's errors into refusals.
// It knows no wire format but JSON arguments, and no domain.
package op

import (
	"context"
	"fmt"
	"net/http"
	"reflect"
	"strings"
	"sync"

	"github.com/danielgtaylor/huma/v2"

	"edgesvc.dev/svc/kv"
	"edgesvc.dev/svc/sdk/api"
)

// Op is one row of the table.
type Op struct {
	Name   string // "posts.create": also its procedure's name
	Method string // REST method and path below the version prefix; empty when
	Path   string // the operation is not offered on REST
	Tool   string // MCP tool name; empty when not offered on MCP
	Scope  Scope  // what a key needs; a session's role grants scopes too
	// Session restricts the operation to signed-in members of at least this
	// role.
	Session Role
	// Open lets callers without credentials in; the operation checks for itself.
	Open bool
	// Frees marks what lets a member in, ends something or deletes it: it may use
	// what a full store keeps back, so that an owner can always make space.
	Frees bool
	// Urgent marks what must go on for a while when the team's share of the store
	// is used up: it may take the team a little beyond it.
	Urgent bool
	// Audit has the act noted in the team's audit log, in the transaction of its
	// Update.
	Audit  bool
	Status int   // of success; 0 means 200. The answer's HTTPStatus method wins.
	Class  Class // rate limit class; 0 means by method
	Hints  Hints // for MCP
	// Refuses are the codes with which the domain refuses, beside those that
	// follow from the row; see Refusals. Rows that only members call may leave
	// them out: no contract lists them.
	Refuses []api.Code
	Doc     string
	Do      Do

	input  *input
	output reflect.Type
	secret bool // the input or the answer holds an api.Secret
}

// Hints are what MCP clients want to know of a tool beyond its schema.
type Hints struct {
	Title       string
	Default     bool // in the default tool set
	ReadOnly    bool // set by NewTable for GET rows and those of ClassRead
	Destructive bool
	Idempotent  bool
	OpenWorld   bool // reaches systems outside the daemon
}

// Do is an operation's typed function; make it with Func.
type Do struct {
	in, out reflect.Type
	run     func(ctx context.Context, who Caller, in any) (any, error)
	more    func(in any) []api.FieldError // nil for none
}

// Func adapts f. In is a flat struct of the contract: parameters of the path
// and, for GET, of the query are its fields by json name.
func Func[In, Out any](f func(context.Context, Caller, In) (Out, error)) Do {
	return Do{
		in: reflect.TypeFor[In](), out: answerType[Out](),
		run: func(ctx context.Context, who Caller, in any) (any, error) {
			return f(ctx, who, *in.(*In))
		},
	}
}

// Also names rules of the domain that the schema of In cannot say. They are
// asked only for an input that is refused anyway, so that the refusal lists
// everything at once; the operation itself holds them for every other.
func Also[In any](d Do, rules func(In) []api.FieldError) Do {
	d.more = func(in any) []api.FieldError { return rules(*in.(*In)) }
	return d
}

// Table is all operations. It is read-only after NewTable.
type Table struct {
	Ops      []*Op
	Streams  []*Stream
	Registry huma.Registry // schemas of all inputs and outputs
	// Audit notes a privileged act; it is set before the first call.
	Audit func(tx kv.Tx, who *Caller, action, target string) error
	// Quota holds teams to their share of the store; it is set before the first
	// call.
	Quota  Quota
	byName map[string]*Op
	store  kv.Store
	limits *Limiter
}

// strictSchemas has the schema library take member names as they are written,
// and lists as lists: no answer has null for one. They are settings of that
// library's, for the whole process.
var strictSchemas = sync.OnceFunc(func() {
	huma.ValidateStrictCasing = true
	huma.DefaultArrayNullable = false
})

// NewTable joins the rows of all domains. It panics on a row that contradicts
// itself or another, for that is a mistake in the program.
func NewTable(store kv.Store, limits *Limiter, groups ...[]Op) *Table {
	t := &Table{Registry: NewRegistry(), byName: map[string]*Op{}, store: store, limits: limits}
	for _, group := range groups {
		for i := range group {
			t.add(&group[i])
		}
	}
	return t
}

func (t *Table) add(o *Op) {
	if t.byName[o.Name] != nil {
		panic("op: two rows are named " + o.Name)
	}
	o.Hints.ReadOnly = o.Hints.ReadOnly || o.Method == http.MethodGet || o.Class == ClassRead
	if o.Class == 0 {
		o.Class = ClassWrite
		if o.ReadOnly() {
			o.Class = ClassRead
		}
	}
	if o.Status == 0 {
		o.Status = http.StatusOK
	}
	o.input, o.output = compileInput(t.Registry, o.Do.in), o.Do.out
	o.input.more = o.Do.more
	o.secret = HoldsSecret(o.Do.in) || HoldsSecret(o.Do.out)
	for _, name := range o.PathParams() {
		if o.input.param(name) == nil {
			panic(fmt.Sprintf("op: %s has no input field for {%s}", o.Name, name))
		}
	}
	t.byName[o.Name] = o
	t.Ops = append(t.Ops, o)
}

// Lookup returns the operation of that name, or nil.
func (t *Table) Lookup(name string) *Op { return t.byName[name] }

// PathParams are the names in braces, in order.
func (o *Op) PathParams() []string {
	var names []string
	for seg := range strings.SplitSeq(o.Path, "/") {
		if strings.HasPrefix(seg, "{") {
			names = append(names, seg[1:len(seg)-1])
		}
	}
	return names
}

// TakesBody reports whether the arguments on REST are a body; else they are
// parameters of the query. The method decides: an operation that only reads may
// be a POST, where what it asks is too much for an address.
func (o *Op) TakesBody() bool {
	return o.Method != http.MethodGet && o.Method != http.MethodDelete
}

// ReadOnly reports whether the operation changes nothing.
func (o *Op) ReadOnly() bool { return o.Hints.ReadOnly }

// InputType is the contract's type of the input, for the surfaces' schemas.
func (o *Op) InputType() reflect.Type { return o.Do.in }

// OutputType is the type of the answer.
func (o *Op) OutputType() reflect.Type { return o.output }

// Takes reports whether the input has a member of that name that a parameter
// can set.
func (o *Op) Takes(name string) bool { return o.input != nil && o.input.param(name) != nil }

// Take counts one request of a hand-written route against the caller's limit.
func (t *Table) Take(who *Caller, class Class) (Rate, error) { return t.limits.Take(who, class) }
