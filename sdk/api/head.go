package api

// Head is what every object of a team begins with. Embed it first.
type Head struct {
	ID        string `json:"id"`
	Version   int    `json:"version" doc:"One more with each change; the ETag."`
	CreatedAt Time   `json:"createdAt"`
	UpdatedAt Time   `json:"updatedAt"`
}

// ETagVersion makes the version the ETag.
func (h Head) ETagVersion() int { return h.Version }

// Ref names one object.
type Ref struct {
	ID      string `json:"id" form:"id" doc:"Id of the object."`
	IfMatch int    `json:"ifMatch,omitempty" minimum:"1" doc:"Refuse with version_conflict unless it has this version."`
}
