package inside

import (
	"os"

	"github.com/pillion-sidecar/pillion/sandbox/wire"
)

// Main is the process of that name.
func Main(name string, args []string) int {
	switch name {
	case wire.Keeper:
		return keeperMain(args)
	case wire.Runner:
		return runnerMain()
	}
	return 2
}

// Exit ends the process.
func Exit(code int) { os.Exit(code) }
