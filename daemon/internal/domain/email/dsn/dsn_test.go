package dsn_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"edgesvc.dev/svc/daemon/internal/domain/email/dsn"
)

const corpus = "../../../../../../shared/corpora/mail/bounces"

type expected struct {
	File, Form, Expect string
	Recipients         []struct{ FinalRecipient, OriginalRecipient, Action, Status, Kind string }
	MessageIDs         []string
	Feedback           *struct {
		OriginalRecipients []string
		OriginalFrom       string
	}
}

// decided are codes that the corpus reads otherwise, with the reason for ours.
var decided = map[string]string{
	"5.1.8": "the sender's address is bad, not the recipient's",
	"5.4.1": "the domain takes no mail for the address",
}

// TestOthersReports reads real bounces and complaints, where they are.
func TestOthersReports(t *testing.T) {
	b, err := os.ReadFile(filepath.Join(corpus, "expected.json"))
	if os.IsNotExist(err) {
		return // the tests below have each kind
	}
	var all []expected
	if err == nil {
		err = json.Unmarshal(b, &all)
	}
	if err != nil {
		t.Fatal(err)
	}
	good := 0
	for _, e := range all {
		f, err := os.Open(filepath.Join(corpus, e.File))
		if err != nil {
			t.Fatal(err)
		}
		got, err := dsn.Parse(f)
		_ = f.Close()
		if why := differs(&e, got, err); why != "" {
			t.Logf("%s (%s): %s", e.File, e.Form, why)
			if !strings.Contains(why, "decided") {
				t.Errorf("%s is read otherwise", e.File)
			}
			continue
		}
		good++
	}
	t.Logf("%d of %d read as expected", good, len(all))
}

func differs(e *expected, got *dsn.Report, err error) string {
	switch e.Expect {
	case "any":
		return ""
	case "ignored":
		if !errors.Is(err, dsn.ErrNoReport) {
			return "it is not ignored"
		}
		return ""
	}
	if err != nil {
		return err.Error()
	}
	if e.Expect == "complaint" {
		if got.Complaint == nil || !slices.Equal(got.Complaint.Recipients, e.Feedback.OriginalRecipients) && len(e.Feedback.OriginalRecipients) > 0 || got.Complaint.From != e.Feedback.OriginalFrom {
			return "another complaint"
		}
	} else if len(got.Recipients) != len(e.Recipients) {
		return "another number of recipients"
	}
	for i, r := range e.Recipients {
		g := got.Recipients[i]
		if !strings.EqualFold(g.Final, r.FinalRecipient) || r.OriginalRecipient != "" && g.Original != r.OriginalRecipient || g.Action != r.Action || g.Status != r.Status {
			return "recipient " + g.Final + " " + g.Original + " " + g.Action + " " + g.Status
		}
		if string(g.Kind) != r.Kind && r.Kind != "either" {
			if why := decided[g.Status]; why != "" {
				return "decided: " + g.Status + " is " + string(g.Kind) + ": " + why
			}
			return "kind " + string(g.Kind) + " of " + g.Status
		}
	}
	if len(e.MessageIDs) > 0 && !slices.Equal(got.MessageIDs, e.MessageIDs) {
		return "ids " + strings.Join(got.MessageIDs, " ")
	}
	return ""
}

func mail(parts ...string) string {
	const head = "From: MAILER-DAEMON@mx.example.net\nTo: bounces@acme.example\nMIME-Version: 1.0\nContent-Type: multipart/report; report-type=delivery-status; boundary=b\n\n"
	return head + "--b\n" + strings.Join(parts, "\n--b\n") + "\n--b--\n"
}

const (
	words  = "Content-Type: text/plain\n\nada@example.org: user unknown 550 5.1.1\n"
	failed = "Content-Type: message/delivery-status\n\nReporting-MTA: dns; mx.example.net\n\nFinal-Recipient: rfc822; ada@example.org\nAction: failed\nStatus: 5.1.1\nDiagnostic-Code: smtp; 550 5.1.1\n no such user\n"
	sent   = "Content-Type: text/rfc822-headers\n\nSubject: Your order\nMessage-ID: <eml_1@acme.example>\n"
)

func TestReports(t *testing.T) {
	for name, c := range map[string]struct {
		in   string
		want []dsn.Recipient
	}{
		"failed":       {mail(words, failed, sent), []dsn.Recipient{{Final: "ada@example.org", Action: "failed", Status: "5.1.1", Diagnostic: "550 5.1.1 no such user", Kind: dsn.Hard}}},
		"of a mailbox": {"From MAILER-DAEMON Fri Nov 20 12:00:00 2026\n" + mail(words, failed, sent), []dsn.Recipient{{Final: "ada@example.org", Action: "failed", Status: "5.1.1", Diagnostic: "550 5.1.1 no such user", Kind: dsn.Hard}}},
		"policy":       {mail(words, strings.ReplaceAll(failed, "5.1.1", "5.7.1"), sent), []dsn.Recipient{{Final: "ada@example.org", Action: "failed", Status: "5.7.1", Diagnostic: "550 5.7.1 no such user", Kind: dsn.Soft}}},
		"sender":       {mail(strings.ReplaceAll(failed, "5.1.1", "5.1.8"), sent), []dsn.Recipient{{Final: "ada@example.org", Action: "failed", Status: "5.1.8", Diagnostic: "550 5.1.8 no such user", Kind: dsn.Soft}}},
		"delayed":      {mail("Content-Type: message/delivery-status\n\nX-A: b\n\nFinal-Recipient: RFC822; <Ada@Example.org> (Ada)\nAction: Delayed (later)\nStatus: 4.2.2 (full)\n", sent), []dsn.Recipient{{Final: "Ada@Example.org", Action: "delayed", Status: "4.2.2", Kind: dsn.Delayed}}},
		"xtext":        {mail("Content-Type: message/delivery-status\n\nX-A: b\n\nOriginal-Recipient: rfc822;ada+2Bshop@example.org\nFinal-Recipient: rfc822;box@store.example\nAction: relayed\nStatus: 2.0.0\n", sent), []dsn.Recipient{{Original: "ada+shop@example.org", Final: "box@store.example", Action: "relayed", Status: "2.0.0", Kind: dsn.Delivered}}},
		"global":       {mail("Content-Type: message/global-delivery-status\n\nX-A: b\n\nFinal-Recipient: utf-8;\\x{e9}mile@example.org\nAction: failed\nStatus: 5.4.4\n", sent), []dsn.Recipient{{Final: "émile@example.org", Action: "failed", Status: "5.4.4", Kind: dsn.Hard}}},
	} {
		got, err := dsn.Parse(strings.NewReader(c.in))
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if !slices.Equal(got.Recipients, c.want) || !slices.Equal(got.MessageIDs, []string{"eml_1@acme.example"}) || got.Complaint != nil {
			t.Errorf("%s: %+v", name, got)
		}
	}
}

func TestComplaints(t *testing.T) {
	report := func(kind string) string {
		return mail(words, "Content-Type: message/feedback-report\n\nFeedback-Type: "+kind+"\nUser-Agent: FBL/1\nOriginal-Mail-From: <bounces+1@acme.example>\nOriginal-Rcpt-To: <ada@example.org>\nOriginal-Rcpt-To: eve@example.org\n", sent)
	}
	got, err := dsn.Parse(strings.NewReader(report("abuse")))
	if err != nil || got.Complaint == nil || !slices.Equal(got.Complaint.Recipients, []string{"ada@example.org", "eve@example.org"}) || got.Complaint.From != "bounces+1@acme.example" || got.Complaint.Agent != "FBL/1" {
		t.Errorf("%+v, %v", got, err)
	}
	for _, kind := range []string{"not-spam", "auth-failure", "dmarc", ""} {
		if got, err := dsn.Parse(strings.NewReader(report(kind))); !errors.Is(err, dsn.ErrNoReport) {
			t.Errorf("%q is %+v, %v", kind, got, err)
		}
	}
}

// TestNotReports: sentences, mails that enclose a report, parts without end and
// nothing at all bounce nobody.
func TestNotReports(t *testing.T) {
	deep := failed
	for n := range 12 {
		c := fmt.Sprintf("c%02d", n)
		deep = "Content-Type: multipart/mixed; boundary=" + c + "\n\n--" + c + "\n" + deep + "\n--" + c + "--\n"
	}
	for name, in := range map[string]string{
		"nothing": "", "words": mail(words, sent), "no mail": "\x00\xff", "a line": "From ada",
		"enclosed": mail(words, "Content-Type: message/rfc822\n\n"+strings.NewReplacer("boundary=b", "boundary=inner", "--b", "--inner").Replace(mail(words, failed, sent))),
		"deep":     "Subject: x\n" + deep,
		"expired":  mail(strings.ReplaceAll(failed, "Action: failed", "Action: expired")),
		"nobody":   mail(strings.ReplaceAll(failed, "Final-Recipient: rfc822; ada@example.org\n", "")),
	} {
		if got, err := dsn.Parse(strings.NewReader(in)); !errors.Is(err, dsn.ErrNoReport) {
			t.Errorf("%s: %+v, %v", name, got, err)
		}
	}
	many := strings.Repeat("\nFinal-Recipient: rfc822; ada@example.org\nAction: failed\n", 5000)
	got, err := dsn.Parse(strings.NewReader(mail("Content-Type: message/delivery-status\n\nX-A: b\n" + many)))
	if err != nil || len(got.Recipients) != 1000 {
		t.Errorf("%v", err)
	}
}

func FuzzParse(f *testing.F) {
	f.Add(mail(words, failed, sent))
	f.Add("From x\n" + mail(words, failed, sent))
	f.Fuzz(func(t *testing.T, s string) {
		got, err := dsn.Parse(strings.NewReader(s))
		if (got == nil) == (err == nil) {
			t.Errorf("%+v, %v", got, err)
		}
	})
}
