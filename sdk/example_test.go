package sdk_test

import (
	"context"
	"errors"
	"fmt"
	"log"
	"net/http/httptest"
	"strings"

	"edgesvc.dev/svc/sdk"
	"edgesvc.dev/svc/sdk/api"
)

// daemon answers the examples in the order of their calls.
func daemon(answers ...any) *httptest.Server {
	w := &wire{}
	for _, answer := range answers {
		w.answers = append(w.answers, ok(answer))
	}
	w.Server = httptest.NewServer(w)
	return w.Server
}

func ExampleNew() {
	server := daemon(api.Me{Team: api.TeamRef{Name: "Acme"}, Scopes: []string{"posts:read"}})
	defer server.Close()

	c := sdk.New(server.URL, sdk.WithAPIKey("svc_0123456789abcdefghijklmnopqrstuvwxABCD"))
	me, err := c.Me(context.Background())
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(me.Team.Name, me.Scopes)
	// Output: Acme [posts:read]
}

func ExamplePostsService_Create() {
	server := daemon(api.Post{ID: "post_1", Slug: "hi", Status: api.PostDraft})
	defer server.Close()
	c := sdk.New(server.URL)

	p, err := c.Posts.Create(context.Background(), api.PostCreate{Title: "Hi", Content: "<p>Hello.</p>", Tags: []string{"go"}})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(p.Slug, p.Status)
	// Output: hi DRAFT
}

func ExamplePostsService_All() {
	server := daemon(
		api.Page[api.Post]{Data: []api.Post{{Slug: "one"}, {Slug: "two"}}, HasMore: true, NextCursor: "next"},
		api.Page[api.Post]{Data: []api.Post{{Slug: "three"}}},
	)
	defer server.Close()
	c := sdk.New(server.URL)

	for p, err := range c.Posts.All(context.Background(), api.PostQuery{Status: api.PostDraft}) {
		if err != nil {
			log.Fatal(err)
		}
		fmt.Println(p.Slug)
	}
	// Output:
	// one
	// two
	// three
}

func ExamplePostsService_Update() {
	server := daemon(api.Post{ID: "post_1", Title: "Hello", Version: 8})
	defer server.Close()
	c := sdk.New(server.URL)

	patch := api.PostPatch{PostRef: api.PostRef{ID: "post_1", IfMatch: 7}}
	patch.Title = api.Some("Hello")
	patch.Description = api.Null[string]()
	p, err := c.Posts.Update(context.Background(), patch)
	if e, ok := errors.AsType[*api.Error](err); ok && e.Code == api.CodeVersionConflict {
		log.Fatal("someone else was faster; request ", e.RequestID)
	}
	fmt.Println(p.Title, p.Version)
	// Output: Hello 8
}

func ExampleJobHandle_Watch() {
	server := httptest.NewServer(events(false, api.JobRunning, api.JobCompleted))
	defer server.Close()
	c := sdk.New(server.URL)

	job := c.Jobs.Handle("job_1") // or what Posts.Generate returned
	for j, err := range job.Watch(context.Background()) {
		if err != nil {
			log.Fatal(err)
		}
		fmt.Println(j.State)
	}
	// Output:
	// running
	// completed
}

func ExampleMediaService_Upload() {
	server := daemon(api.Media{ID: "med_1", URL: "/media/med_1.png"})
	defer server.Close()
	c := sdk.New(server.URL)

	m, err := c.Media.Upload(context.Background(), sdk.MediaUpload{Name: "dot.png", Alt: "a dot", Body: strings.NewReader("\x89PNG")})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(m.URL)
	// Output: /media/med_1.png
}

func ExampleEventsService_List() {
	server := daemon(api.Page[api.Event]{Data: []api.Event{{Type: "post.published"}}})
	defer server.Close()
	c := sdk.New(server.URL)

	page, err := c.Events.List(context.Background(), api.EventQuery{Type: "post.*"})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(page.Data[0].Type)
	// Output: post.published
}

func ExampleLogin() {
	server := daemon(
		api.Session{ID: "ses_1", Token: "sess_0123456789abcdef"},
		api.Key{ID: "key_1", Name: "ci", Secret: "svc_…"},
		api.Page[api.User]{Data: []api.User{{Email: "ada@example.com", Role: api.RoleOwner}}},
	)
	defer server.Close()

	ctx := context.Background()
	d, err := sdk.Login(ctx, server.URL, "ada@example.com", "correct horse")
	if err != nil {
		log.Fatal(err)
	}
	key, err := d.Keys.Create(ctx, api.KeyCreate{Name: "ci", Scopes: []string{"publisher"}})
	if err != nil {
		log.Fatal(err)
	}
	members, err := d.Team.Members(ctx, api.PageQuery{})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(key.Name, members.Data[0].Role)
	// Output: ci owner
}

func ExampleHelpdeskService_Search() {
	server := daemon(api.HelpHits{Data: []api.HelpHit{{FoundText: api.FoundText{Title: "Returns", Quote: "You can send anything back within 30 days."}}}})
	defer server.Close()
	c := sdk.New(server.URL)

	hits, err := c.Helpdesk.Search(context.Background(), api.HelpSearch{Q: "can I send it back?"})
	if err != nil {
		log.Fatal(err)
	}
	for _, hit := range hits {
		fmt.Println(hit.Title, "–", hit.Quote)
	}
	// Output: Returns – You can send anything back within 30 days.
}
