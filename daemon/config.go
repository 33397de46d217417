package daemon

import (
	"crypto/tls"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"time"

	"edgesvc.dev/svc/daemon/internal/domain/chat"
	"edgesvc.dev/svc/daemon/internal/llm"
	"edgesvc.dev/svc/daemon/internal/op"
	"edgesvc.dev/svc/daemon/internal/surface/edge"
)

// Config is everything that can be set. A flag wins over the environment, that
// over the file, that over the default. Tags: name is the flag and the file's
// key, env the variable, default and doc what `svcd config print-default` shows.
type Config struct {
	Data             string        `name:"data" env:"SVCD_DATA" default:"svc-data" doc:"Folder of the data file. Created with mode 0700."`
	Listen           string        `name:"listen" env:"SVCD_LISTEN" default:"127.0.0.1:8080" doc:"Address to serve on."`
	BaseURL          string        `name:"base-url" env:"SVCD_BASE_URL" doc:"Public address, such as https://blog.example. Derived from listen when empty."`
	Admin            string        `name:"admin" env:"SVCD_ADMIN" default:"127.0.0.1:8081" doc:"Loopback address for /metrics, open to every user of the machine. Empty turns it off. Profiles are on the control socket in the data folder."`
	BehindProxy      bool          `name:"behind-proxy" env:"SVCD_BEHIND_PROXY" default:"false" doc:"A reverse proxy terminates TLS and sets X-Forwarded-For."`
	TLSDomains       []string      `name:"tls-domains" env:"SVCD_TLS_DOMAINS" doc:"Domains to get certificates for by ACME (Let's Encrypt). Hosts of site-hosts get theirs too. Agreeing to its terms is yours."`
	TLSEmail         string        `name:"tls-email" env:"SVCD_TLS_EMAIL" doc:"Contact for the certificate authority."`
	TLSCert          string        `name:"tls-cert" env:"SVCD_TLS_CERT" doc:"Certificate file (PEM), instead of tls-domains. A renewed one is used from the next connection on."`
	TLSKey           string        `name:"tls-key" env:"SVCD_TLS_KEY" doc:"Private key file (PEM)."`
	Origins          []string      `name:"origins" env:"SVCD_ORIGINS" doc:"Further origins whose pages may use sessions and MCP."`
	SiteHosts        []string      `name:"site-hosts" env:"SVCD_SITE_HOSTS" doc:"Hosts that show a team's pages without its prefix, as blog.example=acme."`
	MaxSize          size          `name:"max-size" env:"SVCD_MAX_SIZE" default:"64GiB" doc:"Largest size of the data file. Writes are refused beyond it, reads go on."`
	TeamSize         size          `name:"team-size" env:"SVCD_TEAM_SIZE" doc:"Most bytes that one team may store, so that none fills the data file for all. Empty: half of max-size."`
	MemoryLimit      size          `name:"memory-limit" env:"SVCD_MEMORY_LIMIT" doc:"Soft memory limit of the process. Empty: none beyond GOMEMLIMIT."`
	SearchMemory     size          `name:"search-memory" env:"SVCD_SEARCH_MEMORY" default:"64MiB" doc:"Memory for the search indexes of all teams. Those of teams that nobody searched longest are dropped beyond it, and read again when they are needed."`
	Limits           []string      `name:"limits" env:"SVCD_LIMITS" default:"read=600,write=300,ai=30,events=6000,emails=120,mcp=300,trpc=1200,login=10,pages=600,search=60" doc:"Requests a minute for each credential, or for each client network without one, by class. 0 means no limit."`
	JobWorkers       int           `name:"job-workers" env:"SVCD_JOB_WORKERS" default:"4" doc:"Generation jobs that run at once."`
	EventRetention   time.Duration `name:"event-retention" env:"SVCD_EVENT_RETENTION" default:"2160h" doc:"How long the event log is kept."`
	Drain            time.Duration `name:"drain" env:"SVCD_DRAIN" default:"10s" doc:"How long a stop waits for requests in flight."`
	LogLevel         string        `name:"log-level" env:"SVCD_LOG_LEVEL" default:"info" doc:"debug, info, warn or error."`
	LogFormat        string        `name:"log-format" env:"SVCD_LOG_FORMAT" default:"text" doc:"text or json."`
	OpenAIKey        secret        `name:"openai-api-key" env:"OPENAI_API_KEY" doc:"Key for OpenAI's models. Without one they are answered offline."`
	OpenAIBaseURL    string        `name:"openai-base-url" env:"OPENAI_BASE_URL" doc:"Address of a compatible server (Ollama, vLLM, llama.cpp), as http://127.0.0.1:11434/v1, or of a gateway. A compatible server needs no key; without model-map it is asked for the first of its models."`
	OpenAIDialect    string        `name:"openai-dialect" env:"SVCD_OPENAI_DIALECT" doc:"vendor when openai-base-url is a gateway in front of OpenAI, compatible for other servers. Empty: vendor at OpenAI's own address, compatible elsewhere."`
	AnthropicKey     secret        `name:"anthropic-api-key" env:"ANTHROPIC_API_KEY" doc:"Key for Anthropic's models."`
	AnthropicBaseURL string        `name:"anthropic-base-url" env:"ANTHROPIC_BASE_URL" doc:"Address of a compatible server, or of a gateway."`
	AnthropicDialect string        `name:"anthropic-dialect" env:"SVCD_ANTHROPIC_DIALECT" doc:"The same for anthropic-base-url."`
	ImageModel       string        `name:"image-model" env:"SVCD_IMAGE_MODEL" doc:"Model that draws covers, at OpenAI's address or openai-base-url. Empty: OpenAI's own where OpenAI is spoken to; elsewhere svcd draws them itself."`
	ModelSilence     time.Duration `name:"model-silence" env:"SVCD_MODEL_SILENCE" default:"15s" doc:"How long a model may send nothing, before its first word and between two, until it is asked once more. Raise it for a server that loads its models on demand."`
	ModelCalls       int           `name:"model-calls" env:"SVCD_MODEL_CALLS" default:"128" doc:"Calls to one vendor that are under way at once; others wait for their turn."`
	AllowCIDR        []string      `name:"allow-cidr" env:"SVCD_ALLOW_CIDR" doc:"Private address ranges that tasks may reach, as 10.0.0.0/8. For development; none by default."`
	ChatWorkers      int           `name:"chat-workers" env:"SVCD_CHAT_WORKERS" default:"128" doc:"Answers to visitors that agents write at once, shared out fairly among teams."`
	ChatDailyNetwork size          `name:"chat-daily-network" env:"SVCD_CHAT_DAILY_NETWORK" default:"16MiB" doc:"What visitors of one address (IPv6: one /64) may have a team's chat store in a day, answers included. 0 means no limit."`
	ChatDailySite    size          `name:"chat-daily-site" env:"SVCD_CHAT_DAILY_SITE" default:"512MiB" doc:"The same for all visitors of one site. 0 means no limit."`
	ChatDailyTeam    size          `name:"chat-daily-team" env:"SVCD_CHAT_DAILY_TEAM" default:"1GiB" doc:"The same for all visitors of one team. 0 means no limit."`
	ChatPlaces       int           `name:"chat-places" env:"SVCD_CHAT_PLACES" default:"500" doc:"Chats that may be open on a team's sites at once."`
	ChatPlacesClient int           `name:"chat-places-client" env:"SVCD_CHAT_PLACES_CLIENT" default:"5" doc:"Of those, the most that one address (IPv6: one /64) may have."`
	ModelMap         []string      `name:"model-map" env:"SVCD_MODEL_MAP" doc:"Names that a compatible server uses, as gpt-6-luna=llama3."`
}

// DefaultConfig is the configuration of a daemon that was told nothing.
func DefaultConfig() *Config {
	c := &Config{}
	for _, s := range c.settings() {
		if err := s.set(s.def); err != nil {
			panic(err)
		}
	}
	return c
}

// secret prints as nothing useful.
type secret string

func (s secret) String() string {
	if s == "" {
		return ""
	}
	return "(set)"
}

// size is a number of bytes, written as 512MiB or 64GiB.
type size int64

var units = []struct {
	name  string
	bytes int64
}{{"KiB", 1 << 10}, {"MiB", 1 << 20}, {"GiB", 1 << 30}, {"TiB", 1 << 40}, {"B", 1}, {"", 1}}

func parseSize(s string) (size, error) {
	for _, u := range units {
		if digits, ok := strings.CutSuffix(s, u.name); ok {
			n, err := strconv.ParseInt(strings.TrimSpace(digits), 10, 64)
			if err != nil || n < 0 || n > (1<<62)/u.bytes {
				break
			}
			return size(n * u.bytes), nil
		}
	}
	return 0, fmt.Errorf("%q is not a size; write it like 512MiB or 64GiB", s)
}

func (s size) String() string {
	if s == 0 {
		return ""
	}
	for i := 3; i >= 0; i-- {
		if int64(s)%units[i].bytes == 0 {
			return strconv.FormatInt(int64(s)/units[i].bytes, 10) + units[i].name
		}
	}
	return strconv.FormatInt(int64(s), 10) + "B"
}

// setting is one field of a Config.
type setting struct {
	name, env, def, doc string
	value               reflect.Value
}

func (c *Config) settings() []setting {
	v := reflect.ValueOf(c).Elem()
	all := make([]setting, v.NumField())
	for i := range all {
		tag := v.Type().Field(i).Tag
		all[i] = setting{tag.Get("name"), tag.Get("env"), tag.Get("default"), tag.Get("doc"), v.Field(i)}
	}
	return all
}

// set parses text into the field.
func (s *setting) set(text string) error {
	var err error
	switch s.value.Interface().(type) {
	case bool, int, time.Duration:
		if text == "" {
			return fmt.Errorf("%s is set but empty; remove it for the default (%s), or give it a value", s.name, s.def)
		}
	}
	switch p := s.value.Addr().Interface().(type) {
	case *string:
		*p = text
	case *secret:
		*p = secret(text)
	case *bool:
		*p, err = strconv.ParseBool(text)
	case *int:
		*p, err = strconv.Atoi(text)
	case *time.Duration:
		*p, err = time.ParseDuration(text)
	case *size:
		*p = 0
		if text != "" {
			*p, err = parseSize(text)
		}
	case *[]string:
		*p = nil
		for part := range strings.SplitSeq(text, ",") {
			if part = strings.TrimSpace(part); part != "" {
				*p = append(*p, part)
			}
		}
	default:
		panic("daemon: setting " + s.name + " has a type that cannot be set")
	}
	if err != nil {
		if ne, ok := errors.AsType[*strconv.NumError](err); ok {
			err = fmt.Errorf("%q: %w", text, ne.Err)
		}
		return fmt.Errorf("%s: %w", s.name, err)
	}
	return nil
}

// text is the field's value as set reads it; secrets are masked.
func (s *setting) text() string {
	if list, ok := s.value.Interface().([]string); ok {
		return strings.Join(list, ",")
	}
	return fmt.Sprint(s.value.Interface())
}

// check reports everything that is wrong with the values together.
func (c *Config) check() error {
	var bad []error
	wrong := func(format string, args ...any) { bad = append(bad, fmt.Errorf(format, args...)) }
	if c.Data == "" {
		wrong("data: name a folder")
	}
	if _, _, err := net.SplitHostPort(c.Listen); err != nil {
		wrong("listen: %q is not host:port", c.Listen)
	} else if !c.TLS() && !c.BehindProxy && !edge.Loopback(c.Listen) {
		wrong("listen: %s is reachable by others and would carry keys in clear text. Give tls-domains or tls-cert and tls-key, set behind-proxy when a proxy does TLS, or listen on 127.0.0.1", c.Listen)
	}
	if c.Admin != "" && !edge.Loopback(c.Admin) {
		wrong("admin: %q must be a loopback address like 127.0.0.1:8081", c.Admin)
	}
	if c.BaseURL != "" && !webAddress(c.BaseURL) {
		wrong("base-url: %q is not an http or https address", c.BaseURL)
	}
	if (c.TLSCert == "") != (c.TLSKey == "") {
		wrong("tls-cert and tls-key go together")
	}
	if _, err := c.limits(); err != nil {
		wrong("limits: %w", err)
	}
	if _, err := c.allowed(); err != nil {
		wrong("allow-cidr: %w", err)
	}
	for _, pair := range append(append([]string{}, c.SiteHosts...), c.ModelMap...) {
		if left, right, ok := strings.Cut(pair, "="); !ok || left == "" || right == "" {
			wrong("%q must be written as name=value", pair)
		}
	}
	if err := new(slog.Level).UnmarshalText([]byte(c.LogLevel)); err != nil {
		wrong("log-level: %q is none of debug, info, warn and error", c.LogLevel)
	}
	if c.EventRetention < 0 || c.Drain < 0 {
		wrong("event-retention and drain cannot be negative")
	}
	if c.LogFormat != "text" && c.LogFormat != "json" {
		wrong("log-format: %q is neither text nor json", c.LogFormat)
	}
	if c.JobWorkers < 1 || c.JobWorkers > 64 {
		wrong("job-workers: %d is not between 1 and 64", c.JobWorkers)
	}
	if c.ChatWorkers < 1 || c.ChatWorkers > 4096 || c.ModelCalls < 1 || c.ModelCalls > 4096 {
		wrong("chat-workers and model-calls: both are between 1 and 4096")
	}
	c.checkModels(wrong)
	if c.ChatPlaces < 1 || c.ChatPlacesClient < 1 || c.ChatPlacesClient > c.ChatPlaces {
		wrong("chat-places and chat-places-client: both are at least 1, and a client has at most all places")
	}
	return errors.Join(bad...)
}

func webAddress(text string) bool {
	u, err := url.Parse(text)
	return err == nil && u.Host != "" && (u.Scheme == "http" || u.Scheme == "https")
}

// checkModels reports what is wrong with the settings of the models.
func (c *Config) checkModels(wrong func(format string, args ...any)) {
	for _, v := range []struct{ vendor, address, dialect string }{
		{"openai", c.OpenAIBaseURL, c.OpenAIDialect}, {"anthropic", c.AnthropicBaseURL, c.AnthropicDialect},
	} {
		if !slices.Contains([]llm.Dialect{llm.DialectAuto, llm.DialectVendor, llm.DialectCompatible}, llm.Dialect(v.dialect)) {
			wrong("%s-dialect: %q is neither vendor nor compatible", v.vendor, v.dialect)
		}
		if v.address != "" && !webAddress(v.address) {
			wrong("%s-base-url: %q is not an http or https address", v.vendor, v.address)
		}
	}
	if c.ImageModel != "" && c.OpenAIKey == "" && c.OpenAIBaseURL == "" {
		wrong("image-model: it is asked at OpenAI's address with openai-api-key, or at openai-base-url; give one of them")
	}
	if c.ModelSilence < time.Second {
		wrong("model-silence: %v is less than a second", c.ModelSilence)
	}
}

// models are the settings of the language models.
func (c *Config) models() llm.Config {
	return llm.Config{
		OpenAI:     llm.Endpoint{Key: string(c.OpenAIKey), BaseURL: c.OpenAIBaseURL, Dialect: llm.Dialect(c.OpenAIDialect)},
		Anthropic:  llm.Endpoint{Key: string(c.AnthropicKey), BaseURL: c.AnthropicBaseURL, Dialect: llm.Dialect(c.AnthropicDialect)},
		ModelNames: pairs(c.ModelMap), ImageModel: c.ImageModel,
		Limits: llm.Limits{Silence: c.ModelSilence, AtOnce: c.ModelCalls},
		HTTP: &http.Client{Transport: &http.Transport{
			Proxy: http.ProxyFromEnvironment, MaxIdleConnsPerHost: c.ModelCalls, IdleConnTimeout: time.Minute,
			TLSHandshakeTimeout: 10 * time.Second, TLSClientConfig: &tls.Config{MinVersion: tls.VersionTLS12}, ForceAttemptHTTP2: true,
		}},
	}
}

// chat are the settings of the chat.
func (c *Config) chat() chat.Options {
	daily := func(s size) int64 {
		if s == 0 {
			return -1
		}
		return int64(s)
	}
	return chat.Options{
		Workers: c.ChatWorkers, PerTeam: c.ChatPlaces, PerAddress: c.ChatPlacesClient,
		DailyPerNetwork: daily(c.ChatDailyNetwork), DailyPerSite: daily(c.ChatDailySite), DailyPerTeam: daily(c.ChatDailyTeam),
	}
}

// teamSize is the most bytes that one team may store, 0 for no limit.
func (c *Config) teamSize() int64 {
	if c.TeamSize != 0 {
		return int64(c.TeamSize)
	}
	return int64(c.MaxSize) / 2
}

// TLS reports whether svcd serves HTTPS itself.
func (c *Config) TLS() bool { return len(c.TLSDomains) > 0 || c.TLSCert != "" }

func (c *Config) limits() (op.Limits, error) {
	limits := op.DefaultLimits()
	for _, pair := range c.Limits {
		class, number, _ := strings.Cut(pair, "=")
		n, err := strconv.Atoi(number)
		if _, known := limits[class]; !known || err != nil || n < 0 {
			return nil, fmt.Errorf("%q is not class=number", pair)
		}
		limits[class] = n
	}
	return limits, nil
}

// allowed reads the ranges of AllowCIDR.
func (c *Config) allowed() ([]netip.Prefix, error) {
	ranges := make([]netip.Prefix, 0, len(c.AllowCIDR))
	for _, text := range c.AllowCIDR {
		r, err := netip.ParsePrefix(text)
		if err != nil {
			return nil, fmt.Errorf("%q is not a range; write it like 10.0.0.0/8", text)
		}
		ranges = append(ranges, r)
	}
	return ranges, nil
}

// pairs reads name=value settings.
func pairs(list []string) map[string]string {
	m := map[string]string{}
	for _, pair := range list {
		k, v, _ := strings.Cut(pair, "=")
		m[k] = v
	}
	return m
}
