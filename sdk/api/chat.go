package api

// ChatProtocol is the websocket subprotocol of the widget: JSON text frames,
// one object each, named by T.
const ChatProtocol = "svc.chat.v1"

// The close codes of the chat protocol (RFC 6455, 7.4.2: private use).
const (
	ChatBadFrame = 4400
	ChatBadSite  = 4401 // or token
	ChatOrigin   = 4403
	ChatIdle     = 4408
	ChatTooBig   = 4413
	ChatSlowDown = 4429
)

// ChatIn is a frame of a visitor: hello, msg, typing, read, identify, feedback,
// page or end.
type ChatIn struct {
	T string `json:"t"`

	Visitor string    `json:"visitor,omitempty"` // hello: the token of an earlier ready
	Since   int       `json:"since,omitzero"`    // hello: the seq up to which it has everything
	Lang    string    `json:"lang,omitempty"`    // hello
	Page    *ChatPage `json:"page,omitempty"`    // hello, page
	User    *ChatUser `json:"user,omitempty"`    // hello, identify

	CID  string `json:"cid,omitempty"`  // msg: the client's id of it; sends are idempotent by it
	Text string `json:"text,omitempty"` // msg
	Seq  int    `json:"seq,omitzero"`   // read
	ID   string `json:"id,omitempty"`   // feedback: the message
	V    int    `json:"v,omitzero"`     // feedback: 1, -1 or 0
	On   bool   `json:"on,omitzero"`    // typing
}

// ChatPage is where the visitor is.
type ChatPage struct {
	URL   string `json:"url,omitempty"`
	Title string `json:"title,omitempty"`
	Ref   string `json:"ref,omitempty"`
}

// ChatUser is who the visitor is said to be. Without a valid Token, a JWT
// (HS256) or the hex HMAC-SHA256 of ID, both by the site's secret, it is a
// claim only.
type ChatUser struct {
	ID    string `json:"id,omitempty"`
	Email string `json:"email,omitempty"`
	Name  string `json:"name,omitempty"`
	Token string `json:"token,omitempty"`
}

// ChatOut is a frame of the daemon: ready, ack, msg, typing, start, delta, tool,
// done, snapshot, read, handoff or error.
type ChatOut struct {
	T string `json:"t"`

	// ready
	Visitor string      `json:"visitor,omitempty"` // token to keep
	Conv    string      `json:"conv,omitempty"`
	Agent   *ChatAgent  `json:"agent,omitempty"`
	Color   string      `json:"color,omitempty"`
	Greet   string      `json:"greeting,omitempty"`
	Limits  *ChatLimits `json:"limits,omitempty"`
	Resumed bool        `json:"resumed,omitzero"`

	CID   string     `json:"cid,omitempty"`   // ack; msg of the visitor itself
	ID    string     `json:"id,omitempty"`    // of a message
	Seq   int        `json:"seq,omitzero"`    // ack, msg, done, read
	From  string     `json:"from,omitempty"`  // msg, typing: visitor, agent, operator or system
	Name  string     `json:"name,omitempty"`  // msg: the author's; tool: the tool's
	Text  string     `json:"text,omitempty"`  // Markdown of agents and operators, plain text of visitors
	Cards []Citation `json:"cards,omitempty"` // msg, done: articles
	Quick []string   `json:"quick,omitempty"` // msg, done: suggested answers
	N     int        `json:"n,omitzero"`      // delta, snapshot: characters (UTF-16) of the text before it, and so far
	On    bool       `json:"on,omitzero"`     // typing
	State string     `json:"state,omitempty"` // tool: of the call; handoff, ready: waiting while no person has taken over
	Stop  string     `json:"stop,omitempty"`  // msg, done: why it ended early
	To    string     `json:"to,omitempty"`    // handoff: operator or agent; ready: operator
	At    Time       `json:"at,omitzero"`     // msg, done
	Rated int        `json:"rated,omitzero"`  // msg: the visitor's rating

	// error
	Code    string `json:"code,omitempty"`
	Message string `json:"message,omitempty"`
	RetryIn int    `json:"retryIn,omitzero"` // seconds
	Fatal   bool   `json:"fatal,omitzero"`
}

// ChatAgent is who answers.
type ChatAgent struct {
	Name   string `json:"name"`
	Avatar string `json:"avatar,omitempty"`
	Online bool   `json:"online"`
}

// ChatLimits are what the widget must hold to.
type ChatLimits struct {
	Chars     int `json:"chars"`     // of one message
	PerMinute int `json:"perMinute"` // messages
}
