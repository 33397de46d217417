package tasks

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"mime"
	"net/http"
	"slices"
	"strings"

	"edgesvc.dev/svc/daemon/internal/llm"
	"edgesvc.dev/svc/daemon/internal/outbound"
	"edgesvc.dev/svc/sdk/api"
)

// How much of an answer is kept.
const (
	maxShown       = 64 << 10
	maxShownHeader = 100
)

// failure is a run's own failure, which its record tells.
type failure struct{ api.JobError }

func (f *failure) Error() string { return f.Message }

func failed(code api.Code, retryable bool, message string, args ...any) error {
	if len(args) > 0 {
		message = fmt.Sprintf(message, args...)
	}
	return &failure{api.JobError{Code: string(code), Message: message, Retryable: retryable}}
}

// call makes the request of an API task and keeps its answer in run.
func (s *Service) call(ctx context.Context, req *request, run *api.TaskRun) error {
	out, err := req.http()
	if err != nil {
		return err
	}
	a, err := s.client.Do(out.WithContext(ctx))
	if a != nil {
		run.Response = answer(a, req.secrets)
	}
	if err != nil {
		return requestFailure(err, req.secrets)
	}
	if run.Response.Truncated {
		run.Warnings = append(run.Warnings, "The answer is longer than what is kept of it.")
	}
	keepOutput(run, a)
	switch {
	case a.Status >= 300 && a.Status < 400:
		return failed(api.CodeProviderError, false, "The endpoint answered %d; redirects are not followed.", a.Status)
	case a.Status < 200 || a.Status > 299:
		return failed(api.CodeProviderError, a.Status == http.StatusTooManyRequests || a.Status >= 500, "The endpoint answered %d.", a.Status)
	}
	return nil
}

func requestFailure(err error, hidden *secrets) error {
	if refused, ok := errors.AsType[*outbound.RefusedError](err); ok {
		return failed(api.CodeUnsafeURL, false, "The address may not be reached: %s.", refused.Reason)
	}
	if errors.Is(err, context.DeadlineExceeded) {
		return failed(api.CodeProviderTimeout, true, "The endpoint took too long.")
	}
	if errors.Is(err, context.Canceled) {
		return err
	}
	return failed(api.CodeProviderError, true, "The endpoint cannot be reached: %s.", hidden.mask(clip(err.Error(), 300)))
}

// answer is what people may see of an answer.
func answer(a *outbound.Answer, hidden *secrets) *api.TaskResponse {
	text := hidden.mask(strings.ToValidUTF8(string(a.Body), "\uFFFD"))
	out := &api.TaskResponse{
		Status: a.Status, Body: clip(text, maxShown), Bytes: int64(len(a.Body)),
		Truncated: a.Truncated || len(text) > maxShown, Headers: []api.TaskHeader{},
	}
	for _, name := range slices.Sorted(maps.Keys(a.Header)) {
		if name == "Set-Cookie" || len(out.Headers) == maxShownHeader {
			continue
		}
		value := strings.ToValidUTF8(strings.Join(a.Header[name], ", "), "\uFFFD")
		out.Headers = append(out.Headers, api.TaskHeader{
			Name: hidden.mask(strings.ToValidUTF8(name, "\uFFFD")), Value: clip(hidden.mask(value), 4000),
		})
	}
	return out
}

// keepOutput makes an endpoint's JSON the output; other text is in the response.
func keepOutput(run *api.TaskRun, a *outbound.Answer) {
	kind, _, _ := mime.ParseMediaType(a.Header.Get("Content-Type"))
	if run.Response.Truncated || kind != "application/json" && !strings.HasSuffix(kind, "+json") {
		return
	}
	if json.Valid([]byte(run.Response.Body)) {
		run.OutputJSON = json.RawMessage(run.Response.Body)
	}
}

// clip keeps at most n bytes of valid UTF-8, cut at a character.
func clip(s string, n int) string { return strings.ToValidUTF8(s[:min(len(s), n)], "") }

// ask has the model of an LLM task answer, and keeps the answer in run.
func (s *Service) ask(ctx context.Context, t *api.Task, p prompt, run *api.TaskRun, delta func(string)) error {
	resp, err := s.models.Complete(ctx, llm.Request{
		Model: modelOf(t), System: p.system, Messages: []llm.Message{{Role: llm.RoleUser, Text: p.text}},
		MaxTokens: t.MaxOutputTokens, OnDelta: delta, Offline: &llm.OfflineTask{Kind: llm.TaskChat, Prompt: p.text},
	})
	if err != nil {
		return modelFailure(err)
	}
	run.Provider = resp.Provider
	run.Usage = api.Usage{InputTokens: int(resp.Usage.InputTokens), OutputTokens: int(resp.Usage.OutputTokens)}
	run.Output = clip(strings.ToValidUTF8(resp.Text, "\uFFFD"), maxShown)
	switch {
	case resp.StopReason == llm.StopRefusal:
		return failed(api.CodeProviderError, false, "The model declined to answer.")
	case strings.TrimSpace(resp.Text) == "":
		return failed(api.CodeProviderError, true, "The model answered with nothing.")
	case resp.StopReason == llm.StopMaxTokens:
		run.Warnings = append(run.Warnings, "The answer was cut at the limit of tokens; it ends with its last whole sentence.")
	}
	if len(t.OutputSchema) == 0 {
		if resp.StopReason == llm.StopMaxTokens {
			run.Output = llm.ToSentence(run.Output)
		}
		return nil
	}
	if resp.Provider == llm.ProviderOffline {
		run.Warnings = append(run.Warnings, "No model is configured: the answer is not held to outputSchema.")
		return nil
	}
	return fit(t, run)
}

// fit holds the output to the task's schema.
func fit(t *api.Task, run *api.TaskRun) error {
	v, raw, err := structured(run.Output)
	if err != nil {
		return failed(api.CodeValidationFailed, true, "The model's answer is not JSON.")
	}
	schema, err := compileSchema(t.OutputSchema)
	if err != nil {
		return failed(api.CodeValidationFailed, false, "outputSchema %s.", err)
	}
	if err := schema.Validate(v); err != nil {
		return failed(api.CodeValidationFailed, true, "The model's answer does not fit outputSchema: %s.", clip(firstLine(err.Error()), 300))
	}
	run.OutputJSON = raw
	return nil
}

func modelOf(t *api.Task) string { return cmp.Or(t.Model, llm.Models()[0].ID) }

func modelFailure(err error) error {
	e, ok := errors.AsType[*llm.Error](err)
	switch {
	case errors.Is(err, context.DeadlineExceeded):
		return failed(api.CodeProviderTimeout, true, "The model took too long.")
	case !ok:
		return err
	}
	code := api.CodeProviderError
	switch e.Kind {
	case llm.KindRateLimited:
		code = api.CodeRateLimited
	case llm.KindTimeout:
		code = api.CodeProviderTimeout
	}
	return failed(code, e.Retryable, "%s: %s", e.Provider, e.Message)
}
