package connect_test

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/go-json-experiment/json"

	"github.com/pillion-sidecar/pillion/rpc/agent/connect"
)

// A test binary with this variable is an agent that does not ask its hook.
const unhooked = "PILLION_TEST_UNHOOKED"

func TestMain(m *testing.M) {
	if os.Getenv(unhooked) == "" {
		os.Exit(m.Run())
	}
	if err := agent(os.Getenv("ANTHROPIC_BASE_URL") + "/v1/messages"); err != nil {
		fmt.Println(err)
		os.Exit(1)
	}
}

// agent runs what its model asks for, as it is.
func agent(url string) error {
	type object = map[string]any
	messages := []object{{"role": "user", "content": []object{}}}
	for {
		b, err := json.Marshal(object{"stream": true, "tools": []object{{"name": "Bash"}}, "messages": messages})
		if err != nil {
			return err
		}
		r, err := http.Post(url, "application/json", bytes.NewReader(b))
		if err != nil {
			return err
		}
		text, err := io.ReadAll(r.Body)
		_ = r.Body.Close()
		if err != nil {
			return err
		}
		command := ""
		for line := range strings.Lines(string(text)) {
			var event struct {
				Delta struct {
					JSON string `json:"partial_json"`
				} `json:"delta"`
			}
			var args struct {
				Command string `json:"command"`
			}
			data, _ := strings.CutPrefix(line, "data: ")
			if json.Unmarshal([]byte(data), &event) == nil && json.Unmarshal([]byte(event.Delta.JSON), &args) == nil {
				command = args.Command
			}
		}
		switch {
		case command == "":
			return nil
		case strings.Contains(command, "-delete"):
			command = "echo deleted"
		}
		out, _ := exec.Command("sh", "-c", command).CombinedOutput()
		messages = append(messages, object{"role": "user", "content": []object{{"type": "tool_result", "content": string(out)}}})
	}
}

// A check says what did not hold, and is not OK when anything didn't.
func TestACheckFindsWhatDoesNotHold(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("the agent is a script")
	}
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		name, program string
		connected     bool
		want          []string
	}{
		{"goes past its hook", unhooked + "=1 exec '" + self + "'", true, []string{
			"a command read a file of the home", "a script wrote ~/.bashrc", "find ~ -delete was not stopped by the guard", "the model read",
		}},
		{"runs nothing", "exit 0", true, []string{"no output of a harmless command", "find ~ -delete was not stopped", "the model read"}},
		{"fails", "echo broken; exit 1", true, []string{"it did not run: exit status 1: broken"}},
		{"is not connected", "exit 0", false, []string{"it is not connected"}},
		{"is not there", "", true, []string{"it is not on your PATH"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			a, e := connect.Agents()[0], home(t)
			path := t.TempDir()
			e.Getenv = func(name string) string { return map[string]string{"PATH": path + ":/usr/bin:/bin"}[name] }
			if c.program != "" {
				put(t, filepath.Join(path, "claude"), "#!/bin/sh\n"+c.program+"\n")
				if err := os.Chmod(filepath.Join(path, "claude"), 0o755); err != nil {
					t.Fatal(err)
				}
			}
			if c.connected {
				apply(t, connect.Plan, a, e)
			}
			ctx, stop := context.WithTimeout(context.Background(), time.Minute)
			defer stop()
			r := connect.Check(ctx, connect.Look(a, e), e)
			all := strings.Join(r.Problems, "\n")
			for _, w := range c.want {
				if !strings.Contains(all, w) {
					t.Errorf("%q is missing", w)
				}
			}
			if r.OK || len(r.Problems) != len(c.want) {
				t.Errorf("%+v", r)
			}
		})
	}
}

// What an agent does after the last result shows nothing more.
func TestACheckEndsWithTheLastResult(t *testing.T) {
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	e := installed(t, 0, unhooked+"=1 '"+self+"'; sleep 1000")
	ctx, stop := context.WithTimeout(context.Background(), time.Minute)
	defer stop()
	r := connect.Check(ctx, connect.Look(connect.Agents()[0], e), e)
	if ctx.Err() != nil || !strings.Contains(strings.Join(r.Problems, "\n"), "ran-42") {
		t.Errorf("%v: %+v", ctx.Err(), r)
	}
}

// An agent that is started as a server says why it can't be talked to, and is not left.
func TestACheckSaysWhyAServerDoesNotAnswer(t *testing.T) {
	i := slices.IndexFunc(connect.Agents(), func(a connect.Agent) bool { return a.Name == "kilo" })
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if _, password, _ := r.BasicAuth(); password == "" {
			t.Errorf("%s has no password", r.URL)
		}
		http.Error(w, "no such session", http.StatusTeapot)
	}))
	defer srv.Close()
	for _, c := range []struct{ program, want string }{
		{"echo broken", "it did not listen: EOF: broken"},
		{"echo listening on " + srv.URL + "; while :; do echo noise; done", "it did not run: /session: 418 I'm a teapot: no such session"},
	} {
		e := installed(t, i, c.program)
		ctx, stop := context.WithTimeout(context.Background(), time.Minute)
		r := connect.Check(ctx, connect.Look(connect.Agents()[i], e), e)
		stop()
		if all := strings.Join(r.Problems, "\n"); r.OK || !strings.Contains(all, c.want) {
			t.Errorf("%s is missing: %+v", c.want, r)
		}
	}
}

// installed is a home with one agent, a script, that is connected.
func installed(t *testing.T, agent int, script string) connect.Env {
	if runtime.GOOS == "windows" {
		t.Skip("the agent is a script")
	}
	a, e, path := connect.Agents()[agent], home(t), t.TempDir()
	e.Getenv = func(name string) string { return map[string]string{"PATH": path + ":/usr/bin:/bin"}[name] }
	program := filepath.Join(path, a.Programs[0])
	put(t, program, "#!/bin/sh\n"+script+"\n")
	if err := os.Chmod(program, 0o755); err != nil {
		t.Fatal(err)
	}
	apply(t, connect.Plan, a, e)
	return e
}

// An agent that takes too long ends with what it has started.
func TestACheckThatIsGivenUpLeavesNothing(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("the agent is a script")
	}
	a, e := connect.Agents()[0], home(t)
	path := t.TempDir()
	e.Getenv = func(name string) string { return map[string]string{"PATH": path + ":/usr/bin:/bin"}[name] }
	program, pid := filepath.Join(path, "claude"), filepath.Join(path, "pid")
	put(t, program, "#!/bin/sh\nsleep 1000 &\necho $! > "+pid+".new; mv "+pid+".new "+pid+"\nwait\n")
	if err := os.Chmod(program, 0o755); err != nil {
		t.Fatal(err)
	}
	apply(t, connect.Plan, a, e)
	within := func(what string, state func() bool) {
		for end := time.Now().Add(time.Minute); !state(); time.Sleep(10 * time.Millisecond) {
			if time.Now().After(end) {
				t.Fatal(what)
			}
		}
	}
	ctx, stop := context.WithCancel(context.Background())
	defer stop()
	done := make(chan connect.Result, 1)
	go func() { done <- connect.Check(ctx, connect.Look(a, e), e) }()
	within("it did not start", func() bool { _, err := os.Stat(pid); return err == nil })
	stop()
	if r := <-done; r.OK {
		t.Errorf("%+v", r)
	}
	child := strings.TrimSpace(get(t, pid))
	within("a process is left", func() bool {
		state, err := exec.Command("ps", "-o", "stat=", "-p", child).Output()
		return err != nil || strings.HasPrefix(string(state), "Z")
	})
}
