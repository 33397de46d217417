package agents

import (
	"fmt"
	"net/url"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"edgesvc.dev/svc/daemon/internal/llm"
	"edgesvc.dev/svc/kv"
	"edgesvc.dev/svc/sdk/api"
)

const (
	maxName      = 120
	maxGuardrail = 500
	maxLinks     = 100
)

// The limits that an agent has without its own.
const (
	defaultToolSteps  = 4
	defaultReplyChars = 4000
)

const defaultHandoff = "I am handing this over to a colleague, who will answer you here."

// settle gives an agent its defaults and refuses what cannot be, all at once.
// before is nil for a new one.
func (s *Service) settle(tx kv.Tx, team string, before, a *api.Agent) error {
	a.Name = strings.TrimSpace(a.Name)
	a.Guardrails = trimmed(a.Guardrails)
	a.CannedResponseIDs = distinct(a.CannedResponseIDs)
	if strings.TrimSpace(a.HandoffMessage) == "" {
		a.HandoffMessage = defaultHandoff
	}
	if a.Limits.MaxToolSteps == 0 {
		a.Limits.MaxToolSteps = defaultToolSteps
	}
	if a.Limits.MaxReplyChars == 0 {
		a.Limits.MaxReplyChars = defaultReplyChars
	}
	if err := llm.CheckModel(a.Model); err != nil {
		return err
	}
	bad := checkAgent(a)
	if before == nil || !slices.Equal(before.CannedResponseIDs, a.CannedResponseIDs) {
		unknown, err := unknownLinks(tx, team, a.CannedResponseIDs)
		if err != nil {
			return err
		}
		bad = append(bad, unknown...)
	}
	return refuse(bad)
}

func checkAgent(a *api.Agent) (bad []api.FieldError) {
	if a.Name == "" {
		bad = append(bad, api.FieldError{Pointer: "/name", Code: "required", Message: "is required"})
	}
	if strings.ContainsFunc(a.Name, unicode.IsControl) {
		bad = append(bad, api.FieldError{Pointer: "/name", Code: "format", Message: "must be one line"})
	}
	if !validAvatar(a.AvatarURL) {
		bad = append(bad, api.FieldError{Pointer: "/avatarUrl", Code: "format", Message: "must be an http or https address, or a path of the team's media"})
	}
	for i, line := range a.Guardrails {
		if utf8.RuneCountInString(line) > maxGuardrail {
			bad = append(bad, api.FieldError{Pointer: fmt.Sprintf("/guardrails/%d", i), Code: "too_long",
				Message: fmt.Sprintf("may have at most %d characters", maxGuardrail)})
		}
	}
	if len(a.CannedResponseIDs) > maxLinks {
		bad = append(bad, api.FieldError{Pointer: "/cannedResponseIds", Code: "too_many", Message: fmt.Sprintf("may have at most %d items", maxLinks)})
	}
	return bad
}

// validAvatar takes an address of the web and a path of own media, nothing
// that a browser would run.
func validAvatar(address string) bool {
	if address == "" {
		return true
	}
	u, err := url.Parse(address)
	if err != nil || u.User != nil || strings.ContainsFunc(address, func(r rune) bool { return r <= ' ' || r == '\\' || unicode.IsControl(r) }) {
		return false
	}
	if u.Scheme == "" && u.Host == "" {
		return strings.HasPrefix(u.Path, "/media/") && !strings.Contains(u.Path, "..")
	}
	return (u.Scheme == "http" || u.Scheme == "https") && u.Hostname() != ""
}

// unknownLinks names each id that no canned response of the team has.
func unknownLinks(tx kv.Tx, team string, ids []string) (bad []api.FieldError, err error) {
	for i, id := range ids {
		ok, err := canned.Exists(tx, team, id)
		if err != nil {
			return nil, err
		}
		if !ok {
			bad = append(bad, api.FieldError{Pointer: fmt.Sprintf("/cannedResponseIds/%d", i), Code: "not_found", Message: "there is no such canned response"})
		}
	}
	return bad, nil
}

func checkLinks(tx kv.Tx, team string, ids []string) error {
	bad, err := unknownLinks(tx, team, ids)
	if err != nil {
		return err
	}
	return refuse(bad)
}

// refuse makes one error of all failing members, nil of none.
func refuse(bad []api.FieldError) error {
	if len(bad) == 0 {
		return nil
	}
	return api.InvalidFields(bad...)
}

// distinct keeps the first of equal ids.
func distinct(ids []string) []string {
	out := []string{}
	for _, id := range ids {
		if !slices.Contains(out, id) {
			out = append(out, id)
		}
	}
	return out
}
