package budget

const (
	share    = 8        // of the memory limit: a body is copied a few times on its way
	smallest = 12 << 20 // the largest body that is taken, and a little
	largest  = 64 << 20
)

// Size is the total for a process that may use so many bytes of memory; 0 is no
// limit.
func Size(memory int64) int64 {
	if memory <= 0 {
		return largest
	}
	return min(max(memory/share, smallest), largest)
}
