package cli

import (
	"strconv"

	"edgesvc.dev/svc/cli/internal/output"
	"edgesvc.dev/svc/sdk/api"
	"github.com/spf13/cobra"
)

var modelView = output.View[api.Model]{
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

func newModel(a *app) *cobra.Command {
	return group("model", "Language models that generate", []string{"models"}, newModelList(a))
}

func newModelList(a *app) *cobra.Command {
	var l listFlags
	cmd := &cobra.Command{
		Use: "list", Short: "List the models and who serves them", Aliases: []string{"ls"}, Args: exactly(),
		RunE: func(cmd *cobra.Command, _ []string) error {
			c, err := a.client()
			if err != nil {
				return err
			}
			models, err := c.Models(cmd.Context())
			if err != nil {
				return err
			}
			return showList(a, l, modelView, list(models))
		},
	}
	l.add(cmd)
	return cmd
}
