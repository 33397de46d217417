package raw

import (
	"context"
	"encoding/json"
	"strings"

	"github.com/spf13/cobra"

	"edgesvc.dev/svc/cli/internal/kit"
	"edgesvc.dev/svc/sdk"
)

type procedureCall struct {
	call
	follow bool
}

func newTRPC(a *kit.App) *cobra.Command {
	o := &procedureCall{call: call{app: a}}
	cmd := &cobra.Command{
		Use:   "trpc NAME",
		Short: "Call a procedure of the dashboard (needs a session)",
		Long: "Calls a procedure of /svc-api/trpc with the session of svcctl login. Input and answer are plain JSON;\n" +
			"times are RFC 3339. The procedures are declared at /svc-api/trpc.d.ts.",
		Example: "  svcctl api trpc posts.list -F limit:=5\n" +
			"  svcctl api trpc apiKeys.create --input '{\"name\":\"ci\",\"scopes\":[\"posts:read\"]}'\n" +
			"  svcctl api trpc jobs.watch -f id=job_01j… --follow",
		Args: kit.Exactly("a procedure's name"),
		RunE: func(cmd *cobra.Command, args []string) error { return o.run(cmd.Context(), args[0]) },
	}
	f := cmd.Flags()
	f.StringArrayVarP(&o.fields, "field", "f", nil, "name=text; name=@file takes the text of a file, name=@- of standard input")
	f.StringArrayVarP(&o.typed, "json-field", "F", nil, "name:=JSON, such as limit:=5 or tags:=[\"go\"]")
	f.StringVar(&o.input, "input", "", "the input as JSON, or a file with it; - is standard input")
	f.BoolVar(&o.follow, "follow", false, "the procedure is live: print each value as it comes")
	return cmd
}

func (o *procedureCall) run(ctx context.Context, name string) error {
	input, err := o.object()
	if err != nil {
		return err
	}
	d, err := o.app.Dashboard()
	if err != nil {
		return err
	}
	p, err := o.printer()
	if err != nil {
		return err
	}
	if o.follow {
		return o.each(ctx, d, name, input, p.Value)
	}
	answer, err := d.Call(ctx, name, input)
	if err != nil {
		return err
	}
	return p.Value(answer)
}

func (o *procedureCall) each(ctx context.Context, d *sdk.Client, name string, input any, show func(any) error) error {
	for value, err := range d.Follow(ctx, name, input) {
		if err != nil {
			return err
		}
		if err := show(value); err != nil {
			return err
		}
	}
	return nil
}

// object is the input. An envelope as it stands on the wire is opened, so that
// a request can be pasted from where it was seen.
func (o *procedureCall) object() (any, error) {
	if o.input == "" {
		return o.members()
	}
	raw := []byte(o.input)
	if !strings.HasPrefix(strings.TrimSpace(o.input), "{") {
		var err error
		if raw, err = o.app.ReadInput(o.input); err != nil {
			return nil, err
		}
	}
	var members map[string]json.RawMessage
	if err := json.Unmarshal(raw, &members); err != nil {
		return nil, kit.Usage("--input must be a JSON object: %v", err)
	}
	if inner, ok := members["json"]; ok && len(members) == 1 {
		return inner, nil
	}
	return members, nil
}
