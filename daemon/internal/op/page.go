package op

import (
	"crypto/sha256"
	"encoding/base64"
	"errors"
	"log/slog"
	"math"
	"net/http"
	"sync"

	"edgesvc.dev/svc/kv"
	"edgesvc.dev/svc/sdk/api"
)

const cursorTag = 8

// Cursor makes the opaque cursor of a page that ended at next. The scope names
// the list (its team, filters and order), so that the cursor of one list is
// refused by another.
func Cursor(scope string, next []byte) string {
	tag := sha256.Sum256([]byte(scope))
	return base64.RawURLEncoding.EncodeToString(append(tag[:cursorTag], next...))
}

// ParseCursor reads what Cursor made for the same scope; "" is the first page.
func ParseCursor(scope, cursor string) ([]byte, error) {
	if cursor == "" {
		return nil, nil
	}
	b, err := base64.RawURLEncoding.DecodeString(cursor)
	tag := sha256.Sum256([]byte(scope))
	if err != nil || len(b) <= cursorTag || string(b[:cursorTag]) != string(tag[:cursorTag]) {
		return nil, errCursor()
	}
	return b[cursorTag:], nil
}

func errCursor() error {
	return api.NewError(http.StatusBadRequest, api.CodeInvalidCursor,
		"The cursor does not belong to this list. Start again without one.")
}

// CursorFrom is the cursor with which List goes on from key in that order: where
// a page begins, it leads back.
func CursorFrom(team, table, scope, order string, key []byte) string {
	return Cursor(listScope(team, table, order, scope), key)
}

// RankCursor is the cursor of a list that is ordered by how well its records fit,
// from the place n.
func RankCursor(team, table, scope string, n int) string {
	return CursorFrom(team, table, scope, byRank, []byte(kv.Uint64(uint64(n))))
}

// ParseRank is the place that RankCursor made a cursor of, 0 for none.
func ParseRank(team, table, scope, cursor string) (n int, err error) {
	b, err := ParseCursor(listScope(team, table, byRank, scope), cursor)
	if err != nil || b == nil {
		return 0, err
	}
	place, ok := kv.ParseUint64(string(b))
	if !ok || place > math.MaxInt32 {
		return 0, errCursor()
	}
	return int(place), nil
}

const byRank = "rank"

func listScope(team, table, order, scope string) string {
	return team + "\x00" + table + "\x00" + order + "\x00" + scope
}

// List reads one page of a table as the contract's page. The scope is as in
// Cursor, without the team, which is added; show turns records into answers.
// Records that cannot be read are left out and logged.
func List[T, Out any](tx kv.Tx, t *kv.Table[T], team, scope string, q api.PageQuery, p kv.Page[T], show func(id string, v *T) (Out, error)) (api.Page[Out], error) {
	scope = listScope(team, t.Name(), q.Order, scope)
	after, err := ParseCursor(scope, q.Cursor)
	if err != nil {
		return api.Page[Out]{}, err
	}
	p.After, p.Limit, p.Ascending = after, q.Limit, q.Order == "asc"
	if p.Skip == nil {
		p.Skip = Unreadable
	}
	res, err := t.List(tx, team, p)
	if err != nil {
		return api.Page[Out]{}, err
	}
	page := api.Page[Out]{Data: make([]Out, 0, len(res.Records)), HasMore: res.More}
	for i, v := range res.Records {
		out, err := show(res.IDs[i], v)
		if corrupt, ok := errors.AsType[*kv.CorruptError](err); ok {
			p.Skip(corrupt)
			continue
		}
		if err != nil {
			return api.Page[Out]{}, err
		}
		page.Data = append(page.Data, out)
	}
	if res.More {
		page.NextCursor = Cursor(scope, res.Next)
	}
	if q.Total {
		page.Total, err = total(tx, t, team, p)
	}
	return page, err
}

// mostCounted is the most records of a list that are counted: index entries are
// cheap to count, and a team may have very many.
const mostCounted = 10_000

func total[T any](tx kv.Tx, t *kv.Table[T], team string, p kv.Page[T]) (*int, error) {
	n, ok, err := t.Total(tx, team, p, mostCounted)
	if err != nil || !ok {
		return nil, err
	}
	return &n, nil
}

// named holds the keys of records that the log names already: a list that is read
// every second would fill it.
var named struct {
	sync.Mutex // guards keys
	keys       map[string]bool
}

const maxNamed = 1000

// Unreadable logs a stored record that a list or a sweep steps over, once.
func Unreadable(e *kv.CorruptError) {
	named.Lock()
	defer named.Unlock()
	if named.keys[string(e.Key)] || len(named.keys) >= maxNamed {
		return
	}
	if named.keys == nil {
		named.keys = map[string]bool{}
	}
	named.keys[string(e.Key)] = true
	slog.Error("a stored record cannot be read and is left out; stop svcd and run svcd check --repair", "record", kv.Describe(e.Key), "reason", e.Reason)
}
