package sandbox

import (
	"slices"

	"golang.org/x/sys/unix"
)

// smallLimits are those of the limit rows: an attack that gets through costs this
// machine little.
var smallLimits = Limits{Processes: 100, Memory: 128 << 20, FileSize: 64 << 20}

var limitChecks = []check{
	{n: 54, name: "processes without end", want: denied, limit: LimitProcesses, scripts: []string{
		"i=0; while [ $i -lt 300 ]; do sleep 60 & i=$((i+1)); done; wait",
		"bash -c 'f() { test $1 -gt 0 && { f $(($1-1)) & f $(($1-1)) & sleep 5; }; }; f 10; sleep 20'", // a bomb that ends at 2,047
	}},
	{n: 55, name: "memory without end", want: denied, limit: LimitMemory, scripts: []string{
		"head -c 512m /dev/zero | tail -c 512m | { sleep 5; cat > /dev/null; }",
	}},
	{n: 55, name: "first in line for the kernel's memory killer", want: mustWork, scripts: []string{"test $(cat /proc/self/oom_score_adj) = 1000"}},
	{n: 56, name: "a file without end", want: denied, limit: LimitFileSize, scripts: []string{
		"dd if=/dev/zero of=big bs=1M count=100", "head -c 100m /dev/zero > big", "dd if=/dev/zero of=big bs=1 count=1 seek=4T",
	}},
	{n: 56, name: "core dumps", want: denied, scripts: []string{"test $(ulimit -c) != 0", "ulimit -c 1"}},
}

// names says that the result tells which limit it was.
func (o outcome) names(l Limit) bool {
	return o.limit == l || slices.ContainsFunc(o.seen, func(v Violation) bool { return v.Rule == "limit "+string(l) })
}

func exited(code int) func(*room, outcome) bool {
	return func(_ *room, o outcome) bool { return o.status.Code == code && o.status.Signal == 0 }
}

func killedBy(sig unix.Signal) func(*room, outcome) bool {
	return func(_ *room, o outcome) bool {
		return o.status.Code == -1 && o.status.Signal == sig && !o.status.CoreDump
	}
}

// status is a row on how a command ended; the script need not exit with 0.
func status(name, script string, is func(*room, outcome) bool) check {
	return check{n: 62, name: name, want: mustWork, scripts: []string{script}, really: is, anyExit: true}
}

var statusChecks = []check{
	status("exit 42", "exit 42", exited(42)),
	status("exit 255", "exit 255", exited(255)),
	status("exit 137 is not a signal", "exit 137", exited(137)),
	status("exit 126, cannot be executed", "touch f; ./f", exited(126)),
	status("exit 127, not found", "nosuchprogram", exited(127)),
	status("killed by SEGV", "kill -SEGV $$", killedBy(unix.SIGSEGV)),
	status("killed by KILL", "kill -9 $$", killedBy(unix.SIGKILL)),
	status("killed by TERM", "kill -TERM $$", killedBy(unix.SIGTERM)),
	status("killed by ABRT", "kill -ABRT $$", killedBy(unix.SIGABRT)),
	status("killed by a real-time signal", "kill -RTMIN $$", killedBy(34)),
	status("a signal's number plus 128 from a child", "sh -c 'kill -9 $$'; exit $?", exited(137)),
}
