// Command agents runs real coding agents against a stand-in for their model, offline,
// and shows that pillion holds in each of them, by the commands of docs/agents.md. test/agents/run installs them first.
package main

import (
	"bytes"
	"context"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/sourcegraph/conc"
	"github.com/sourcegraph/conc/pool"

	"github.com/pillion-sidecar/pillion/rpc/agent/connect"
)

func main() {
	pillion := flag.String("pillion", "dist/pillion", "the program")
	npm := flag.String("npm", "dist/agents", "where npm has installed the agents")
	flag.Parse()
	self, err := filepath.Abs(*pillion)
	if err == nil {
		*npm, err = filepath.Abs(filepath.Join(*npm, "node_modules", ".bin"))
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "agents:", err)
		os.Exit(2)
	}
	var chosen []connect.Agent
	grok := connect.Agent{Name: "grok", Title: "Grok CLI", Programs: []string{"grok"}, Runs: true}
	for _, a := range append(connect.Agents(), grok) {
		if a.Runs && (flag.NArg() == 0 || slices.Contains(flag.Args(), a.Name)) {
			chosen = append(chosen, a)
		}
	}
	if len(chosen) != 1 {
		os.Exit(sideBySide(chosen))
	}
	t := trial{agent: chosen[0], self: self, path: *npm + string(os.PathListSeparator) + os.Getenv("PATH")}
	if err := t.all(); err != nil {
		fmt.Printf("✗ %s: %v\n", t.agent.Title, err)
		os.Exit(1)
	}
}

// sideBySide tries each agent in a process of its own: they mostly wait, and one's
// processes are found and killed by whose children they are.
func sideBySide(agents []connect.Agent) (code int) {
	if len(agents) == 0 {
		fmt.Fprintln(os.Stderr, "agents: none of these can be run")
		return 2
	}
	args := os.Args[1 : len(os.Args)-flag.NArg()]
	slices.SortStableFunc(agents, func(a, b connect.Agent) int { return rank(a) - rank(b) })
	trials := pool.NewWithResults[error]().WithMaxGoroutines(4)
	for _, a := range agents {
		trials.Go(func() error {
			c := exec.Command(os.Args[0], append(slices.Clone(args), a.Name)...)
			c.Stdout, c.Stderr = os.Stdout, os.Stderr
			return c.Run()
		})
	}
	if slices.ContainsFunc(trials.Wait(), func(err error) bool { return err != nil }) {
		return 1
	}
	return 0
}

// rank puts those first that take long, so that none of them is left alone at the end.
func rank(a connect.Agent) int {
	i := slices.Index([]string{"kilo", "opencode", "cline", "gemini", "copilot", "qwen", "claude", "cn"}, a.Name)
	if i < 0 {
		return 100
	}
	return i
}

// trial is one agent in a home of its own.
type trial struct {
	agent      connect.Agent
	self, path string
	home, work string
}

func (t *trial) env() connect.Env {
	return connect.Env{Home: t.home, Getenv: func(name string) string {
		return map[string]string{"PATH": t.path}[name]
	}, Self: t.self, Shell: filepath.Join(t.home, ".local", "state", "pillion", "bin", "pillion-sh"), Resolve: func(p string) string { return p }}
}

// opencode reports opencode and its fork, which refuse settings that they don't know.
func (t *trial) opencode() bool { return t.agent.Name == "opencode" || t.agent.Name == "kilo" }

func (t *trial) command(args ...string) *exec.Cmd {
	c := exec.Command(t.self, args...)
	c.Dir, c.Env = t.work, []string{"HOME=" + t.home, "PATH=" + t.path, "TERM=dumb"}
	return c
}

// pillion runs the program as the owner of the home.
func (t *trial) pillion(args ...string) (string, error) {
	out, err := t.command(args...).CombinedOutput()
	if err != nil {
		err = fmt.Errorf("pillion %s: %w: %s", strings.Join(args, " "), err, out)
	}
	return string(out), err
}

func (t *trial) all() error {
	dir, err := os.MkdirTemp("", "pillion-agents-*")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	t.home, t.work = filepath.Join(dir, "home"), filepath.Join(dir, "project")
	before := "{\n\t// mine\n\t\"theme\": \"dark\", // stays\n}\n"
	settings := t.agent.File(t.env())
	switch filepath.Ext(settings) {
	case ".toml", ".bashrc":
		before = "# mine\n\n"
	case ".sh":
		before = ""
	}
	if slices.Contains([]string{"copilot", "gemini", "codex-hook", "claude", "pi", "qwen"}, t.agent.Name) { // plain JSON
		before = strings.NewReplacer("\t// mine\n", "", " // stays", "", ", }", "}", "\"dark\",", "\"dark\"").Replace(before)
	}
	if t.opencode() {
		before = "{\n  \"$schema\": \"https://opencode.ai/config.json\"\n}\n"
	}
	files := map[string]string{filepath.Join(t.work, ".keep"): ""}
	if before != "" {
		files[settings] = before
	}
	for path, text := range files {
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			return err
		}
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			return err
		}
	}
	if t.agent.What == "" { // no part of ours can be put into it
		return t.step("all of it starts inside", t.inside)
	}
	if _, err := t.pillion("connect", "--yes", t.agent.Name); err != nil {
		return err
	}
	for _, step := range []struct {
		what    string
		run     func() error
		outside bool // also where commands run outside
	}{
		{"inside, guard, sandbox, output (connect --check)", t.check, true},
		{"output and exit code; a background command ends with its command", t.ends, true},
		{"a long command ends with the agent", t.cancelled, false},
		{"all of it starts inside", t.inside, true},
	} {
		if t.agent.Judged() && !step.outside {
			continue
		}
		if err := t.step(step.what, step.run); err != nil {
			return err
		}
	}
	if _, err := t.pillion("connect", "--remove", "--yes", t.agent.Name); err != nil {
		return err
	}
	after, err := os.ReadFile(settings)
	if (err != nil) != (before == "") || string(after) != before {
		return fmt.Errorf("--remove left %q of %q: %v", after, before, err)
	}
	fmt.Printf("✓ %s: --remove restores every byte\n", t.agent.Title)
	return nil
}

// step runs one of them and says how long it took.
func (t *trial) step(what string, run func() error) error {
	begun := time.Now()
	if err := run(); err != nil {
		return fmt.Errorf("%s: %w", what, err)
	}
	fmt.Printf("✓ %s: %s (%.1f s)\n", t.agent.Title, what, time.Since(begun).Seconds())
	return nil
}

func (t *trial) check() error {
	_, err := t.pillion("connect", "--check", t.agent.Name)
	return err
}

// run starts the agent with a model that asks for these commands, until they are done
// or ctx ends.
func (t *trial) run(ctx context.Context, extra map[string]any, commands ...string) ([]string, error) {
	in, err := connect.NewStandIn(extra, commands...)
	if err != nil {
		return nil, err
	}
	defer in.Close()
	status := connect.Look(t.agent, t.env())
	if t.agent.Name == "codex-hook" {
		status.Installed = connect.Look(connect.Agents()[1], t.env()).Installed
	}
	if len(status.Installed) == 0 {
		return nil, fmt.Errorf("it is not installed")
	}
	home, err := os.MkdirTemp(filepath.Dir(t.home), "run-*")
	if err != nil {
		return nil, err
	}
	run := connect.Trial{Agent: t.agent, Program: status.Installed[0], Home: home, Project: t.work, Path: t.path}
	if err := run.Settle(status.File); err != nil {
		return nil, err
	}
	said, err := run.Run(ctx, in.URL)
	if results := in.Results(); len(results) > 0 || ctx.Err() != nil {
		return results, nil
	}
	return nil, fmt.Errorf("%w: %.400s", err, said)
}

// ends: one command prints something, one fails, and one leaves a process running.
func (t *trial) ends() error {
	ctx, stop := context.WithTimeout(context.Background(), 5*time.Minute)
	defer stop()
	mark := t.mark(2)
	results, err := t.run(ctx, nil, "echo from-stdout; echo from-stderr >&2", "echo failed >&2; exit 7", "(setsid sleep "+mark+" >/dev/null 2>&1 &) ; echo left")
	if err != nil {
		return err
	}
	all := strings.Join(results, "\n")
	for _, want := range []string{"from-stdout", "from-stderr", "failed", "left"} {
		if !strings.Contains(all, want) {
			return fmt.Errorf("%s is missing: %q", want, all)
		}
	}
	if !t.opencode() && !strings.Contains(all, "7") { // which tells its model no exit code
		return fmt.Errorf("the exit code is missing: %q", all)
	}
	if !t.agent.Judged() && !within(20*time.Second, func() bool { return !alive(mark) }) {
		return fmt.Errorf("a process lives on after its command")
	}
	return nil
}

// mark is a number of seconds that no other process sleeps.
func (t *trial) mark(n int) string {
	return fmt.Sprintf("%d%03d%d", n, len(t.agent.Title)*len(t.agent.Name), 100_000+os.Getpid())
}

// alive reports a process whose command line has the mark.
func alive(mark string) bool {
	files, _ := filepath.Glob("/proc/[0-9]*/cmdline")
	for _, f := range files {
		b, err := os.ReadFile(f)
		if err == nil && bytes.HasPrefix(b, []byte("sleep\x00"+mark)) {
			return true
		}
	}
	return false
}

// within waits for a state of the world: nothing tells us of it.
func within(limit time.Duration, state func() bool) bool {
	for end := time.Now().Add(limit); time.Now().Before(end); time.Sleep(20 * time.Millisecond) {
		if state() {
			return true
		}
	}
	return state()
}

// killAgent ends the agent below a process of ours without giving it time to tidy up.
// What it has started, its shells and pillion, is left to itself.
func killAgent(parent int) {
	files, _ := filepath.Glob("/proc/[0-9]*/stat")
	for _, f := range files {
		b, _ := os.ReadFile(f)
		var pid, above int
		var state byte
		name := ""
		if i, k := bytes.IndexByte(b, '('), bytes.LastIndexByte(b, ')'); i > 0 && k > i {
			name = string(b[i+1 : k])
			_, _ = fmt.Sscanf(string(b[:i]), "%d", &pid)
			_, _ = fmt.Sscanf(string(b[k+2:]), "%c %d", &state, &above)
		}
		starts := name == "bash" || name == "sh" || strings.HasPrefix(name, "pillion")
		if above != parent || starts && parent != os.Getpid() {
			continue
		}
		killAgent(pid)
		if p, err := os.FindProcess(pid); err == nil {
			_ = p.Kill()
		}
	}
}

func (t *trial) cancelled() error {
	mark := t.mark(1)
	ctx, stop := context.WithCancel(context.Background())
	var agent conc.WaitGroup
	defer agent.Wait()
	defer stop()
	agent.Go(func() { _, _ = t.run(ctx, nil, "sleep "+mark) }) // it is killed, which is not a result
	if !within(5*time.Minute, func() bool { return alive(mark) }) {
		return fmt.Errorf("the command did not start")
	}
	killAgent(os.Getpid())
	if !within(20*time.Second, func() bool { return !alive(mark) }) {
		return fmt.Errorf("the command lives on after its agent")
	}
	return nil
}
