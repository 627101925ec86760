package bench

import (
	"os"
	"os/exec"
	"testing"

	"github.com/pillion-sidecar/pillion/cli/measure"
)

// editor is a client whose every failure is the test's.
type editor struct {
	t testing.TB
	*measure.Client
}

// spawn starts the program without a word to it.
func spawn(t testing.TB) *editor {
	t.Helper()
	cmd := exec.Command(pillion, "serve")
	cmd.Env = append(os.Environ(), "XDG_CACHE_HOME="+scratch, "XDG_STATE_HOME="+scratch)
	c, err := measure.Start(cmd)
	check(t, err)
	return &editor{t, c}
}

// initialize opens the session on the workspace.
func (e *editor) initialize(options string) {
	_, err := e.Initialize(workspace, options)
	check(e.t, err)
}

// end closes the session like an editor does, and fails if it didn't like it.
func (e *editor) end() {
	if err := e.Close(); err != nil {
		e.t.Error("pillion: ", err)
	}
}

// call sends a request and reads up to its answer.
func (e *editor) call(method, params string) []byte {
	answer, err := e.Call(method, params)
	check(e.t, err)
	return answer
}

// run is one exec that must succeed.
func (e *editor) run(params string) []byte {
	answer, err := e.Run(params)
	check(e.t, err)
	return answer
}

func (e *editor) send(body string) { check(e.t, e.Send([]byte(body))) }

// read returns the next frame; it is valid until the next read.
func (e *editor) read() []byte {
	frame, err := e.Read()
	check(e.t, err)
	return frame
}
