// Package dsn reads what mail servers report about mails that were sent: delivery
// status notifications (RFC 3464, and RFC 6533 for addresses in UTF-8) and complaints
// (RFC 5965). It reads fields that were made for programs, and never sentences.
package dsn

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/emersion/go-message"
)

// What of a report is read.
const (
	maxBytes  = 8 << 20   // of all
	maxPart   = 512 << 10 // of one part
	maxParts  = 100
	maxDepth  = 10
	maxPeople = 1000
)

// Kind is what became of a mail to one recipient.
type Kind string

// Kinds. A hard bounce is about the address, a soft one may be about anything.
const (
	Hard      Kind = "hard"
	Soft      Kind = "soft"
	Delayed   Kind = "delayed"
	Delivered Kind = "delivered"
)

// Recipient is what a report says of one recipient. The addresses are as they are in
// the report, without their kind, comments and angle brackets.
type Recipient struct {
	Original   string // the address that the mail was sent to, where the report names it
	Final      string // where it was to go at last
	Action     string // failed, delayed, delivered, relayed or expanded
	Status     string // enhanced code of RFC 3463, such as 5.1.1
	Diagnostic string // what the other server said
	Kind       Kind
}

// Complaint is that a reader called a mail spam.
type Complaint struct {
	Recipients []string // of the mail; some services hide them
	From       string   // the mail's envelope sender
	Agent      string   // who reports
}

// Report is what one message says.
type Report struct {
	Recipients []Recipient
	Complaint  *Complaint // nil for none
	// MessageIDs are those of the enclosed mail: often nothing else tells which mail
	// is meant.
	MessageIDs []string
}

// ErrNoReport says that a message is not a report that programs can read, or one of
// something else.
var ErrNoReport = errors.New("dsn: the message is not a delivery report or a complaint")

// Parse reads a message, as it arrived or as a mailbox file has it. What cannot be
// read makes ErrNoReport as well: nobody is to be bounced by a guess.
func Parse(r io.Reader) (*Report, error) {
	in := bufio.NewReader(io.LimitReader(r, maxBytes))
	if err := skipMailboxLine(in); err != nil {
		return nil, err
	}
	e, err := message.Read(in)
	if e == nil {
		return nil, fmt.Errorf("%w: %w", ErrNoReport, err)
	}
	p := &parser{}
	p.part(e, 1)
	if len(p.out.Recipients) == 0 && p.out.Complaint == nil {
		return nil, ErrNoReport
	}
	return &p.out, nil
}

// skipMailboxLine drops the line with which a mailbox file begins a message.
func skipMailboxLine(in *bufio.Reader) error {
	head, err := in.Peek(len("From "))
	if err != nil || string(head) != "From " {
		return nil //nolint:nilerr // too short for a message: reading it says so
	}
	for {
		_, err := in.ReadSlice('\n')
		if !errors.Is(err, bufio.ErrBufferFull) {
			return unlessEOF(err)
		}
	}
}

func unlessEOF(err error) error {
	if errors.Is(err, io.EOF) {
		return nil
	}
	return err
}

type parser struct {
	out   Report
	parts int
}

// part reads a part and those in it. An enclosed mail is looked at for its id alone:
// a report in it is not this message's.
func (p *parser) part(e *message.Entity, depth int) {
	if p.parts++; p.parts > maxParts || depth > maxDepth {
		return
	}
	if parts := e.MultipartReader(); parts != nil {
		defer parts.Close()
		for p.parts <= maxParts {
			inner, err := parts.NextPart()
			if inner == nil || err != nil && !message.IsUnknownCharset(err) && !message.IsUnknownEncoding(err) {
				return
			}
			p.part(inner, depth+1)
		}
		return
	}
	kind, _, _ := e.Header.ContentType()
	switch strings.ToLower(kind) {
	case "message/delivery-status", "message/global-delivery-status":
		p.status(body(e))
	case "message/feedback-report":
		p.feedback(body(e))
	case "message/rfc822", "message/global", "text/rfc822-headers", "message/rfc822-headers", "message/global-headers":
		p.enclosed(body(e))
	}
}

// body is the beginning of a part's text. Some servers encode what they may not: the
// library decodes it all the same.
func body(e *message.Entity) []byte {
	b, _ := io.ReadAll(io.LimitReader(e.Body, maxPart)) // what came before a fault is worth reading
	return b
}

// status reads the groups of fields of a delivery status. Each that names a recipient
// is about that one.
func (p *parser) status(b []byte) {
	for _, group := range groups(b) {
		r := Recipient{
			Original: address(group["original-recipient"]), Final: address(group["final-recipient"]),
			Action: word(group["action"]), Status: code(group["status"]), Diagnostic: afterType(group["diagnostic-code"]),
		}
		if r.Original == "" && r.Final == "" || len(p.out.Recipients) >= maxPeople {
			continue
		}
		if r.Kind = kindOf(r.Action, r.Status); r.Kind != "" {
			p.out.Recipients = append(p.out.Recipients, r)
		}
	}
}

// kindOf is what an action and its code mean, "" for an action that no standard has.
func kindOf(action, status string) Kind {
	switch action {
	case "delivered", "relayed", "expanded":
		return Delivered
	case "delayed":
		return Delayed
	case "failed":
		if HardStatus(status) {
			return Hard
		}
		return Soft
	}
	return ""
}

// HardStatus reports an enhanced code that tells of an address to which no mail will
// come: bad addresses (5.1.x), unless it is the sender's (5.1.7, 5.1.8), boxes that
// are disabled, and domains that take no mail. Full boxes, policies and codes that
// say nothing are not of that kind.
func HardStatus(status string) bool {
	switch status {
	case "5.1.7", "5.1.8":
		return false
	case "5.2.1", "5.4.1", "5.4.4":
		return true
	}
	return strings.HasPrefix(status, "5.1.")
}

// feedback reads a complaint. Reports of other kinds say that somebody is content, or
// how a mail was signed.
func (p *parser) feedback(b []byte) {
	all := groups(b)
	if len(all) == 0 {
		return
	}
	fields := all[0]
	switch word(fields["feedback-type"]) {
	case "abuse", "fraud", "virus", "opt-out", "complaint":
	default:
		return
	}
	c := &Complaint{From: address(fields["original-mail-from"]), Agent: fields["user-agent"]}
	for _, one := range append(repeated(b, "original-rcpt-to"), repeated(b, "removal-recipient")...) {
		if a := address(one); a != "" && len(c.Recipients) < maxPeople && !slices.Contains(c.Recipients, a) {
			c.Recipients = append(c.Recipients, a)
		}
	}
	p.out.Complaint = c
}

// enclosed reads the id of the mail that a report is about.
func (p *parser) enclosed(b []byte) {
	b, _, _ = bytes.Cut(bytes.ReplaceAll(b, []byte("\r\n"), []byte("\n")), []byte("\n\n"))
	for _, id := range repeated(b, "message-id") {
		if id = strings.Trim(strings.TrimSpace(id), "<>"); id != "" && !slices.Contains(p.out.MessageIDs, id) {
			p.out.MessageIDs = append(p.out.MessageIDs, id)
		}
	}
}
