package team

import (
	"context"
	"errors"
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"
	_ "time/tzdata" // a server may have no zones of its own
	"unicode/utf8"

	"edgesvc.dev/svc/daemon/internal/op"
	"edgesvc.dev/svc/daemon/internal/resource"
	"edgesvc.dev/svc/daemon/internal/roster"
	"edgesvc.dev/svc/kv"
	"edgesvc.dev/svc/sdk/api"
)

const (
	maxSlug = 60
	maxFact = 500
)

var slugPattern = regexp.MustCompile(`^[a-z0-9]+(-[a-z0-9]+)*$`)

// reserved are the first segments of paths that the daemon itself answers, or
// may come to answer.
var reserved = []string{
	"svc-api", "assets", "media", "healthz", "readyz", "metrics", "sign-in", "widget", "debug", "static",
	"robots.txt", "favicon.ico", "sitemap.xml",
}

func checkSlug(slug string) error {
	switch {
	case slices.Contains(reserved, slug):
		return api.Invalid("/slug", "reserved", "The slug %s is reserved.", slug)
	case len(slug) > maxSlug || !slugPattern.MatchString(slug):
		return api.Invalid("/slug", "pattern",
			"A slug is at most %d lower case letters, digits and single hyphens between them.", maxSlug)
	}
	return nil
}

// slugOf makes a slug of a name, keeping what ASCII can say.
func slugOf(name string) string {
	words := strings.FieldsFunc(strings.ToLower(name), func(r rune) bool {
		return (r < 'a' || r > 'z') && (r < '0' || r > '9')
	})
	slug := strings.Join(words, "-")
	if slug == "" {
		return "team"
	}
	return strings.TrimRight(slug[:min(len(slug), maxSlug)], "-")
}

// slugTaken turns the conflict of the index of slugs into a refusal that names a
// free slug.
func slugTaken(tx kv.Tx, err error, slug string) error {
	if c, ok := errors.AsType[*kv.ConflictError](err); !ok || c.Index != "slug" {
		return err
	}
	e := api.NewError(http.StatusConflict, api.CodeSlugTaken, "Another team has the slug %s.", slug)
	for n := 2; n < 100; n++ {
		tail := "-" + strconv.Itoa(n)
		free := slug[:min(len(slug), maxSlug-len(tail))] + tail
		_, _, err := roster.Teams.Find(tx, "", "slug", kv.Key(free))
		if _, missing := errors.AsType[*kv.NotFoundError](err); missing {
			e.SuggestedSlug = free
			return e
		}
		if err != nil {
			return err
		}
	}
	return e
}

// Get returns the caller's team.
func (s *Service) Get(ctx context.Context, who op.Caller, _ api.None) (api.Team, error) {
	return s.TeamByID(ctx, who.Team)
}

// Update changes the team's name, slug or time zone. Public pages move with the
// slug.
func (s *Service) Update(ctx context.Context, who op.Caller, in api.TeamPatch) (api.Team, error) {
	if err := checkPatch(&in); err != nil {
		return api.Team{}, err
	}
	return op.Update(ctx, s.store, who, func(tx kv.Tx) (api.Team, error) {
		return s.change(tx, &who, "team.update", func(t *roster.Team) detail {
			in.Name.Apply(&t.Name)
			in.Slug.Apply(&t.Slug)
			in.Timezone.Apply(&t.Zone)
			return detail{"name": t.Name, "slug": t.Slug, "timezone": t.Timezone()}
		})
	})
}

// checkPatch checks what the contract's tags cannot say, all of it at once.
func checkPatch(in *api.TeamPatch) error {
	var bad []api.FieldError
	if in.Slug.Set {
		if e, ok := errors.AsType[*api.Error](checkSlug(in.Slug.Value)); ok {
			bad = append(bad, e.Errors...)
		}
	}
	if name := in.Timezone.Value; name != "" {
		if _, err := time.LoadLocation(name); err != nil || name == "Local" {
			bad = append(bad, api.FieldError{Pointer: "/timezone", Code: "format", Message: "is the IANA name of a time zone, such as Europe/Berlin"})
		}
	}
	if len(bad) == 0 {
		return nil
	}
	return api.InvalidFields(bad...)
}

var teamDiffer = resource.NewDiffer[roster.Team]()

// change stores what apply makes of the caller's team, as a version of its own
// where it differs.
func (s *Service) change(tx kv.Tx, who *op.Caller, action string, apply func(*roster.Team) detail) (api.Team, error) {
	t, err := roster.Teams.Get(tx, "", who.Team)
	if err != nil {
		return api.Team{}, err
	}
	before := *t
	more := apply(t)
	if len(teamDiffer.Changed(&before, t)) > 0 {
		t.Version++
		t.Updated = s.now()
		if err := roster.Teams.Put(tx, "", who.Team, t); err != nil {
			return api.Team{}, slugTaken(tx, err, t.Slug)
		}
	}
	return t.Show(who.Team), s.Audit(tx, who, action, who.Team, more)
}

// GetBrand returns what generated content may say about the caller's team.
func (s *Service) GetBrand(ctx context.Context, who op.Caller, _ api.None) (api.Brand, error) {
	_, brand, err := s.Brand(ctx, who.Team)
	return brand, err
}

// UpdateBrand replaces it.
func (s *Service) UpdateBrand(ctx context.Context, who op.Caller, in api.Brand) (api.Brand, error) {
	if err := checkBrand(&in); err != nil {
		return api.Brand{}, err
	}
	return op.Update(ctx, s.store, who, func(tx kv.Tx) (api.Brand, error) {
		t, err := s.change(tx, &who, "team.brand.update", func(t *roster.Team) detail {
			t.Brand = in
			return nil
		})
		return t.Brand, err
	})
}

// checkBrand checks what the contract's tags cannot say, all of it at once.
func checkBrand(b *api.Brand) error {
	var bad []api.FieldError
	for i, fact := range b.Facts {
		at := "/facts/" + strconv.Itoa(i)
		if strings.TrimSpace(fact) == "" {
			bad = append(bad, api.FieldError{Pointer: at, Code: "required", Message: "cannot be empty"})
		} else if utf8.RuneCountInString(fact) > maxFact {
			bad = append(bad, api.FieldError{Pointer: at, Code: "too_long", Message: "may have at most " + strconv.Itoa(maxFact) + " characters"})
		}
	}
	if b.LogoURL != "" {
		u, err := url.Parse(b.LogoURL)
		if err != nil || u.Host == "" || u.User != nil || u.Scheme != "https" && u.Scheme != "http" {
			bad = append(bad, api.FieldError{Pointer: "/logoUrl", Code: "format", Message: "must be an http or https address"})
		}
	}
	if len(bad) == 0 {
		return nil
	}
	return api.InvalidFields(bad...)
}
