//go:build race

package daemon_test

// memoryFactor is how much more memory the race detector takes.
const memoryFactor = 10
