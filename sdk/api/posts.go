package api

// The statuses of a post.
const (
	PostDraft     = "DRAFT"
	PostPublished = "PUBLISHED"
	PostArchived  = "ARCHIVED"
)

// Post is an article of the team's publication.
type Post struct {
	ID             string            `json:"id"`
	Title          string            `json:"title"`
	Slug           string            `json:"slug" form:"slug" doc:"Unique per team."`
	Content        string            `json:"content,omitzero" doc:"HTML as it was sent; sanitised where it could run something in a browser, unless include=source. Lists leave it out unless include=content."`
	Description    string            `json:"description"`
	Status         string            `json:"status" enum:"DRAFT,PUBLISHED,ARCHIVED"`
	Tags           []string          `json:"tags"`
	Model          string            `json:"model,omitempty" doc:"Language model that wrote it."`
	FeaturedImage  *Image            `json:"featuredImage" null:"true"`
	Author         *Author           `json:"author" null:"true"`
	Excerpt        string            `json:"excerpt"`
	WordCount      int               `json:"wordCount"`
	ReadingMinutes int               `json:"readingMinutes"`
	Locale         string            `json:"locale,omitempty" form:"locale" doc:"BCP 47 language tag."`
	CanonicalURL   string            `json:"canonicalUrl,omitempty"`
	PublishAt      Time              `json:"publishAt" null:"true" doc:"When a draft publishes by itself."`
	PublishedAt    Time              `json:"publishedAt" null:"true" doc:"When it was published, or the time in the past that its author gave; null while it is not public."`
	Held           string            `json:"held,omitempty" enum:"generating,failed,empty,unfinished" doc:"Why a post whose status is PUBLISHED is not public yet: its body is being generated, its generation failed, it has none, or it has places marked [to complete]. It becomes public with a real body."`
	Date           Time              `json:"date,omitzero" doc:"The time of publication that its author gave: publishedAt of a post that is public, and of a draft once it is."`
	Aliases        []string          `json:"aliases,omitempty" doc:"Paths at which it was on another site: on the public pages they lead to it (301)."`
	ArchivedAt     Time              `json:"archivedAt" null:"true"`
	Generation     *Generation       `json:"generation" null:"true"`
	Provenance     Provenance        `json:"provenance"`
	Metadata       map[string]string `json:"metadata,omitempty"`
	Version        int               `json:"version" doc:"One more with each change; the ETag."`
	CreatedAt      Time              `json:"createdAt"`
	UpdatedAt      Time              `json:"updatedAt"`
}

// Why a published post is held back.
const (
	HeldGenerating = "generating"
	HeldFailed     = "failed"
	HeldEmpty      = "empty"
	HeldUnfinished = "unfinished"
)

// Image is a featured image.
type Image struct {
	URL    string `json:"url" maxLength:"2048"`
	Alt    string `json:"alt,omitempty" maxLength:"500"`
	Width  int    `json:"width,omitempty" minimum:"0"`
	Height int    `json:"height,omitempty" minimum:"0"`
	Source string `json:"source,omitempty" maxLength:"60" doc:"uploaded, external, openai or offline."`
}

// Author is who wrote a post.
type Author struct {
	ID   string `json:"id"`
	Name string `json:"name"`
}

// Generation is the latest generation job of a post.
type Generation struct {
	JobID string `json:"jobId"`
	State string `json:"state"`
}

// Provenance says where content comes from.
type Provenance struct {
	Source  string `json:"source" doc:"api, mcp, agent, dashboard or cli."`
	ActorID string `json:"actorId"`
	Model   string `json:"model,omitempty"`
	JobID   string `json:"jobId,omitempty"`
	Offline bool   `json:"offline,omitempty" doc:"Made without a language model."`
}

// PostCreate creates a post directly when it has Content, and by a generation
// job when it has none but at least one Generate flag.
type PostCreate struct {
	Title               string            `json:"title" minLength:"1" maxLength:"300"`
	Content             string            `json:"content,omitempty" doc:"HTML, at most 1 MiB. Omit it to have the body generated."`
	Description         string            `json:"description,omitempty" maxLength:"500"`
	Slug                string            `json:"slug,omitempty" form:"slug" maxLength:"100" doc:"Lower case letters, digits and hyphens. Derived from the title when absent."`
	Status              string            `json:"status,omitempty" enum:"DRAFT,PUBLISHED" default:"DRAFT" tool:"-"`
	Tags                []string          `json:"tags,omitempty" maxItems:"50"`
	FeaturedImage       *Image            `json:"featuredImage,omitempty"`
	Locale              string            `json:"locale,omitempty" form:"locale" maxLength:"35"`
	CanonicalURL        string            `json:"canonicalUrl,omitempty" maxLength:"2048"`
	PublishAt           Time              `json:"publishAt,omitzero" doc:"Publish a draft at this time." tool:"-"`
	PublishedAt         Time              `json:"publishedAt,omitzero" doc:"Time of publication to show in place of the present, in the past; a draft takes it when it is published. Needs posts:publish." tool:"-"`
	Author              string            `json:"author,omitempty" maxLength:"200" doc:"Name to show as the author." tool:"-"`
	Aliases             []string          `json:"aliases,omitempty" maxItems:"20" doc:"Paths of another site that lead here, such as /2019/hello.html." tool:"-"`
	Metadata            map[string]string `json:"metadata,omitempty"`
	GenerateContent     bool              `json:"generateContent,omitempty"`
	GenerateDescription bool              `json:"generateDescription,omitempty"`
	GenerateTags        bool              `json:"generateTags,omitempty"`
	GenerateImage       bool              `json:"generateImage,omitempty"`
	Model               string            `json:"model,omitempty" maxLength:"100" doc:"Language model that generates, such as gpt-6-luna. Without one the service chooses; an unknown one is refused with a list of all."`
	Prompt              string            `json:"prompt,omitempty" maxLength:"4000" doc:"What the generated body should say."`
	Audience            string            `json:"audience,omitempty" maxLength:"200"`
	Tone                string            `json:"tone,omitempty" maxLength:"200"`
	Length              string            `json:"length,omitempty" enum:"short,medium,long" default:"medium"`
	Sources             []string          `json:"sources,omitempty" maxItems:"10" doc:"Ids of posts to draw from."`
}

// PostGenerate is a PostCreate of which a job writes the parts that the flags
// name, as a draft: without flags all but the picture.
type PostGenerate struct {
	Title               string   `json:"title" minLength:"1" maxLength:"300"`
	Tags                []string `json:"tags,omitempty" maxItems:"50"`
	Locale              string   `json:"locale,omitempty" form:"locale" maxLength:"35"`
	GenerateContent     bool     `json:"generateContent,omitempty" default:"true"`
	GenerateDescription bool     `json:"generateDescription,omitempty" default:"true"`
	GenerateTags        bool     `json:"generateTags,omitempty" default:"true"`
	GenerateImage       bool     `json:"generateImage,omitempty"`
	Model               string   `json:"model,omitempty" maxLength:"100" doc:"Without one the service chooses; an unknown one is refused with a list of all."`
	Prompt              string   `json:"prompt,omitempty" maxLength:"4000" doc:"What the generated body should say."`
	Audience            string   `json:"audience,omitempty" maxLength:"200"`
	Tone                string   `json:"tone,omitempty" maxLength:"200"`
	Length              string   `json:"length,omitempty" enum:"short,medium,long" default:"medium"`
	Sources             []string `json:"sources,omitempty" maxItems:"10" doc:"Ids of posts to draw from."`
}

// Generates reports whether any generation flag is set.
func (in *PostCreate) Generates() bool {
	return in.GenerateContent || in.GenerateDescription || in.GenerateTags || in.GenerateImage
}

// PostCreated is the answer to PostCreate: the post in direct mode (201), the
// job in AI mode (202). Exactly one is set.
type PostCreated struct {
	Post *Post
	Job  *JobStarted
}

// JobStarted names a job that was queued.
type JobStarted struct {
	JobID  string `json:"jobId"`
	ID     string `json:"id" doc:"The same as jobId."`
	PostID string `json:"postId"`
	State  string `json:"state"`
}

// PostRef names a post.
type PostRef = Ref

// PostQuery filters a list of posts.
type PostQuery struct {
	PageQuery
	Status        string `json:"status,omitempty" enum:"DRAFT,PUBLISHED,ARCHIVED"`
	Tag           string `json:"tag,omitempty" maxLength:"60"`
	Model         string `json:"model,omitempty" maxLength:"100"`
	CreatedAfter  Time   `json:"createdAfter,omitzero"`
	CreatedBefore Time   `json:"createdBefore,omitzero"`
	Q             string `json:"q,omitempty" maxLength:"400" doc:"Words to search for: the best 200 posts, best first." tool:"-"`
	Include       string `json:"include,omitempty" enum:"content,source" doc:"Add the content to each post; source: as it was sent."`
}

// PostSearch searches the posts.
type PostSearch struct {
	Q      string `json:"q" minLength:"1" maxLength:"400"`
	Limit  int    `json:"limit,omitempty" default:"10" minimum:"1" maximum:"50"`
	Status string `json:"status,omitempty" enum:"DRAFT,PUBLISHED,ARCHIVED" default:"PUBLISHED"`
	Locale string `json:"locale,omitempty" form:"locale" maxLength:"35" doc:"Only of this language, as de."`
}

// PostHits answers PostSearch, best first.
type PostHits struct {
	Data []PostHit `json:"data"`
}

// PostHit is one post that was found.
type PostHit struct {
	PostID      string `json:"postId"`
	PublishedAt Time   `json:"publishedAt,omitzero"`
	FoundText
}

// PostPatch names a post and what to change.
type PostPatch struct {
	PostRef
	PostChanges
}

// PostChanges is a merge patch of a post: absent members stay as they are.
type PostChanges struct {
	Title         Opt[string]             `json:"title,omitzero" minLength:"1" maxLength:"300"`
	Content       Opt[string]             `json:"content,omitzero" null:"true"`
	Description   Opt[string]             `json:"description,omitzero" maxLength:"500" null:"true"`
	Slug          Opt[string]             `json:"slug,omitzero" form:"slug" minLength:"1" maxLength:"100"`
	Status        Opt[string]             `json:"status,omitzero" enum:"DRAFT,PUBLISHED,ARCHIVED"`
	Tags          Opt[[]string]           `json:"tags,omitzero" maxItems:"50" null:"true"`
	FeaturedImage Opt[Image]              `json:"featuredImage,omitzero" null:"true"`
	Author        Opt[string]             `json:"author,omitzero" maxLength:"200" null:"true" doc:"Name to show as the author."`
	Locale        Opt[string]             `json:"locale,omitzero" form:"locale" maxLength:"35" null:"true"`
	CanonicalURL  Opt[string]             `json:"canonicalUrl,omitzero" maxLength:"2048" null:"true"`
	PublishAt     Opt[Time]               `json:"publishAt,omitzero" null:"true"`
	PublishedAt   Opt[Time]               `json:"publishedAt,omitzero" null:"true" doc:"Time of publication to show, in the past; null forgets it where the post is not public. Needs posts:publish." tool:"-"`
	Aliases       Opt[[]string]           `json:"aliases,omitzero" maxItems:"20" null:"true" doc:"Paths of another site that lead here." tool:"-"`
	Metadata      Opt[map[string]*string] `json:"metadata,omitzero" null:"true" doc:"Merged into the metadata: null removes a key, or all of it."`
}

// PostBatch is up to 100 changes, each on its own: one that fails stops no
// other.
type PostBatch struct {
	Items []PostBatchItem `json:"items" minItems:"1" maxItems:"100"`
}

// PostBatchItem is one change of a batch.
type PostBatchItem struct {
	Op     string       `json:"op" enum:"create,patch,publish,unpublish,archive,unarchive,delete"`
	ID     string       `json:"id,omitempty" form:"id" doc:"The post; not for create."`
	Create *PostCreate  `json:"create,omitempty" doc:"For create."`
	Patch  *PostChanges `json:"patch,omitempty" doc:"For patch."`
}

// PostBatchResult answers PostBatch, item by item in order.
type PostBatchResult struct {
	Results []PostBatchOutcome `json:"results"`
}

// PostBatchOutcome is the outcome of one item.
type PostBatchOutcome struct {
	Status int         `json:"status" doc:"The HTTP status that the single operation would have had."`
	Post   *Post       `json:"post,omitempty"`
	Job    *JobStarted `json:"job,omitempty"`
	Error  *Error      `json:"error,omitempty"`
}

// Revision is an earlier state of a post.
type Revision struct {
	PostID      string   `json:"postId"`
	Number      int      `json:"number" doc:"The post's version that this was."`
	Title       string   `json:"title"`
	Description string   `json:"description"`
	Tags        []string `json:"tags"`
	Content     string   `json:"content,omitzero"`
	ActorID     string   `json:"actorId"`
	CreatedAt   Time     `json:"createdAt"`
}

// PostImage asks for a generated featured image.
type PostImage struct {
	ID     string `json:"id" form:"id" doc:"Id of the post."`
	Prompt string `json:"prompt,omitempty" maxLength:"1000"`
}

// Deleted confirms a deletion.
type Deleted struct {
	ID      string `json:"id"`
	Deleted bool   `json:"deleted"`
}
