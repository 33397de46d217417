// Package model is svcctl model: the language models.
package model

import (
	"strconv"

	"github.com/spf13/cobra"

	"edgesvc.dev/svc/cli/internal/kit"
	"edgesvc.dev/svc/cli/internal/output"
	"edgesvc.dev/svc/sdk/api"
)

var view = output.View[api.Model]{
	ID: func(m *api.Model) string { return m.ID },
	Columns: []output.Column[api.Model]{
		{Name: "id", Value: func(m *api.Model) string { return m.ID }},
		{Name: "name", Value: func(m *api.Model) string { return m.Name }, Flex: true},
		{Name: "served by", Value: func(m *api.Model) string { return m.ServedBy }},
		{Name: "state", Value: func(m *api.Model) string { return m.State }},
		{Name: "provider", Value: func(m *api.Model) string { return m.Provider }, Wide: true},
		{Name: "context", Value: func(m *api.Model) string { return strconv.Itoa(m.ContextTokens) }, Wide: true},
	},
}

// New is the command model.
func New(a *kit.App) *cobra.Command {
	return kit.Group("model", "Language models that generate", []string{"models"}, newList(a))
}

func newList(a *kit.App) *cobra.Command {
	var l kit.ListFlags
	cmd := &cobra.Command{
		Use: "list", Short: "List the models and who serves them", Aliases: []string{"ls"}, Args: kit.Exactly(),
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
