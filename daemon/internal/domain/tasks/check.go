package tasks

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/textproto"
	"net/url"
	"slices"
	"strings"

	"edgesvc.dev/svc/daemon/internal/llm"
	"edgesvc.dev/svc/daemon/internal/outbound"
	"edgesvc.dev/svc/daemon/internal/template"
	"edgesvc.dev/svc/sdk/api"
)

// fields collects what is wrong with a task, all of it at once.
type fields []api.FieldError

func (f *fields) add(pointer, code, message string, args ...any) {
	if len(args) > 0 {
		message = fmt.Sprintf(message, args...)
	}
	*f = append(*f, api.FieldError{Pointer: pointer, Code: code, Message: message})
}

// err is the refusal of the fields, nil for none. One that is only about an
// address that may not be reached says so in its code.
func (f fields) err() error {
	if len(f) == 0 {
		return nil
	}
	code := api.CodeValidationFailed
	if slices.IndexFunc(f, func(e api.FieldError) bool { return e.Code != f[0].Code }) < 0 {
		switch c := api.Code(f[0].Code); c {
		case api.CodeUnsafeURL, api.CodeUnknownModel, api.CodeTemplateError:
			code = c
		}
	}
	return api.InvalidFields(f...).WithCode(code)
}

// check holds a whole task to the rules of its kind.
func (s *Service) check(t *api.Task) fields {
	var f fields
	if strings.TrimSpace(t.Name) == "" {
		f.add("/name", "required", "cannot be empty")
	}
	f.foreign(t)
	switch t.Kind {
	case api.TaskAPI:
		s.checkAPI(t, &f)
	case api.TaskLLM:
		checkLLM(t, &f)
	}
	checkSchema(&f, "/inputSchema", t.InputSchema)
	return f
}

// foreign refuses members of the other kind.
func (f *fields) foreign(t *api.Task) {
	for _, m := range []struct {
		kind, pointer string
		set           bool
	}{
		{api.TaskAPI, "/method", t.Method != ""},
		{api.TaskAPI, "/url", t.URL != ""},
		{api.TaskAPI, "/headers", len(t.Headers) > 0},
		{api.TaskAPI, "/body", t.Body != ""},
		{api.TaskLLM, "/promptTemplate", t.PromptTemplate != ""},
		{api.TaskLLM, "/model", t.Model != ""},
		{api.TaskLLM, "/useBrandContext", t.UseBrandContext},
		{api.TaskLLM, "/outputSchema", len(t.OutputSchema) > 0},
		{api.TaskLLM, "/maxOutputTokens", t.MaxOutputTokens != 0},
	} {
		if m.set && m.kind != t.Kind {
			f.add(m.pointer, "not_allowed", "belongs to tasks of kind %s", m.kind)
		}
	}
}

func (s *Service) checkAPI(t *api.Task, f *fields) {
	if t.Method == "" {
		f.add("/method", "required", "is required for kind api")
	}
	if t.URL == "" {
		f.add("/url", "required", "is required for kind api")
	} else if err := s.checkURL(t.URL); err != nil {
		f.add("/url", string(codeOf(err)), "%s", err)
	}
	if t.Body != "" && t.Method == http.MethodGet {
		f.add("/body", "not_allowed", "cannot be sent by GET: choose another method")
	}
	checkTemplate(f, "/body", t.Body)
	checkHeaders(f, t.Headers)
}

func codeOf(err error) api.Code {
	if _, refused := errors.AsType[*outbound.RefusedError](err); refused {
		return api.CodeUnsafeURL
	}
	return api.CodeTemplateError
}

// checkURL refuses an address that cannot be reached whatever its placeholders
// stand for, and one whose host a placeholder could choose: the key would follow.
func (s *Service) checkURL(address string) error {
	if err := template.Check(address); err != nil {
		return err
	}
	if strings.ContainsFunc(address, func(c rune) bool { return c < ' ' || c == 0x7f }) {
		return &outbound.RefusedError{Reason: "may not have line ends or control characters"}
	}
	before, static := template.Static(address)
	if !static {
		_, rest, ok := strings.Cut(before, "://")
		if end := strings.IndexAny(rest, "/?#"); !ok || end < 0 {
			return &outbound.RefusedError{Reason: "placeholders may stand behind the host only: in the path or the query"}
		}
	}
	_, err := s.client.Check(before)
	return err
}

// origin is where the requests of a task go: scheme, host and port.
func origin(address string) string {
	before, _ := template.Static(address)
	u, err := url.Parse(before)
	if err != nil {
		return ""
	}
	return strings.ToLower(u.Scheme + "://" + u.Host)
}

func checkTemplate(f *fields, pointer, source string) {
	if err := template.Check(source); err != nil {
		f.add(pointer, string(api.CodeTemplateError), "%s", err)
	}
}

// reserved are the headers that say how the request is made; the client writes
// them.
func reserved() []string {
	return []string{
		"Host", "Content-Length", "Transfer-Encoding", "Connection", "Keep-Alive", "Te", "Trailer", "Upgrade", "Expect",
		"Proxy-Authorization", "Proxy-Authenticate", "Proxy-Connection", "Accept-Encoding", "Cookie2",
	}
}

func checkHeaders(f *fields, headers []api.TaskHeader) {
	seen := map[string]bool{}
	for i, h := range headers {
		at := fmt.Sprintf("/headers/%d", i)
		name := textproto.CanonicalMIMEHeaderKey(h.Name)
		switch {
		case !isToken(h.Name):
			f.add(at+"/name", "format", "is not the name of a header")
		case slices.Contains(reserved(), name):
			f.add(at+"/name", "not_allowed", "%s is set by the service", name)
		case seen[name]:
			f.add(at+"/name", "duplicate", "stands there twice")
		}
		seen[name] = true
		if strings.ContainsFunc(h.Value, func(c rune) bool { return c < ' ' && c != '\t' || c == 0x7f }) {
			f.add(at+"/value", "format", "may not have line ends or control characters")
		} else if !h.Secret {
			checkTemplate(f, at+"/value", h.Value)
		}
	}
}

// isToken follows RFC 9110, 5.6.2.
func isToken(s string) bool {
	return s != "" && !strings.ContainsFunc(s, func(c rune) bool {
		return (c < 'a' || c > 'z') && (c < 'A' || c > 'Z') && (c < '0' || c > '9') && !strings.ContainsRune("!#$%&'*+-.^_`|~", c)
	})
}

func checkLLM(t *api.Task, f *fields) {
	if strings.TrimSpace(t.PromptTemplate) == "" {
		f.add("/promptTemplate", "required", "is required for kind llm")
	}
	checkTemplate(f, "/promptTemplate", t.PromptTemplate)
	if t.Model != "" {
		if _, ok := llm.FindModel(t.Model); !ok {
			var ids []string
			for _, m := range llm.Models() {
				ids = append(ids, m.ID)
			}
			f.add("/model", string(api.CodeUnknownModel), "must be one of %s", strings.Join(ids, ", "))
		}
	}
	checkSchema(f, "/outputSchema", t.OutputSchema)
}

func checkSchema(f *fields, pointer string, schema json.RawMessage) {
	if len(schema) == 0 {
		return
	}
	if _, err := compileSchema(schema); err != nil {
		f.add(pointer, "format", "%s", err)
	}
}
