// Package model is svcctl model: the language models.
package model

import (
	"context"
	"strconv"

	"github.com/spf13/cobra"

	"edgesvc.dev/svc/cli/internal/browse"
	"edgesvc.dev/svc/cli/internal/crud"
	"edgesvc.dev/svc/cli/internal/kit"
	"edgesvc.dev/svc/cli/internal/output"
	"edgesvc.dev/svc/sdk"
	"edgesvc.dev/svc/sdk/api"
)

var view = output.View[api.Model]{
	ID: func(m *api.Model) string { return m.ID },
	Columns: []output.Column[api.Model]{
		{Name: "id", Value: func(m *api.Model) string { return m.ID }},
		{Name: "name", Value: func(m *api.Model) string { return m.Name }, Flex: true},
		{Name: "served by", Value: func(m *api.Model) string { return m.ServedBy }},
		{Name: "sent as", Value: func(m *api.Model) string { return m.SentAs }, Flex: true},
		{Name: "answer", Value: Answer},
		{Name: "address", Value: func(m *api.Model) string { return m.Address }, Flex: true},
		{Name: "state", Value: func(m *api.Model) string { return m.State }, Wide: true},
		{Name: "request", Value: request, Wide: true},
		{Name: "provider", Value: func(m *api.Model) string { return m.Provider }, Wide: true},
		{Name: "context", Value: func(m *api.Model) string { return strconv.Itoa(m.ContextTokens) }, Wide: true},
	},
}

// Answer is how the latest request to the model's server ended, for people.
func Answer(m *api.Model) string {
	last := m.LastAnswer
	switch {
	case m.ServedBy == "offline":
		return ""
	case last == nil:
		return "not asked yet"
	case last.OK:
		return "✓ " + kit.Ago(last.At)
	case last.Status != 0:
		return "✗ HTTP " + strconv.Itoa(last.Status) + " " + kit.Ago(last.At)
	}
	return "✗ " + last.Problem + " " + kit.Ago(last.At)
}

func request(m *api.Model) string {
	if m.LastAnswer == nil {
		return ""
	}
	return m.LastAnswer.RequestID
}

// New is the command model.
func New(a *kit.App) *cobra.Command {
	return kit.Group("model", "Language models that generate", []string{"models"}, newList(a))
}

func newList(a *kit.App) *cobra.Command {
	var l kit.ListFlags
	cmd := &cobra.Command{
		Use: "list", Short: "List the models and who serves them", Aliases: []string{"ls"}, Args: kit.Exactly(),
		Long:    "Lists the models: who serves each, under which name and at which address it is asked for, and how the\nlatest request to it ended. svcd doctor asks the servers themselves.",
		Example: "  svcctl model list\n  svcctl model list --jq '.[] | select(.configured) | .id'",
		RunE: func(cmd *cobra.Command, _ []string) error {
			c, err := a.Client()
			if err != nil {
				return err
			}
			models, err := c.Models(cmd.Context())
			if err != nil {
				return err
			}
			return kit.ShowAll(a, l, view, models)
		},
	}
	l.Add(cmd)
	return cmd
}

// Browse is the models for a screen.
func Browse(a *kit.App) browse.Noun {
	list := crud.Lister[api.Model, api.PageQuery]{Path: "model", Plural: "models", View: view, Connect: crud.Keyed(func(c *sdk.Client) crud.Pages[api.Model, api.PageQuery] {
		return func(ctx context.Context, _ api.PageQuery, options ...sdk.CallOption) (*api.Page[api.Model], error) {
			models, err := c.Models(ctx, options...)
			return &api.Page[api.Model]{Data: models}, err
		}
	})}
	n := list.Browse(a, crud.Screen[api.Model]{})
	n.Command = func(*browse.Row) string { return "svcctl model list" }
	return n
}
