package tasks

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"edgesvc.dev/svc/daemon/internal/template"
	"edgesvc.dev/svc/sdk/api"
)

// request is an API task filled in: what is sent, and what of it is secret.
type request struct {
	method, url, body string
	shownURL          string           // url with the key hidden, however short it is
	headers           []api.TaskHeader // with the secret values
	secrets           *secrets
}

// filler renders the templates of one run and collects what they lack.
type filler struct {
	values  map[string]any
	fence   string
	missing []string
}

// fill renders source; where names what it is, for the error.
func (f *filler) fill(where, source string, at template.Place) (string, error) {
	out, err := template.Render(source, template.Input{Place: at, Values: f.values, Fence: f.fence})
	if err != nil {
		return "", failed(api.CodeTemplateError, false, "The %s cannot be filled in: %s.", where, err)
	}
	for _, name := range out.Missing {
		if !slices.Contains(f.missing, name) {
			f.missing = append(f.missing, name)
		}
	}
	return out.Text, nil
}

// compose fills in an API task. The secrets are added when nothing is missing.
func (s *Service) compose(team string, r *record, f *filler) (*request, error) {
	t := &r.Task
	req := &request{method: t.Method, secrets: &secrets{}}
	var err error
	if req.url, err = f.fill("url", t.URL, template.URL); err != nil {
		return nil, err
	}
	for _, h := range t.Headers {
		if !h.Secret {
			if h.Value, err = f.fill("header "+h.Name, h.Value, template.Header); err != nil {
				return nil, err
			}
		}
		req.headers = append(req.headers, h)
	}
	if req.body, err = f.fill("body", t.Body, bodyPlace(t)); err != nil {
		return nil, err
	}
	if req.body != "" && header(t.Headers, "Content-Type") == "" {
		req.headers = append(req.headers, api.TaskHeader{Name: "Content-Type", Value: guessType(req.body)})
	}
	if err := checkTarget(t.URL, req.url); err != nil {
		return nil, err
	}
	req.shownURL = req.url
	return req, s.unseal(team, r, req)
}

// checkTarget holds a filled-in address to the host of the task, and refuses a
// value that climbs out of the path that the task names.
func checkTarget(task, filled string) error {
	u, err := url.Parse(filled)
	if err != nil || origin(task) != strings.ToLower(u.Scheme+"://"+u.Host) {
		return failed(api.CodeUnsafeURL, false, "The values make an address of the url that is not the task's.")
	}
	for segment := range strings.SplitSeq(u.Path, "/") {
		if segment == "." || segment == ".." {
			return failed(api.CodeUnsafeURL, false, "The path of the url may not have the segments . and ...")
		}
	}
	return nil
}

func header(headers []api.TaskHeader, name string) string {
	for _, h := range headers {
		if strings.EqualFold(h.Name, name) {
			return h.Value
		}
	}
	return ""
}

// bodyPlace is how values are written in the body: as its type asks for, or as
// it looks.
func bodyPlace(t *api.Task) template.Place {
	kind := strings.ToLower(header(t.Headers, "Content-Type"))
	kind, _, _ = strings.Cut(kind, ";")
	switch first := strings.TrimSpace(t.Body); {
	case strings.HasSuffix(kind, "json"):
		return template.JSON
	case kind == "application/x-www-form-urlencoded":
		return template.Form
	case kind == "" && first != "" && strings.ContainsRune(`{["`, rune(first[0])):
		return template.JSON
	}
	return template.Plain
}

func guessType(body string) string {
	if json.Valid([]byte(body)) {
		return "application/json"
	}
	return "text/plain; charset=utf-8"
}

// unseal puts the secrets where they belong.
func (s *Service) unseal(team string, r *record, req *request) error {
	t := &r.Task
	for i, h := range req.headers {
		if !h.Secret {
			continue
		}
		value, err := s.box.Unseal(place(team, t.ID, headerField(h.Name)), r.Headers[strings.ToLower(h.Name)])
		if err != nil {
			return fmt.Errorf("unseal header %s: %w", h.Name, err)
		}
		req.headers[i].Value = string(value)
		req.secrets.add(string(value))
	}
	if r.Key == nil {
		return nil
	}
	value, err := s.box.Unseal(place(team, t.ID, keyField), r.Key)
	if err != nil {
		return fmt.Errorf("unseal key: %w", err)
	}
	req.secrets.add(string(value))
	return req.sign(t.APIKey, string(value))
}

// sign adds the key.
func (req *request) sign(k *api.TaskKey, key string) error {
	value := k.Prefix + key
	if k.Placement == placementHeader {
		req.headers = slices.DeleteFunc(req.headers, func(h api.TaskHeader) bool { return strings.EqualFold(h.Name, k.Name) })
		req.headers = append(req.headers, api.TaskHeader{Name: k.Name, Value: value, Secret: true})
		return nil
	}
	u, err := url.Parse(req.url)
	if err != nil {
		return failed(api.CodeUnsafeURL, false, "The url cannot be read.")
	}
	query := u.RawQuery
	for _, v := range []struct {
		text string
		to   *string
	}{{url.QueryEscape(value), &req.url}, {masked, &req.shownURL}} {
		u.RawQuery = strings.TrimPrefix(query+"&"+url.QueryEscape(k.Name)+"="+v.text, "&")
		*v.to = u.String()
	}
	return nil
}

// shown is the request as people may see it.
func (req *request) shown() *api.TaskRequest {
	out := &api.TaskRequest{
		Method: req.method, URL: req.secrets.mask(req.shownURL), Body: req.secrets.mask(req.body),
		Headers: make([]api.TaskHeader, 0, len(req.headers)),
	}
	for _, h := range req.headers {
		if h.Secret {
			h.Value = masked
		}
		h.Value = req.secrets.mask(h.Value)
		out.Headers = append(out.Headers, h)
	}
	return out
}

// http is the request for the wire.
func (req *request) http() (*http.Request, error) {
	out, err := http.NewRequest(req.method, req.url, strings.NewReader(req.body)) //nolint:noctx // the client sets it
	if err != nil {
		return nil, failed(api.CodeUnsafeURL, false, "The request cannot be made of these values.")
	}
	out.Header.Set("User-Agent", "svc-task/1")
	out.Header.Set("Accept", "application/json, text/*;q=0.9, */*;q=0.5")
	for _, h := range req.headers {
		out.Header.Set(h.Name, h.Value)
	}
	return out, nil
}
