package sites

import (
	"net/url"
	"slices"
	"strconv"
	"strings"

	"edgesvc.dev/svc/sdk/api"
)

// checkOrigins returns the origins as browsers send them (RFC 6454, 6.2), each
// once, or says everything that is wrong with them.
func checkOrigins(list []string) ([]string, error) {
	var origins []string
	var bad []api.FieldError
	for i, text := range list {
		origin, problem := parseOrigin(text)
		switch {
		case problem != "":
			bad = append(bad, api.FieldError{Pointer: "/allowedOrigins/" + strconv.Itoa(i), Code: "format", Message: problem})
		case !slices.Contains(origins, origin):
			origins = append(origins, origin)
		}
	}
	if len(bad) > 0 {
		return nil, api.InvalidFields(bad...)
	}
	return origins, nil
}

func parseOrigin(text string) (origin, problem string) {
	if strings.Contains(text, "*") {
		return "", "name each origin: a pattern would let pages in that are not yours"
	}
	u, err := url.Parse(text)
	if err != nil || u.Host == "" || u.Opaque != "" || u.User != nil || u.Scheme != "https" && u.Scheme != "http" {
		return "", "is an address such as https://www.acme.example"
	}
	if u.Path != "" && u.Path != "/" || u.RawQuery != "" || u.ForceQuery || u.Fragment != "" {
		return "", "ends after the host and port: an origin has no path"
	}
	host, ok := originHost(u)
	if !ok {
		return "", "has a host or a port that no browser would send"
	}
	return u.Scheme + "://" + host, ""
}

// originHost is the host and port as an Origin header has them: lower case,
// ASCII, without the scheme's own port.
func originHost(u *url.URL) (string, bool) {
	name, port := strings.ToLower(u.Hostname()), u.Port()
	if name == "" || len(name) > 253 || strings.ContainsFunc(name, foreign) || strings.HasSuffix(u.Host, ":") {
		return "", false
	}
	if strings.Contains(name, ":") {
		name = "[" + name + "]"
	}
	n, err := strconv.Atoi(port)
	switch {
	case port == "", u.Scheme == "https" && n == 443, u.Scheme == "http" && n == 80:
		return name, true
	case err != nil || n < 1 || n > 65535:
		return "", false
	}
	return name + ":" + strconv.Itoa(n), true
}

// foreign is what browsers escape or refuse in a host; names of other scripts
// are to be written in their xn-- form.
func foreign(r rune) bool {
	return (r < 'a' || r > 'z') && (r < '0' || r > '9') && r != '-' && r != '.' && r != '_' && r != ':'
}
