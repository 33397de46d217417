package posts_test

import "sync/atomic"

type counter struct{ n atomic.Int64 }

func (c *counter) next() int { return int(c.n.Add(1)) }
