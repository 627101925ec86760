package machine

import (
	"github.com/pillion-sidecar/pillion/guard/effect"
	"github.com/pillion-sidecar/pillion/guard/shell"
)

// coversTracks is set +o history.
func coversTracks(_ *shell.Walker, e *effect.Effect) bool {
	return e.Runs("set") && len(e.Args) > 1 && e.Args[0].Text == "+o" && e.Args[1].Text == "history"
}
