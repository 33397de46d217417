package agents

import "time"

// SetLimit bounds an answer, so that a test need not wait a minute.
func (s *Service) SetLimit(limit time.Duration) { s.limit = limit }

// Filtered is what a visitor sees of pieces of text, and the articles cited.
func Filtered(limit int, pieces ...string) (deltas []string, articles []int) {
	r := reply{left: limit}
	for _, p := range pieces {
		deltas = append(deltas, r.write(p))
	}
	deltas = append(deltas, r.end())
	for _, m := range r.marks {
		articles = append(articles, m.section)
	}
	return deltas, articles
}

// Render is the HTML of an answer.
var Render = render
