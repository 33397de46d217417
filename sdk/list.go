package sdk

import (
	"errors"
	"iter"

	"edgesvc.dev/svc/sdk/api"
)

// errCursor ends a list whose next page is the page itself.
var errCursor = errors.New("the list's next page is the same page again")

// all walks the pages of a list from the query's cursor on. After an error it
// yields that error and ends.
func all[T any](q api.PageQuery, list func(api.PageQuery) (*api.Page[T], error)) iter.Seq2[*T, error] {
	return func(yield func(*T, error) bool) {
		if q.Limit == 0 {
			q.Limit = 100
		}
		for {
			page, err := list(q)
			if err != nil {
				yield(nil, err)
				return
			}
			for i := range page.Data {
				if !yield(&page.Data[i], nil) {
					return
				}
			}
			if !page.HasMore || page.NextCursor == "" {
				return
			}
			if page.NextCursor == q.Cursor {
				yield(nil, errCursor)
				return
			}
			q.Cursor = page.NextCursor
		}
	}
}
