package guard

// A set of bytes, as a table: the checks run on every request.
type byteSet [256]bool

var (
	digitByte = setOf(digits)
	hexByte   = setOf(digits + "abcdefABCDEF")
	// RFC 9110 section 5.6.2.
	tokenByte = setOf("!#$%&'*+-.^_`|~" + digits + letters)
	// RFC 9110 section 5.5.
	valueByte = from(' ').without("\x7f").with("\t")
	// RFC 3986 section 3.2.2, less what no server of ours is called.
	hostByte = setOf("-._~:[]" + digits + letters)
	// RFC 3986 section 3.3.
	pathByte = setOf("/%-._~!$&'()*+,;=:@" + digits + letters)
	// What a path may hold percent-encoded.
	encodableByte = from(' ').without("/\\.%\x7f" + digits + letters)
	// Looser than the path: a query is data and decides no route.
	queryByte     = from('!').without("#\x7f")
	requestIDByte = setOf("-._" + digits + letters)
)

const (
	digits  = "0123456789"
	letters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
)

func setOf(chars string) byteSet { return byteSet{}.with(chars) }

func from(low int) (s byteSet) {
	for c := low; c < len(s); c++ {
		s[c] = true
	}
	return s
}

func (s byteSet) with(chars string) byteSet {
	for _, c := range []byte(chars) {
		s[c] = true
	}
	return s
}

func (s byteSet) without(chars string) byteSet {
	for _, c := range []byte(chars) {
		s[c] = false
	}
	return s
}

func onlyOf(b []byte, s *byteSet) bool {
	for _, c := range b {
		if !s[c] {
			return false
		}
	}
	return true
}
