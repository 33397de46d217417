package api

// The statuses of an article.
const (
	ArticleDraft     = "DRAFT"
	ArticlePublished = "PUBLISHED"
	ArticleArchived  = "ARCHIVED"
)

// Article is one answer of the helpdesk.
type Article struct {
	ID          string            `json:"id"`
	Title       string            `json:"title"`
	Slug        string            `json:"slug" form:"slug" doc:"Unique per team."`
	Content     string            `json:"content,omitzero" doc:"HTML as it was sent; sanitised where it could run something in a browser, unless include=source. Lists leave it out unless include=content."`
	Excerpt     string            `json:"excerpt"`
	Status      string            `json:"status" enum:"DRAFT,PUBLISHED,ARCHIVED"`
	CategoryID  string            `json:"categoryId,omitempty" form:"id"`
	Tags        []string          `json:"tags"`
	Locale      string            `json:"locale,omitempty" form:"locale" doc:"BCP 47 language tag."`
	PublishedAt Time              `json:"publishedAt" null:"true"`
	Date        Time              `json:"date,omitzero" doc:"The time of publication that its author gave; a draft takes it when it is published."`
	Aliases     []string          `json:"aliases,omitempty" doc:"Paths at which it was on another site: on the public pages they lead to it (301)."`
	Helpful     Helpful           `json:"helpful"`
	Provenance  Provenance        `json:"provenance"`
	Metadata    map[string]string `json:"metadata,omitempty"`
	Version     int               `json:"version" doc:"One more with each change; the ETag."`
	CreatedAt   Time              `json:"createdAt"`
	UpdatedAt   Time              `json:"updatedAt"`
}

// ETagVersion is the article's version.
func (a Article) ETagVersion() int { return a.Version }

// Helpful counts what readers said of an article.
type Helpful struct {
	Yes int `json:"yes"`
	No  int `json:"no"`
}

// ArticleCreate creates an article.
type ArticleCreate struct {
	Title       string            `json:"title" minLength:"1" maxLength:"300"`
	Content     string            `json:"content" minLength:"1" doc:"HTML, at most 1 MiB."`
	Excerpt     string            `json:"excerpt,omitempty" maxLength:"500" doc:"Derived from the content when absent."`
	Slug        string            `json:"slug,omitempty" form:"slug" maxLength:"100" doc:"Derived from the title when absent."`
	Status      string            `json:"status,omitempty" enum:"DRAFT,PUBLISHED" default:"DRAFT" tool:"-"`
	CategoryID  string            `json:"categoryId,omitempty" form:"id" maxLength:"40"`
	Tags        []string          `json:"tags,omitempty" maxItems:"50"`
	Locale      string            `json:"locale,omitempty" form:"locale" maxLength:"35"`
	PublishedAt Time              `json:"publishedAt,omitzero" doc:"Time of publication to show in place of the present, in the past." tool:"-"`
	Aliases     []string          `json:"aliases,omitempty" maxItems:"20" doc:"Paths of another site that lead here." tool:"-"`
	Metadata    map[string]string `json:"metadata,omitempty" tool:"-"`
}

// ArticleRef names an article.
type ArticleRef = Ref

// ArticleQuery filters a list of articles.
type ArticleQuery struct {
	PageQuery
	Status     string `json:"status,omitempty" enum:"DRAFT,PUBLISHED,ARCHIVED"`
	CategoryID string `json:"categoryId,omitempty" form:"id" maxLength:"40"`
	Tag        string `json:"tag,omitempty" maxLength:"60"`
	Include    string `json:"include,omitempty" enum:"content,source" doc:"Add the content to each article; source: as it was sent."`
}

// ArticlePatch names an article and what to change.
type ArticlePatch struct {
	ArticleRef
	ArticleChanges
}

// ArticleChanges is a merge patch of an article.
type ArticleChanges struct {
	Title       Opt[string]             `json:"title,omitzero" minLength:"1" maxLength:"300"`
	Content     Opt[string]             `json:"content,omitzero" minLength:"1"`
	Excerpt     Opt[string]             `json:"excerpt,omitzero" maxLength:"500" null:"true" doc:"null derives it from the content."`
	Slug        Opt[string]             `json:"slug,omitzero" form:"slug" minLength:"1" maxLength:"100"`
	Status      Opt[string]             `json:"status,omitzero" enum:"DRAFT,PUBLISHED,ARCHIVED" tool:"DRAFT,ARCHIVED"`
	CategoryID  Opt[string]             `json:"categoryId,omitzero" form:"id" maxLength:"40" null:"true"`
	Tags        Opt[[]string]           `json:"tags,omitzero" maxItems:"50" null:"true"`
	Locale      Opt[string]             `json:"locale,omitzero" form:"locale" maxLength:"35" null:"true"`
	PublishedAt Opt[Time]               `json:"publishedAt,omitzero" null:"true" doc:"Time of publication to show, in the past." tool:"-"`
	Aliases     Opt[[]string]           `json:"aliases,omitzero" maxItems:"20" null:"true" doc:"Paths of another site that lead here." tool:"-"`
	Metadata    Opt[map[string]*string] `json:"metadata,omitzero" null:"true" doc:"Merged into the metadata: null removes a key, or all of it." tool:"-"`
}

// ArticleRevision is an earlier text of an article.
type ArticleRevision struct {
	ArticleID string `json:"articleId"`
	Number    int    `json:"number" doc:"The article's version that this was."`
	Title     string `json:"title"`
	Content   string `json:"content,omitzero"`
	ActorID   string `json:"actorId"`
	CreatedAt Time   `json:"createdAt"`
}

// ArticleFeedback says whether an article helped.
type ArticleFeedback struct {
	ID      string `json:"id" form:"id" doc:"Id of the article."`
	Helpful bool   `json:"helpful"`
}

// Category groups articles.
type Category struct {
	Head
	Name     string `json:"name"`
	Slug     string `json:"slug" form:"slug" doc:"Unique per team."`
	Position int    `json:"position" doc:"Ascending order on the help pages."`
}

// CategoryQuery lists categories.
type CategoryQuery struct {
	Limit  int    `json:"limit,omitempty" default:"20" minimum:"1" maximum:"100" doc:"Most records on a page."`
	Cursor string `json:"cursor,omitempty" maxLength:"1024" doc:"nextCursor of the page before."`
	Order  string `json:"order,omitempty" enum:"asc,desc" default:"asc" doc:"Order by position."`
}

// CategoryCreate creates a category.
type CategoryCreate struct {
	Name     string `json:"name" minLength:"1" maxLength:"120"`
	Slug     string `json:"slug,omitempty" form:"slug" maxLength:"100" doc:"Derived from the name when absent."`
	Position int    `json:"position,omitempty" minimum:"0" maximum:"100000"`
}

// CategoryPatch names a category and what to change.
type CategoryPatch struct {
	Ref
	Name     Opt[string] `json:"name,omitzero" minLength:"1" maxLength:"120"`
	Slug     Opt[string] `json:"slug,omitzero" form:"slug" minLength:"1" maxLength:"100"`
	Position Opt[int]    `json:"position,omitzero" minimum:"0" maximum:"100000"`
}

// HelpSearch searches the articles.
type HelpSearch struct {
	Q      string `json:"q" minLength:"1" maxLength:"400"`
	Limit  int    `json:"limit,omitempty" default:"10" minimum:"1" maximum:"50"`
	Status string `json:"status,omitempty" enum:"DRAFT,PUBLISHED,ARCHIVED" default:"PUBLISHED"`
	Locale string `json:"locale,omitempty" form:"locale" maxLength:"35" doc:"Only of this language, as de."`
}

// HelpHits answers HelpSearch, best first.
type HelpHits struct {
	Data []HelpHit `json:"data"`
}

// HelpHit is one article that was found.
type HelpHit struct {
	ArticleID string `json:"articleId"`
	FoundText
}

// Gap is a question that the helpdesk did not answer, with others like it.
type Gap struct {
	ID        string   `json:"id"`
	Question  string   `json:"question" doc:"The latest wording."`
	Questions []string `json:"questions" doc:"Up to ten wordings."`
	Count     int      `json:"count"`
	State     string   `json:"state" enum:"open,drafted,dismissed"`
	ArticleID string   `json:"articleId,omitempty" doc:"The draft that was made of it."`
	CreatedAt Time     `json:"createdAt"`
	UpdatedAt Time     `json:"updatedAt"`
	Version   int      `json:"version"`
}

// GapQuery filters the gaps.
type GapQuery struct {
	PageQuery
	State string `json:"state,omitempty" enum:"open,drafted,dismissed" default:"open"`
}

// GapRef names a gap.
type GapRef struct {
	ID string `json:"id" form:"id" doc:"Id of the gap."`
}

// Reindexed answers a rebuild of the search index.
type Reindexed struct {
	Articles int `json:"articles"`
}
