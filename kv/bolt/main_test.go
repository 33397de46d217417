package bolt

import (
	"fmt"
	"os"
	"testing"

	"go.uber.org/goleak"
)

// children are what this test binary does when a test starts it as another
// process, which it may kill, starve of disk or feed a damaged file.
var children = map[string]func(args []string) error{
	"load": loadChild,
	"lock": lockChild,
	"read": readChild,
}

const childVariable = "SVC_BOLT_TEST_CHILD"

func TestMain(m *testing.M) {
	if name := os.Getenv(childVariable); name != "" {
		if err := children[name](os.Args[1:]); err != nil {
			fmt.Fprintln(os.Stderr, name, "child:", err)
			os.Exit(4)
		}
		os.Exit(0)
	}
	goleak.VerifyTestMain(m)
}
