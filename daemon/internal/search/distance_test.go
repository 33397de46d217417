package search

import (
	"testing"

	"pgregory.net/rapid"
)

// plainDistance is distance without a limit, as textbooks have it.
func plainDistance(a, b string) int {
	rows := make([][]int, len(a)+1)
	for i := range rows {
		rows[i] = make([]int, len(b)+1)
		rows[i][0] = i
	}
	for j := range rows[0] {
		rows[0][j] = j
	}
	for i := 1; i <= len(a); i++ {
		for j := 1; j <= len(b); j++ {
			rows[i][j] = min(rows[i-1][j]+1, rows[i][j-1]+1, rows[i-1][j-1]+int(differ(a[i-1], b[j-1])))
			if i > 1 && j > 1 && a[i-1] == b[j-2] && a[i-2] == b[j-1] {
				rows[i][j] = min(rows[i][j], rows[i-2][j-2]+1)
			}
		}
	}
	return rows[len(a)][len(b)]
}

// Within its limit the distance is that of the textbook, beyond it more than the
// limit.
func TestDistanceIsThatOfTheTextbook(t *testing.T) {
	t.Parallel()
	word := rapid.StringMatching(`[abc]{0,9}`)
	rapid.Check(t, func(t *rapid.T) {
		a, b, limit := word.Draw(t, "a"), word.Draw(t, "b"), rapid.IntRange(1, 3).Draw(t, "limit")
		got, want := distance(a, b, limit), plainDistance(a, b)
		if want <= limit && got != want || want > limit && got <= limit {
			t.Fatalf("%q and %q are %d apart within %d, want %d", a, b, got, limit, want)
		}
	})
}
