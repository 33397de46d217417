package kv

// Figure is one number that a store tells a monitor. Name is in the form of a
// metric without the program's prefix, such as "commits".
type Figure struct {
	Name, Help string
	Value      float64
}
