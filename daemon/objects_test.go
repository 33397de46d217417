package daemon_test

import (
	"bytes"
	"fmt"
	"image"
	"image/png"
	"maps"
	"net/http"
	"slices"
	"strings"
	"testing"

	"edgesvc.dev/svc/daemon"
	"edgesvc.dev/svc/daemon/internal/op"
)

// populate makes one object of each kind and returns their ids by noun: by the
// row that creates it where there is one, otherwise as unmade does. Called again,
// it makes others.
func (in *instance) populate(t testing.TB, team daemon.First) map[string]string {
	t.Helper()
	token, ids := in.session(t, team), map[string]string{}
	of := func(member string) string { return ids[nounOf(ids, member)] }
	var left []string
	for _, o := range in.Table().Ops {
		if noun, ok := strings.CutSuffix(o.Name, ".create"); ok {
			left = append(left, noun)
		}
	}
	for len(left) > 0 {
		before := len(left)
		left = slices.DeleteFunc(left, func(noun string) bool {
			made := in.create(t, token, noun, of)
			if made == nil {
				return false // it needs an object that another makes
			}
			ids[noun] = made["id"].(string)
			maps.Copy(made, in.change(t, token, noun+".update", ids[noun], of))
			maps.Copy(made, in.change(t, token, noun+".publish", ids[noun], of))
			if slug, ok := made["slug"].(string); ok {
				ids[noun+".slug"] = slug
			}
			return true
		})
		if len(left) == before {
			t.Fatalf("no input of these makes an object: %v", left)
		}
	}
	for _, kind := range unmade {
		ids[kind.noun] = kind.make(t, in, team, ids)
	}
	return ids
}

// create makes an object with the first input that succeeds, nil for none.
func (in *instance) create(t testing.TB, token, noun string, of func(string) string) map[string]any {
	t.Helper()
	row := in.Table().Lookup(noun + ".create")
	for _, i := range inputs(t, row) {
		if a, _ := in.attempt(t, row, token, i, "", of); a.StatusCode < 300 {
			if made := a.JSON(t); made["id"] != nil && made["jobId"] == nil {
				return made
			}
		}
	}
	return nil
}

// change gives an object a past, such as revisions, with the input of a row that
// says most.
func (in *instance) change(t testing.TB, token, name, id string, of func(string) string) map[string]any {
	t.Helper()
	row := in.Table().Lookup(name)
	if row == nil {
		return nil
	}
	for _, i := range slices.Backward(inputs(t, row)) {
		if a, _ := in.attempt(t, row, token, i, id, of); a.StatusCode < 300 {
			return a.JSON(t)
		}
	}
	return nil
}

// attempt calls an operation, and again without the members that it refuses and
// with those that it misses. It returns the last answer and its input.
func (in *instance) attempt(t testing.TB, row *op.Op, token string, i input, id string, of func(string) string) (answer, input) {
	t.Helper()
	for range 4 {
		body, _ := i.with(id, of)
		a := in.procedure(t, row.Name, token, body)
		if a.StatusCode != http.StatusUnprocessableEntity {
			return a, i
		}
		mended := i.mended(t, row, a)
		if mended == i {
			return a, i
		}
		i = mended
	}
	body, _ := i.with(id, of)
	return in.procedure(t, row.Name, token, body), i
}

// unmade are the kinds of objects that no row creates, in the order in which they
// are made.
var unmade = []struct {
	noun string
	make func(t testing.TB, in *instance, team daemon.First, ids map[string]string) string
}{
	{"jobs", func(t testing.TB, in *instance, team daemon.First, _ map[string]string) string {
		job := in.send(t, "POST", v1+"/posts", team.Key, `{"title":"Generated","generateContent":true,"model":"gpt-6-luna"}`).JSON(t)["jobId"].(string)
		in.send(t, "GET", v1+"/posts/jobs/"+job+"?wait=30", team.Key, "")
		return job
	}},
	{"media", func(t testing.TB, in *instance, team daemon.First, _ map[string]string) string {
		return in.send(t, "POST", v1+"/media?name=dot.png", team.Key, dot(t), "Content-Type", "image/png").JSON(t)["id"].(string)
	}},
	{"conversations", func(t testing.TB, in *instance, team daemon.First, _ map[string]string) string {
		return in.handedOver(t, team.SiteID, team.Key)
	}},
	{"messages", func(t testing.TB, in *instance, team daemon.First, ids map[string]string) string {
		said := in.send(t, "GET", v1+"/conversations/"+ids["conversations"]+"/messages", team.Key, "").JSON(t)
		for _, m := range said["data"].([]any) {
			if m := m.(map[string]any); m["author"].(map[string]any)["type"] == "agent" {
				return m["id"].(string)
			}
		}
		t.Fatalf("no agent said anything: %v", said)
		return ""
	}},
	{"helpdesk.gaps", func(t testing.TB, in *instance, team daemon.First, _ map[string]string) string {
		return firstID(in.until(t, team.Key, "/helpdesk/gaps", has))
	}},
	{"runs", func(t testing.TB, in *instance, team daemon.First, ids map[string]string) string {
		return in.procedure(t, "tasks.testRun", in.session(t, team), `{"id":"`+ids["tasks"]+`"}`).JSON(t)["id"].(string)
	}},
	{"users", func(t testing.TB, in *instance, team daemon.First, _ map[string]string) string {
		id, _ := in.member(t, in.session(t, team), fmt.Sprintf("member%d", words.Add(1)), "editor")
		return id
	}},
	{"sessions", func(t testing.TB, in *instance, team daemon.First, _ map[string]string) string {
		return in.procedure(t, "auth.login", "", `{"email":"`+team.OwnerEmail+`","password":"`+password+`"}`).JSON(t)["id"].(string)
	}},
	{"events", func(t testing.TB, in *instance, team daemon.First, _ map[string]string) string {
		return firstID(in.send(t, "GET", v1+"/events", team.Key, "").JSON(t))
	}},
}

// named are members whose names do not say what they name.
var named = map[string]string{"assigneeId": "users", "sources": "posts", "id": "posts"}

// nounOf is the noun of what a member such as categoryId names, among those of
// ids.
func nounOf(ids map[string]string, member string) string {
	if noun := named[member]; noun != "" {
		return noun
	}
	one := strings.TrimSuffix(strings.TrimSuffix(member, "s"), "Id")
	for noun := range ids {
		last := noun[strings.LastIndexByte(noun, '.')+1:]
		if last == one+"s" || strings.TrimSuffix(last, "ies")+"y" == one {
			return noun
		}
	}
	return ""
}

// dot is a PNG of one pixel.
func dot(t testing.TB) string {
	t.Helper()
	var b bytes.Buffer
	if err := png.Encode(&b, image.NewGray(image.Rect(0, 0, 1, 1))); err != nil {
		t.Fatal(err)
	}
	return b.String()
}
