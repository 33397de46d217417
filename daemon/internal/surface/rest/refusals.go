package rest

import (
	"fmt"
	"net/http"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"github.com/danielgtaylor/huma/v2"

	"edgesvc.dev/svc/daemon/internal/op"
	"edgesvc.dev/svc/sdk/api"
)

// refusals are all codes with which a row refuses on this surface: its own, and
// those for what is wrong with the request before the row sees it.
func refusals(row *op.Op) []api.Code {
	codes := append(row.Refusals(), api.CodeMissingKey, api.CodeInvalidKey, api.CodeRevokedKey, api.CodeExpiredKey,
		api.CodeUnknownParameter, api.CodePayloadTooLarge)
	switch {
	case row.InputType() == nil: // a hand-written route reads its own body
	case row.TakesBody():
		codes = append(codes, api.CodeInvalidJSON, api.CodeUnsupportedMediaType, api.CodeValidationFailed, api.CodeUnknownField)
	default:
		codes = append(codes, api.CodeInvalidParameter)
	}
	slices.Sort(codes)
	return slices.Compact(codes)
}

// refuse documents a row's refusals, each set of codes once in the document. A
// code that comes with several statuses stands at each that a caller can meet
// here. What is wrong on the side of the daemon is told by the general row.
func refuse(doc *huma.OpenAPI, o *huma.Operation, row *op.Op) {
	byStatus := map[int][]string{}
	for _, code := range refusals(row) {
		for _, status := range code.Statuses() {
			byStatus[status] = append(byStatus[status], string(code))
		}
	}
	for status, codes := range byStatus {
		o.Responses[strconv.Itoa(status)] = shared(doc, status, codes)
	}
	o.Responses["5XX"] = problem(doc, "5XX", "Something went wrong on the daemon's side; code names it for programs.", nil)
}

// shared is the answer of a status with one of codes.
func shared(doc *huma.OpenAPI, status int, codes []string) *huma.Response {
	name := strconv.Itoa(status) + "." + strings.Join(codes, ".")
	return problem(doc, name, fmt.Sprintf("%s: %s.", http.StatusText(status), strings.Join(codes, ", ")), codes)
}

func problem(doc *huma.OpenAPI, name, description string, codes []string) *huma.Response {
	if doc.Components.Responses[name] == nil {
		s := doc.Components.Schemas.Schema(reflect.TypeFor[api.Error](), true, "Error")
		if codes != nil {
			s = &huma.Schema{AllOf: []*huma.Schema{s, {Properties: map[string]*huma.Schema{"code": {Enum: anyOf(codes)}}}}}
		}
		doc.Components.Responses[name] = &huma.Response{Description: description, Content: content("application/problem+json", s)}
	}
	return &huma.Response{Ref: "#/components/responses/" + name}
}

func anyOf(codes []string) []any {
	var list []any
	for _, c := range codes {
		list = append(list, c)
	}
	return list
}
