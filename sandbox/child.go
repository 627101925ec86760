package sandbox

import "os"

// Child is the first thing main does, and TestMain of every package that starts
// commands: the binary starts itself again as a runner or as the self-test's
// canary, told apart by argv[0]. ok says that this process is one of those and
// must exit with code now.
func Child() (code int, ok bool) {
	if len(os.Args) == 0 {
		return 0, false
	}
	return child(os.Args)
}

// Names a child process finds in argv[0].
const (
	runnerName = "pillion-runner"
	canaryName = "pillion-canary"
	daemonName = "pillion-canary-daemon"
)

// isChild says that this process was started as one of those.
func isChild() bool {
	return len(os.Args) > 0 && (os.Args[0] == runnerName || os.Args[0] == canaryName || os.Args[0] == daemonName)
}
