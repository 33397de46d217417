package access

import (
	"context"
	"strings"
)

// Whose returns the team that a key or a session's token acts for right now, ""
// when it is not good. It counts no guess and notes no use: it is asked before a
// request's body is read, and Authenticate or AuthenticateSession after.
func (s *Service) Whose(ctx context.Context, bearer string) string {
	if strings.HasPrefix(bearer, sessionPrefix) {
		f := fingerprint(bearer)
		v, err := s.signedIn(ctx, &f)
		if err != nil || !v.session.alive(s.Now()) {
			return ""
		}
		return v.who.Team
	}
	f, ok := ParseKey(bearer)
	if !ok {
		return ""
	}
	v, err := s.secret(ctx, &f)
	if err != nil || v.refusal(s.now()) != nil {
		return ""
	}
	return v.Team
}
