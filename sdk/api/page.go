package api

// Page is one page of a list.
type Page[T any] struct {
	Data       []T    `json:"data" doc:"The records, newest first unless order=asc."`
	HasMore    bool   `json:"hasMore" doc:"Whether nextCursor leads to further records. A filtered page may be short and still have more."`
	NextCursor string `json:"nextCursor,omitempty" doc:"Pass as cursor to get the next page."`
}

// PageQuery is what every list accepts.
type PageQuery struct {
	Limit  int    `json:"limit,omitempty" default:"20" minimum:"1" maximum:"100" doc:"Most records on a page."`
	Cursor string `json:"cursor,omitempty" maxLength:"1024" doc:"nextCursor of the page before."`
	Order  string `json:"order,omitempty" enum:"asc,desc" default:"desc" doc:"Order by creation time."`
}
