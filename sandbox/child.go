package sandbox

import (
	"os"

	"github.com/pillion-sidecar/pillion/sandbox/canary"
	"github.com/pillion-sidecar/pillion/sandbox/inside"
	"github.com/pillion-sidecar/pillion/sandbox/wire"
)

// Child is the first thing main does, and TestMain of every package that starts commands:
// the binary starts itself again as one of the sandbox's own processes or as the
// self-test's canary, as argv[0] says. ok says that this process is one of those and must
// exit with code now.
func Child() (code int, ok bool) {
	name := wire.Name(os.Args)
	if name == "" {
		return 0, false
	}
	code, known := canary.Run(name, os.Args)
	if !known {
		code = inside.Main(name, os.Args[1:])
	}
	inside.Exit(code)
	return code, true
}
