// Package raw is svcctl api: calls of the REST and dashboard APIs as they are.
package raw

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"edgesvc.dev/svc/cli/internal/kit"
	"edgesvc.dev/svc/cli/internal/output"
	"edgesvc.dev/svc/sdk"
)

type call struct {
	app      *kit.App
	method   string
	fields   []string
	typed    []string
	headers  []string
	input    string
	paginate bool
	slurp    bool
	include  bool
}

// New is the command api.
func New(a *kit.App) *cobra.Command {
	o := &call{app: a}
	cmd := &cobra.Command{
		Use:   "api PATH",
		Short: "Call the REST API directly",
		Long: "Calls a path of the REST API. A path without /svc-api is below /svc-api/v1. With fields the method is\n" +
			"POST and they are the JSON body; with -X GET they are the query.",
		Example: "  svcctl api posts --paginate --jq '.[].slug'\n" +
			"  svcctl api posts -f title=Hi -f content='<p>Hi</p>' -F 'tags:=[\"go\"]'\n" +
			"  svcctl api -X PATCH posts/post_01j… --input patch.json",
		Args: kit.Exactly("a path"),
		RunE: func(cmd *cobra.Command, args []string) error { return o.run(cmd.Context(), args[0]) },
	}
	f := cmd.Flags()
	f.StringVarP(&o.method, "method", "X", "", "HTTP method")
	f.StringArrayVarP(&o.fields, "field", "f", nil, "name=text; name=@file takes the text of a file, name=@- of standard input")
	f.StringArrayVarP(&o.typed, "json-field", "F", nil, "name:=JSON, such as limit:=5 or tags:=[\"go\"]")
	f.StringArrayVarP(&o.headers, "header", "H", nil, "'Name: value'")
	f.StringVar(&o.input, "input", "", "file with the request's body; - is standard input")
	f.BoolVar(&o.paginate, "paginate", false, "follow nextCursor and join the pages")
	f.BoolVar(&o.slurp, "slurp", false, "with --paginate: one array of whole pages")
	f.BoolVarP(&o.include, "include", "i", false, "show status and headers first")
	cmd.AddCommand(newTRPC(a))
	return cmd
}

func (o *call) run(ctx context.Context, path string) error {
	header, err := o.header()
	if err != nil {
		return err
	}
	body, query, err := o.bodyAndQuery()
	if err != nil {
		return err
	}
	c, err := o.app.Client()
	if err != nil {
		return err
	}
	path = apiPath(path, query)
	if o.paginate {
		return o.pages(ctx, c, path, header)
	}
	resp, err := c.Raw(ctx, o.method, path, header, body)
	if err != nil {
		return err
	}
	if err := o.show(resp); err != nil {
		return err
	}
	return resp.Err()
}

func apiPath(path string, query url.Values) string {
	path = "/" + strings.TrimPrefix(path, "/")
	if !strings.HasPrefix(path, "/svc-api") && path != "/healthz" && path != "/readyz" {
		path = "/svc-api/v1" + path
	}
	if len(query) == 0 {
		return path
	}
	if strings.Contains(path, "?") {
		return path + "&" + query.Encode()
	}
	return path + "?" + query.Encode()
}

func (o *call) header() (http.Header, error) {
	h := http.Header{}
	for _, line := range o.headers {
		name, value, ok := strings.Cut(line, ":")
		if !ok || name == "" {
			return nil, kit.Usage("-H takes 'Name: value', not %q", line)
		}
		if slices.Contains(kit.Hidden, http.CanonicalHeaderKey(name)) {
			return nil, kit.Usage("credentials come from svcctl login or SVC_API_KEY, not from the command line")
		}
		h.Add(name, strings.TrimSpace(value))
	}
	return h, nil
}

// bodyAndQuery decides the method too.
func (o *call) bodyAndQuery() ([]byte, url.Values, error) {
	if o.input != "" {
		o.setMethod(http.MethodPost)
		body, err := o.app.ReadInput(o.input)
		return body, nil, err
	}
	fields, err := o.members()
	if err != nil {
		return nil, nil, err
	}
	if len(fields) == 0 {
		o.setMethod(http.MethodGet)
		return nil, nil, nil
	}
	o.setMethod(http.MethodPost)
	if o.method != http.MethodGet {
		body, err := output.Encode(fields)
		return body, nil, err
	}
	query := url.Values{}
	for name, value := range fields {
		if text, ok := value.(string); ok {
			query.Set(name, text)
			continue
		}
		query.Set(name, fmt.Sprintf("%s", value))
	}
	return nil, query, nil
}

func (o *call) setMethod(method string) {
	if o.method == "" {
		o.method = method
	}
	o.method = strings.ToUpper(o.method)
}

func (o *call) members() (map[string]any, error) {
	members := map[string]any{}
	for _, field := range o.fields {
		name, value, ok := strings.Cut(field, "=")
		if !ok || name == "" {
			return nil, kit.Usage("-f takes name=text, not %q", field)
		}
		text, err := o.app.Text(value)
		if err != nil {
			return nil, err
		}
		members[name] = text
	}
	for _, field := range o.typed {
		name, value, ok := strings.Cut(field, ":=")
		if !ok || name == "" || !json.Valid([]byte(value)) {
			return nil, kit.Usage("-F takes name:=JSON, not %q", field)
		}
		members[name] = json.RawMessage(value)
	}
	return members, nil
}

func (o *call) show(resp *sdk.Response) error {
	if o.include {
		o.app.IO.Say("HTTP %d %s", resp.Status, http.StatusText(resp.Status))
		(&kit.Tracer{IO: o.app.IO}).Headers("", resp.Header)
	}
	if resp.Status >= 400 {
		return nil // the error says it all
	}
	if !json.Valid(resp.Body) {
		if strings.Contains(resp.Header.Get("Content-Type"), "json") {
			return &kit.Failure{Exit: kit.ExitOther, Code: "unexpected_response", Message: "the answer's JSON is cut or damaged", Hint: "svcctl doctor"}
		}
		return o.app.PrintText(string(resp.Body))
	}
	p, err := o.printer()
	if err != nil {
		return err
	}
	return p.Value(json.RawMessage(resp.Body))
}

// printer writes JSON where a table was meant: there are no columns for an
// answer of any kind.
func (o *call) printer() (output.Printer, error) {
	p, err := o.app.Printer()
	if !p.Structured() {
		p.Format = "json"
	}
	return p, err
}

// page is what all lists have in common.
type page struct {
	Data       []json.RawMessage `json:"data"`
	HasMore    bool              `json:"hasMore"`
	NextCursor string            `json:"nextCursor"`
}

func (o *call) pages(ctx context.Context, c *sdk.Client, path string, header http.Header) error {
	if o.method != http.MethodGet {
		return kit.Usage("--paginate follows lists: it goes with GET only")
	}
	joined := []json.RawMessage{}
	cursor := ""
	for {
		resp, err := c.Raw(ctx, http.MethodGet, withCursor(path, cursor), header, nil)
		if err != nil {
			return err
		}
		if err := resp.Err(); err != nil {
			return err
		}
		var p page
		if err := json.Unmarshal(resp.Body, &p); err != nil || p.Data == nil {
			return kit.Usage("%s is not a list: --paginate does not apply", path)
		}
		if o.slurp {
			joined = append(joined, resp.Body)
		} else {
			joined = append(joined, p.Data...)
		}
		if !p.HasMore || p.NextCursor == "" || p.NextCursor == cursor {
			break
		}
		cursor = p.NextCursor
	}
	p, err := o.printer()
	if err != nil {
		return err
	}
	return p.Value(joined)
}

func withCursor(path, cursor string) string {
	if cursor == "" {
		return path
	}
	joint := "?"
	if strings.Contains(path, "?") {
		joint = "&"
	}
	return path + joint + "cursor=" + url.QueryEscape(cursor)
}
