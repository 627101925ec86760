package cli_test

import (
	"errors"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"sync"

	"github.com/rogpeppe/go-internal/testscript"
)

// remedy is what follows on a refusal, to the next remedy or the end of the line.
var remedy = regexp.MustCompile(`(?m)to (?:allow it|give it more|keep files[^:]*): (--.*?)(?:, or --.*)?$`)

// remedied FLAGS -- COMMAND… runs a command that is refused something, and again with each
// remedy that is printed, pasted into a shell as it is, until nothing is refused. It must
// then succeed. A host with a name takes two: the name's and the address's.
func remedied(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) == 0 {
		ts.Fatalf("usage: remedied [FLAGS] -- command")
	}
	line := "pillion exec"
	for i, a := range args {
		if a == "--" {
			args = args[i:]
			break
		}
		line += " " + a
	}
	for round := range 5 {
		err := ts.Exec("sh", append([]string{"-c", line + ` "$@"`, "sh"}, args...)...)
		said := ts.ReadFile("stderr")
		found := remedy.FindAllStringSubmatch(said, -1)
		switch {
		case len(found) == 0 && round == 0:
			ts.Fatalf("no remedy is printed:\n%s", said)
		case len(found) == 0 && err != nil:
			ts.Fatalf("%s: %v\n%s", line, err, said)
		case len(found) == 0:
			return
		}
		var exit *exec.ExitError
		if round == 0 && err != nil && !errors.As(err, &exit) {
			ts.Fatalf("%v", err)
		}
		for _, f := range found {
			ts.Logf("remedy: %s", f[1])
			line += " " + f[1]
		}
	}
	ts.Fatalf("still refused: %s\n%s", line, ts.ReadFile("stderr"))
}

// listens starts a server on the loopback, whose port is $PORT, and one on the UNIX
// socket $OUTSIDE/hello.sock. Both say hello. $OUTSIDE is the tester's, outside of /tmp.
func listens(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 0 {
		ts.Fatalf("usage: listens")
	}
	home, err := os.UserHomeDir()
	ts.Check(err)
	outside, err := os.MkdirTemp(home, ".pillion-test-*")
	ts.Check(err)
	ts.Defer(func() { _ = os.RemoveAll(outside) })
	tcp, err := net.Listen("tcp", "127.0.0.1:0")
	ts.Check(err)
	unix, err := net.Listen("unix", filepath.Join(outside, "hello.sock"))
	ts.Check(err)
	var serving sync.WaitGroup
	for _, l := range []net.Listener{tcp, unix} {
		serving.Go(func() {
			for {
				c, err := l.Accept()
				if err != nil {
					return
				}
				_, _ = c.Write([]byte("hello\n"))
				_ = c.Close()
			}
		})
	}
	ts.Defer(func() { _, _ = tcp.Close(), unix.Close(); serving.Wait() })
	_, port, _ := strings.Cut(tcp.Addr().String(), ":")
	ts.Setenv("PORT", port)
	ts.Setenv("OUTSIDE", outside)
}
