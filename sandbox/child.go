package sandbox

import (
	"os"
	"runtime"
	"slices"
)

// Child is the first thing main does, and TestMain of every package that starts
// commands: the binary starts itself again as one of the sandbox's own processes
// or as the self-test's canary, told apart by argv[0]. ok says that this process
// is one of those and must exit with code now.
func Child() (code int, ok bool) {
	if len(os.Args) == 0 {
		return 0, false
	}
	return child(os.Args)
}

// Names a child process finds in argv[0].
const (
	keeperName  = "pillion-keeper"  // outside: owns a sandbox's directory and namespaces
	holderName  = "pillion-holder"  // PID 1 of a sandbox's namespaces
	confineName = "pillion-confine" // a runner before it gave up its rights
	runnerName  = "pillion-runner"  // parent of one command at a time
	canaryName  = "pillion-canary"
	daemonName  = "pillion-canary-daemon"
	orphanName  = "pillion-canary-orphan" // starts a daemon and leaves it without parents
)

// isChild says that this process was started as one of those.
func isChild() bool {
	return len(os.Args) > 0 && slices.Contains([]string{keeperName, holderName, confineName, runnerName, canaryName, daemonName, orphanName}, childName(os.Args))
}

// childName is argv[0], or what follows it in a runner on macOS: sandbox-exec puts
// the program's own path there.
func childName(args []string) string {
	if runtime.GOOS == "darwin" && len(args) > 1 && args[1] == runnerName {
		return runnerName
	}
	return args[0]
}
