package api

// Media is an uploaded or generated file.
type Media struct {
	ID        string `json:"id"`
	URL       string `json:"url" doc:"Public address."`
	Name      string `json:"name,omitempty"`
	MIME      string `json:"mime"`
	Size      int    `json:"size" doc:"Bytes."`
	Width     int    `json:"width,omitempty"`
	Height    int    `json:"height,omitempty"`
	Alt       string `json:"alt,omitempty"`
	Source    string `json:"source" doc:"uploaded, openai or offline."`
	CreatedAt Time   `json:"createdAt"`
	UpdatedAt Time   `json:"updatedAt"`
	Version   int    `json:"version"`
}

// MediaQuery lists media.
type MediaQuery struct {
	PageQuery
}

// MediaRef names a file.
type MediaRef struct {
	ID string `json:"id" form:"id"`
}
