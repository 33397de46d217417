//go:build !race

package daemon_test

const memoryFactor = 1
