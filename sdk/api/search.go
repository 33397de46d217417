package api

// FoundText is a text that a search found.
type FoundText struct {
	Title    string         `json:"title"`
	Slug     string         `json:"slug" form:"slug"`
	URL      string         `json:"url" doc:"Of the public page."`
	Excerpt  string         `json:"excerpt"`
	Quote    string         `json:"quote,omitempty" doc:"The passage that fits best, word for word."`
	Score    float64        `json:"score" doc:"Comparable within one answer."`
	Covered  float64        `json:"covered" doc:"Share of the question that the text has, rarer words counting more."`
	Sections []FoundSection `json:"sections" doc:"Its best sections, at most two."`
}

// FoundSection is a section of a text that was found.
type FoundSection struct {
	Anchor  string   `json:"anchor" doc:"Id of its heading on the page; empty before the first heading."`
	Heading string   `json:"heading"`
	Path    []string `json:"path" doc:"The headings above it and its own, outermost first."`
	URL     string   `json:"url" doc:"Of the page, with the anchor."`
	Snippet string   `json:"snippet" doc:"At most 200 characters of plain text around the words that were searched for."`
	Marks   [][2]int `json:"marks" doc:"Where these words are in the snippet: start and end of each, in UTF-16 units."`
	Quote   string   `json:"quote" doc:"The passage that fits best, word for word."`
}
