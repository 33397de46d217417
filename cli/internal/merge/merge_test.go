package merge_test

import (
	"testing"

	"edgesvc.dev/svc/cli/internal/merge"
)

func TestOf(t *testing.T) {
	const base = "a\nb\nc\nd\ne\n"
	for _, tt := range []struct{ name, mine, theirs, want string }{
		{"nothing", base, base, base},
		{"one side", "a\nB\nc\nd\ne\n", base, "a\nB\nc\nd\ne\n"},
		{"the other", base, "a\nb\nc\nD\ne\n", "a\nb\nc\nD\ne\n"},
		{"both", "a\nB\nc\nd\ne\n", "a\nb\nc\nD\ne\n", "a\nB\nc\nD\ne\n"},
		{"lines beside each other", "a\nB\nc\nd\ne\n", "a\nb\nC\nd\ne\n", "a\nB\nC\nd\ne\n"},
		{"the same", "a\nX\nc\nd\ne\n", "a\nX\nc\nd\ne\n", "a\nX\nc\nd\ne\n"},
		{"ends", "0\na\nb\nc\nd\ne\n", "a\nb\nc\nd\ne\nf\n", "0\na\nb\nc\nd\ne\nf\n"},
		{"deletions", "a\nc\nd\ne\n", "a\nb\nc\nd\n", "a\nc\nd\n"},
		{"conflict", "a\nM\nc\nd\ne\n", "a\nT\nc\nd\ne\n", "a\n<<<<<<< m\nM\n=======\nT\n>>>>>>> t\nc\nd\ne\n"},
		{"insertions at one place", "a\nb\nM\nc\nd\ne\n", "a\nb\nT\nc\nd\ne\n", "a\nb\n<<<<<<< m\nM\n=======\nT\n>>>>>>> t\nc\nd\ne\n"},
		{"a line changed in what the other deleted", "a\nb\nC\nd\ne\n", "a\ne\n", "a\n<<<<<<< m\nb\nC\nd\n=======\n>>>>>>> t\ne\n"},
		{"two and one", "A\nb\nC\nd\ne\n", "X\nY\nZ\nd\nE\n", "<<<<<<< m\nA\nb\nC\n=======\nX\nY\nZ\n>>>>>>> t\nd\nE\n"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			m := merge.Of(base, tt.mine, tt.theirs)
			if got := m.Marked("m", "t"); got != tt.want {
				t.Errorf("merged:\n%s", got)
			}
			if m.Clean() != (merge.Unsolved(tt.want, "m") == 0) {
				t.Errorf("clean: %v", m.Clean())
			}
		})
	}
}

func FuzzOf(f *testing.F) {
	f.Add("a\nb\nc", "a\nc", "a\nB\nc\nd")
	f.Fuzz(func(t *testing.T, base, mine, theirs string) {
		if got := merge.Of(base, base, theirs).Theirs(); got != theirs {
			t.Errorf("an unchanged side gives %q, not %q", got, theirs)
		}
		if got := merge.Of(base, mine, base).Theirs(); got != mine {
			t.Errorf("an unchanged side gives %q, not %q", got, mine)
		}
		if m := merge.Of(base, mine, mine); !m.Clean() || m.Theirs() != mine {
			t.Errorf("the same on both sides gives %q", m.Theirs())
		}
		merge.Of(base, mine, theirs).Marked("m", "t")
	})
}
