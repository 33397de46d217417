package api

// Where the chat is on the public pages.
const (
	ChatOff  = "off"
	ChatHelp = "help"
	ChatAll  = "all"
)

// PublicSite is how the team's public pages look and where they lead. The pages
// are its posts and its help centre; a Site is a website that carries the widget.
type PublicSite struct {
	URL         string    `json:"url" doc:"Address of the pages."`
	Title       string    `json:"title" doc:"Name on the pages; the team's where it is empty."`
	Tagline     string    `json:"tagline" doc:"A sentence below the title; the brand's description where it is empty."`
	LogoURL     string    `json:"logoUrl" doc:"The brand's logo where it is empty."`
	IconURL     string    `json:"iconUrl" doc:"Icon of browser tabs."`
	AccentColor string    `json:"accentColor" doc:"#rrggbb, of links and buttons. Where it could not be read it is made darker or lighter."`
	Navigation  []NavLink `json:"navigation" doc:"Links in the head of every page, in order. Without any there are links to the posts and to the help centre."`
	Chat        string    `json:"chat" enum:"off,help,all" doc:"Whether the widget is on no page, on those of the help centre, or on all."`
	ChatSiteID  string    `json:"chatSiteId" doc:"Site whose chat that is, empty when off."`
	Version     int       `json:"version" doc:"One more with each change; the ETag."`
	UpdatedAt   Time      `json:"updatedAt" null:"true"`
}

// NavLink is a link of the public pages' navigation.
type NavLink struct {
	Label string `json:"label" minLength:"1" maxLength:"40"`
	URL   string `json:"url" minLength:"1" maxLength:"2048" doc:"An http, https or mailto address, or a path of the pages such as /help."`
}

// PublicSitePatch is a merge patch of the public pages' settings: absent members
// stay as they are.
type PublicSitePatch struct {
	IfMatch     int            `json:"ifMatch,omitempty" minimum:"1" doc:"Refuse with version_conflict unless the settings have this version."`
	Title       Opt[string]    `json:"title,omitzero" maxLength:"120" null:"true" doc:"Name on the pages; null takes the team's."`
	Tagline     Opt[string]    `json:"tagline,omitzero" maxLength:"300" null:"true" doc:"A sentence below the title."`
	LogoURL     Opt[string]    `json:"logoUrl,omitzero" maxLength:"2048" null:"true" doc:"An https address, or /media/… of an uploaded file."`
	IconURL     Opt[string]    `json:"iconUrl,omitzero" maxLength:"2048" null:"true" doc:"Icon of browser tabs: an https address, or /media/… of an uploaded file."`
	AccentColor Opt[string]    `json:"accentColor,omitzero" pattern:"^#[0-9a-fA-F]{6}$" null:"true" doc:"#rrggbb, of links and buttons."`
	Navigation  Opt[[]NavLink] `json:"navigation,omitzero" maxItems:"12" null:"true" doc:"Links in the head of every page, in order."`
	Chat        Opt[string]    `json:"chat,omitzero" enum:"off,help,all" doc:"The pages that carry the widget. The site's allowed origins get the pages' own."`
	ChatSiteID  Opt[string]    `json:"chatSiteId,omitzero" maxLength:"64" null:"true" doc:"Site whose chat it is; the team's first where it is empty."`
}

// ETagVersion makes the settings' version their ETag.
func (s PublicSite) ETagVersion() int { return s.Version }
