package sdk_test

import (
	"context"
	"reflect"
	"testing"

	"edgesvc.dev/svc/sdk"
	"edgesvc.dev/svc/sdk/api"
)

// TestOneSignatureForEachVerb holds every service to the same way of naming an
// object: Get by id, the verbs that change one by an api.Ref or by an input that
// names it.
func TestOneSignatureForEachVerb(t *testing.T) {
	ctx, ref, options := reflect.TypeFor[context.Context](), reflect.TypeFor[api.Ref](), reflect.TypeFor[[]sdk.CallOption]()
	byRef := map[string]bool{"Delete": true, "Remove": true, "Revoke": true, "RevokeSession": true, "Publish": true, "Unpublish": true,
		"Archive": true, "Unarchive": true, "Activate": true, "Deactivate": true, "Duplicate": true, "Cancel": true, "Retry": true,
		"CancelRun": true, "ClearAPIKey": true, "RotateSecret": true, "Dismiss": true, "Draft": true, "TakeOver": true, "ReturnToBot": true, "MarkRead": true}
	seen := 0
	client := reflect.TypeFor[sdk.Client]()
	for i := range client.NumField() {
		if !client.Field(i).IsExported() {
			continue
		}
		service := client.Field(i).Type
		for m := range service.NumMethod() {
			method := service.Method(m)
			in := method.Type // In(0) is the receiver
			where := client.Field(i).Name + "." + method.Name
			if in.NumIn() < 2 || in.In(1) != ctx {
				continue // no call
			}
			var want reflect.Type
			switch {
			case method.Name == "Get" && in.NumIn() == 4:
				want = reflect.TypeFor[string]()
			case byRef[method.Name]:
				want = ref
			case method.Name == "Create" || method.Name == "Update" || method.Name == "List" || method.Name == "All":
				want = in.In(2)
				if want.Kind() != reflect.Struct {
					t.Errorf("%s takes a %s; it takes one input", where, want)
				}
			default:
				continue
			}
			seen++
			if in.NumIn() != 4 || in.In(2) != want || in.In(3) != options {
				t.Errorf("%s is %s, want (ctx, %s, options)", where, in, want)
			}
		}
	}
	if seen < 40 {
		t.Errorf("only %d methods were looked at", seen)
	}
}
