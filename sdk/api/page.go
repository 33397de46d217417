package api

// Page is one page of a list.
type Page[T any] struct {
	Data       []T    `json:"data" doc:"The records, newest first unless order=asc."`
	HasMore    bool   `json:"hasMore" doc:"Whether nextCursor leads to further records. A filtered page may be short and still have more."`
	NextCursor string `json:"nextCursor,omitempty" doc:"Pass as cursor to get the next page."`
	Total      *int   `json:"total,omitempty" doc:"How many records all pages have, where total was asked for and counting is cheap: without filters that no index answers, and up to 10,000."`
}

// PageQuery is what every list accepts.
type PageQuery struct {
	Limit  int    `json:"limit,omitempty" default:"20" minimum:"1" maximum:"100" doc:"Most records on a page."`
	Cursor string `json:"cursor,omitempty" maxLength:"1024" doc:"nextCursor of the page before."`
	Order  string `json:"order,omitempty" enum:"asc,desc" default:"desc" doc:"Order by creation time."`
	Total  bool   `json:"total,omitempty" doc:"Add the total of all pages." tool:"-"`
}
