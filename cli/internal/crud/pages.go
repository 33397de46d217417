package crud

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"iter"
	"maps"
	"reflect"

	"edgesvc.dev/svc/cli/internal/contract"
	"edgesvc.dev/svc/cli/internal/kit"
	"edgesvc.dev/svc/cli/internal/output"
	"edgesvc.dev/svc/sdk"
	"edgesvc.dev/svc/sdk/api"
)

// biggestPage is the largest that the daemon gives.
const biggestPage = 100

// biggestWithContent keeps a page of long texts below the limit of an answer.
const biggestWithContent = 20

// errSamePage ends a list whose next page is the page itself.
var errSamePage = errors.New("the list's next page is the same page again")

// pages walks a list and remembers whether there is more of it.
type pages[T, Q any] struct {
	list  func(context.Context, Q, ...sdk.CallOption) (*api.Page[T], error)
	query map[string]any
	limit int // records to yield; 0 for all

	total *int // of all pages; nil where the daemon does not count them
	more  bool
	next  string // the cursor of what comes after the last record that was yielded
}

func (p *pages[T, Q]) all(ctx context.Context) iter.Seq2[*T, error] {
	return func(yield func(*T, error) bool) {
		query, left := maps.Clone(p.query), p.limit
		if query == nil {
			query = map[string]any{}
		}
		for {
			size := biggestPage
			if query["include"] != nil {
				size = biggestWithContent
			}
			if query["limit"] = size; p.limit > 0 {
				query["limit"] = min(left, size)
			}
			page, err := p.page(ctx, query)
			if err != nil {
				yield(nil, err)
				return
			}
			if delete(query, "total"); page.Total != nil {
				p.total = page.Total
			}
			for i := range page.Data {
				if !yield(&page.Data[i], nil) {
					p.more = i < len(page.Data)-1 || page.HasMore
					return
				}
			}
			left -= len(page.Data)
			if !page.HasMore || page.NextCursor == "" {
				return
			}
			if p.limit > 0 && left <= 0 {
				p.more, p.next = true, page.NextCursor
				return
			}
			if query["cursor"] == page.NextCursor {
				yield(nil, errSamePage)
				return
			}
			query["cursor"] = page.NextCursor
		}
	}
}

func (p *pages[T, Q]) page(ctx context.Context, query map[string]any) (*api.Page[T], error) {
	q, err := decodeQuery[Q](query)
	if err != nil {
		return nil, err
	}
	return p.list(kit.Reading(ctx), q)
}

// decodeQuery fills a query's members.
func decodeQuery[Q any](members map[string]any) (q Q, err error) {
	b, err := json.Marshal(members)
	if err == nil {
		err = json.Unmarshal(b, &q)
	}
	if err != nil {
		return q, fmt.Errorf("write the query: %w", err)
	}
	return q, nil
}

func hasQ[Q any]() bool { return contract.Has(reflect.TypeFor[Q](), "q") }

// ShowPages prints a list of the daemon's as the flags ask for it, and says when
// there is more of it.
func ShowPages[T, Q any](ctx context.Context, a *kit.App, l kit.ListFlags, view output.View[T],
	list func(context.Context, Q, ...sdk.CallOption) (*api.Page[T], error), q Q,
) error {
	b, err := json.Marshal(q)
	if err != nil {
		return fmt.Errorf("write the query: %w", err)
	}
	query := map[string]any{}
	if err := json.Unmarshal(b, &query); err != nil {
		return fmt.Errorf("write the query: %w", err)
	}
	return showPages(ctx, a, l, view, list, query)
}

func showPages[T, Q any](ctx context.Context, a *kit.App, l kit.ListFlags, view output.View[T],
	list func(context.Context, Q, ...sdk.CallOption) (*api.Page[T], error), query map[string]any,
) error {
	p, err := a.Printer()
	if err != nil {
		return err
	}
	if err := l.Check(); err != nil {
		return err
	}
	walk := &pages[T, Q]{list: list, query: query}
	if l.Cursor != "" {
		walk.query["cursor"] = l.Cursor
	}
	switch {
	case l.All:
	case len(l.Arrange.Filter) > 0:
		l.Arrange.Limit = l.Limit // pages say nothing of how many records pass
	default:
		walk.limit = l.Limit
		if people(p) && hasPages[Q]() {
			walk.query["total"] = true
		}
	}
	shown := 0
	records := output.Apply(l.Arrange, counted(walk.all(ctx), &shown))
	if err := a.IO.Paged(func() error { return output.List(p, view, records) }); err != nil || !walk.more || !people(p) {
		return err
	}
	a.SayMore(min(shown, l.Limit), walk.total, walk.next)
	return nil
}

// people reports that the output is for a person.
func people(p output.Printer) bool {
	return !p.Structured() && p.Format != "ids" && p.Format != "csv"
}

func hasPages[Q any]() bool { return contract.Has(reflect.TypeFor[Q](), "total") }

func counted[T any](records iter.Seq2[*T, error], n *int) iter.Seq2[*T, error] {
	return func(yield func(*T, error) bool) {
		for record, err := range records {
			if err == nil {
				*n++
			}
			if !yield(record, err) {
				return
			}
		}
	}
}
