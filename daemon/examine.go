package daemon

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"slices"
	"strings"

	"edgesvc.dev/svc/daemon/internal/llm"
	"edgesvc.dev/svc/kv"
)

// The states of a finding.
const (
	FoundOK   = "ok"
	FoundNote = "note"
	FoundFail = "fail"
)

// Finding is one line of what svcd doctor reports.
type Finding struct {
	Check string `json:"check"`
	State string `json:"state"` // one of the Found constants
	Text  string `json:"text"`
}

// Examine reports what only an open daemon knows: whether the teams that the
// configuration names exist, and whether the models' servers answer.
func (d *Daemon) Examine(ctx context.Context) []Finding {
	found := []Finding{{"daemon", FoundOK, "svcd " + Release() + " " + d.whereabouts()}}
	return append(append(found, d.examineSites(ctx)...), d.cfg.ExamineModels(ctx)...)
}

func (d *Daemon) whereabouts() string {
	switch {
	case d.base == "":
		return "is stopped; its data opens"
	case d.admin == nil:
		return "serves " + d.base + ", figures nowhere"
	}
	return "serves " + d.base + ", figures on " + d.admin.Addr().String()
}

func (d *Daemon) examineSites(ctx context.Context) []Finding {
	hosts := pairs(d.cfg.SiteHosts)
	var found []Finding
	for _, host := range slices.Sorted(maps.Keys(hosts)) {
		f := Finding{"site-hosts", FoundOK, fmt.Sprintf("%s shows the pages of %s", host, hosts[host])}
		_, _, err := d.team.Publication(ctx, hosts[host])
		if _, missing := errors.AsType[*kv.NotFoundError](err); missing {
			f.State, f.Text = FoundFail, fmt.Sprintf("%s shows nothing: there is no team %s", host, hosts[host])
		} else if err != nil {
			f.State, f.Text = FoundFail, fmt.Sprintf("%s: %v", host, err)
		}
		found = append(found, f)
	}
	return found
}

// ExamineModels asks every configured server for its models, and reports names of
// the map that lead nowhere.
func (c *Config) ExamineModels(ctx context.Context) []Finding {
	router, names := llm.Open(c.models()), pairs(c.ModelMap)
	found := c.examineMap()
	servers := router.Check(ctx)
	if len(servers) == 0 {
		return append(found, Finding{"models", FoundNote, fmt.Sprintf("no vendor key and no compatible server: all %d models are answered offline, labelled so", len(llm.Models()))})
	}
	for _, s := range servers {
		found = append(found, examineServer(s))
	}
	for _, m := range llm.Models() {
		by := router.ServingOf(m)
		if by.Provider == llm.ProviderOffline {
			found = append(found, Finding{"models", FoundNote, m.ID + " is answered offline"})
			continue
		}
		i := slices.IndexFunc(servers, func(s llm.Checked) bool { return s.Address == by.Address })
		found = append(found, examineModel(m.ID, names[m.ID], by, &servers[i]))
	}
	covers := "svcd itself"
	if model := router.ImageModel(); model != "" {
		covers = model
	}
	return append(found, Finding{"models", FoundOK, "covers are drawn by " + covers})
}

// examineMap reports models of the map that there are none of.
func (c *Config) examineMap() []Finding {
	var found []Finding
	for _, id := range slices.Sorted(maps.Keys(pairs(c.ModelMap))) {
		if _, ok := llm.FindModel(id); !ok {
			found = append(found, Finding{"model-map", FoundFail, fmt.Sprintf("there is no model %s; there are %s", id, strings.Join(llm.ModelIDs(), ", "))})
		}
	}
	return found
}

// warn logs what the configuration names and is not there: the daemon works
// without it.
func (d *Daemon) warn(ctx context.Context) {
	for _, f := range append(d.examineSites(ctx), d.cfg.examineMap()...) {
		if f.State == FoundFail {
			slog.Warn(f.Check + ": " + f.Text)
		}
	}
}

func examineServer(s llm.Checked) Finding {
	f := Finding{"models", FoundOK, fmt.Sprintf("%s answered, with %d models; it is asked as %s", s.Address, len(s.Models), s.Provider)}
	if p := s.Problem; p != nil {
		f.State, f.Text = FoundFail, s.Address+" "+problemText(p)
	}
	return f
}

// problemText says why a server did not give its list, without a word of its
// answer.
func problemText(p *llm.Error) string {
	switch {
	case p.Kind == llm.KindAuth:
		return fmt.Sprintf("refused the key (HTTP %d)", p.Status)
	case p.Status != 0:
		return fmt.Sprintf("answered HTTP %d", p.Status)
	case p.Reason != "":
		return "did not answer: " + p.Reason
	}
	return "did not answer: " + p.Message
}

// examineModel says under which name a server is asked for a model.
func examineModel(id, mapped string, by llm.Serving, s *llm.Checked) Finding {
	name := mapped
	if name == "" {
		name = llm.NameAt(s, id)
	}
	f := Finding{"models", FoundOK, fmt.Sprintf("%s is asked of %s as %s", id, by.Address, name)}
	if s.Problem == nil && len(s.Models) > 0 && !slices.Contains(s.Models, name) {
		f.State, f.Text = FoundNote, f.Text+", which is not among its models"
	}
	return f
}

// CheckTLS reads the certificate, where files are configured.
func (c *Config) CheckTLS() error {
	_, err := c.tlsConfig()
	return err
}
