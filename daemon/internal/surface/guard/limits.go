package guard

import (
	"cmp"
	"time"
)

// What the connections leave of the open files: for the store and the search
// index, the admin and control listeners, clients of models, and refused
// connections that linger.
const (
	reserveLeast = 32
	reserveMost  = 512
	reserveShare = 8

	// mostConns is the cap where nothing else says one, perAddressMost that of
	// one address.
	mostConns      = 20_000
	perAddressMost = 500
	// fewestConns is the least that is worth serving with.
	fewestConns = 16

	maxDescriptors = 1 << 30

	// While all places are taken, a connection has graceShare for each place that
	// there is, between the two bounds, to have a request arrive: with few places a
	// crowd at the door waits long for each of them.
	graceShare = 4 * time.Millisecond
	graceLeast = 100 * time.Millisecond
	graceMost  = dripLong
)

// MaxConns is how many connections fit where so many files may be open; 0 is
// unknown. It is 0 where too few are left to serve at all.
func MaxConns(descriptors int) int {
	n := mostConns
	if descriptors > 0 {
		n = min(n, descriptors-min(reserveLeast+descriptors/reserveShare, reserveMost))
	}
	if n < fewestConns {
		return 0
	}
	return n
}

// limits are the connection caps; perAddress below zero means none. lingering
// bounds the refused connections that are still open, beyond total. grace is how
// long a connection may keep the last place without using it.
type limits struct {
	total, perAddress, lingering int
	grace                        time.Duration
}

func limitsOf(o *Options) limits {
	l := limits{total: cmp.Or(o.MaxConns, mostConns)}
	l.perAddress = cmp.Or(o.MaxConnsPerAddress, max(1, min(perAddressMost, l.total/2)))
	l.lingering = min(maxLingering, l.total/reserveShare+1)
	l.grace = min(max(graceShare*time.Duration(l.total), graceLeast), graceMost)
	return l
}
