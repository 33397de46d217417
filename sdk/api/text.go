package api

// TextGet asks for one text: a post or a help article.
type TextGet struct {
	ID      string `json:"id" form:"id" doc:"Id of the object."`
	Include string `json:"include,omitempty" enum:"source" doc:"source: the content as it was sent, also where it could run something in a browser; never show it as it is."`
}

// TextSlug asks for the text that has a slug.
type TextSlug struct {
	Slug    string `json:"slug" form:"slug"`
	Include string `json:"include,omitempty" enum:"source" doc:"source: the content as it was sent."`
}

// RevisionQuery lists the revisions of a text, newest first.
type RevisionQuery struct {
	PageQuery
	ID      string `json:"id" form:"id" doc:"Id of the object."`
	Include string `json:"include,omitempty" enum:"content,source" doc:"Add the content; source: as it was sent."`
}

// RevisionRef names one revision.
type RevisionRef struct {
	ID string `json:"id" form:"id" doc:"Id of the object."`
	N  int    `json:"n" minimum:"1" doc:"Number of the revision."`
}
