package kit

import (
	"fmt"
	"strings"

	"edgesvc.dev/svc/sdk/api"
)

// SplitWords splits a command line at spaces, minding single and double quotes.
func SplitWords(line string) ([]string, error) {
	var words []string
	var word strings.Builder
	quote, inWord := rune(0), false
	for _, r := range line {
		switch {
		case quote != 0 && r == quote:
			quote = 0
		case quote == 0 && (r == '\'' || r == '"'):
			quote, inWord = r, true
		case quote == 0 && (r == ' ' || r == '\t'):
			if inWord {
				words = append(words, word.String())
				word.Reset()
				inWord = false
			}
		default:
			word.WriteRune(r)
			inWord = true
		}
	}
	if quote != 0 {
		return nil, Usage("a quote is not closed in %s", fmt.Sprintf("%q", line))
	}
	if inWord {
		words = append(words, word.String())
	}
	return words, nil
}

// StepMark is a sign for the state of a job, a step or a run.
func StepMark(state string) string {
	switch state {
	case api.JobCompleted:
		return "✓"
	case api.JobRunning:
		return "▸"
	case api.JobFailed:
		return "✗"
	case api.JobCanceled, "skipped":
		return "-"
	}
	return "○"
}

// Count is a number with its noun: 1 post, 2 posts.
func Count(n int, noun string) string {
	if n != 1 {
		noun += "s"
	}
	return fmt.Sprintf("%d %s", n, noun)
}
