package job

import (
	"fmt"
	"regexp"
	"strings"
	"sync"
	"time"

	"github.com/sourcegraph/conc"

	"edgesvc.dev/svc/cli/internal/kit"
	"edgesvc.dev/svc/cli/internal/terminal"
	"edgesvc.dev/svc/sdk/api"
)

const (
	frame = 120 * time.Millisecond
	// caretC leaves room for the ^C that a terminal echoes: on the next line,
	// it would leave this one behind.
	caretC = 3
)

// markup is HTML tags, also those at the edges of a text that was cut.
var markup = regexp.MustCompile(`^[^<>]{0,40}>|<[^<>]*(>|$)`)

// progress shows what a job does: one line that moves on a terminal, a line
// for each change elsewhere.
type progress struct {
	io    *terminal.IO
	start time.Time
	wg    conc.WaitGroup
	done  chan struct{}

	mu    sync.Mutex // guards all below
	job   *api.Job
	words int
	tail  string
	said  map[string]string // step → the state last told
	ticks int
}

func newProgress(io *terminal.IO) *progress {
	p := &progress{io: io, start: time.Now(), done: make(chan struct{}), said: map[string]string{}}
	if io.ErrTTY {
		p.wg.Go(p.animate)
	}
	return p
}

// stop takes the moving line away.
func (p *progress) stop() {
	close(p.done)
	p.wg.Wait()
	if p.io.ErrTTY {
		fmt.Fprint(p.io.Err, "\r\x1b[K")
	}
}

func (p *progress) animate() {
	tick := time.NewTicker(frame)
	defer tick.Stop()
	for {
		select {
		case <-p.done:
			return
		case <-tick.C:
			p.draw()
		}
	}
}

func (p *progress) event(e api.JobEvent) {
	p.mu.Lock()
	defer p.mu.Unlock()
	switch {
	case e.Job != nil:
		p.job = e.Job
		if !p.io.ErrTTY {
			p.tell(e.Job)
		}
	case e.Type == "delta":
		p.words += len(strings.Fields(e.Text))
		p.tail = lastRunes(p.tail+e.Text, 200)
	case e.Type == "reset":
		p.words, p.tail = 0, ""
	}
}

func lastRunes(s string, n int) string {
	r := []rune(s)
	return string(r[max(0, len(r)-n):])
}

// tell writes the steps that changed, for a log.
func (p *progress) tell(job *api.Job) {
	if len(p.said) == 0 {
		p.io.Say("%s %s", terminal.Line(job.ID), terminal.Line(job.State))
		p.said[""] = job.State
	}
	for _, step := range job.Steps {
		if p.said[step.Name] == step.State || step.State == api.JobQueued {
			continue
		}
		p.said[step.Name] = step.State
		note := step.Error + step.Warning
		p.io.Say("%s %s %s", kit.StepMark(step.State), terminal.Line(step.Name), terminal.Line(strings.TrimSpace(step.State+" "+note)))
	}
}

func (p *progress) draw() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.ticks++
	spinner := []rune("⠋⠙⠹⠸⠼⠴⠦⠧⠇⠏")
	elapsed := time.Since(p.start).Round(time.Second)
	line := fmt.Sprintf("%c waiting  %s", spinner[p.ticks%len(spinner)], elapsed)
	if p.job != nil {
		line = fmt.Sprintf("%c %d%%  %s  %s", spinner[p.ticks%len(spinner)], p.job.Progress, terminal.Line(steps(p.job)), elapsed)
		if t := tokens(p.job); t != "" {
			line += "  " + t + " tokens"
		}
		if p.words > 0 {
			line += fmt.Sprintf("  %d words  %s", p.words, terminal.Line(lastRunes(markup.ReplaceAllString(p.tail, " "), 30)))
		}
	}
	width := p.io.Width
	if width == 0 {
		width = 80
	}
	fmt.Fprint(p.io.Err, "\r"+terminal.Cut(line, width-caretC)+"\x1b[K")
}
