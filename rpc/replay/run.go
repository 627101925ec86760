package replay

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/pillion-sidecar/pillion/rpc/jsonrpc"
)

// Options say how scenarios are run.
type Options struct {
	Start   Start
	Framing jsonrpc.Framing
	Root    string // an empty directory of this run's own
	// Parent starts a process that stands for the editor, for scenarios with
	// the flag parent. They are unmet without it.
	Parent func() (pid int, kill func(), err error)
	Update bool // rewrite ←= bodies and goldens instead of failing
	// Policy is the user's policy of scenarios that have none of their own, as the
	// text of policy.toml.
	Policy string
	Trace  func(sent bool, body []byte) // that of Peer
	// Check sees every message of the sidecar whose method is known, with the
	// params of the request that it answers. An error fails the scenario.
	Check func(method string, asked jsontext.Value, m *Message) error
}

// run is one scenario being played.
type run struct {
	s      *Scenario
	o      Options
	d      Dirs
	client *Client
	vars   vars
	cursor int // position after the last frame an expectation took
	begun  time.Time
	sent   map[string]sending // by id, as JSON
	edits  []edit
	orphan func() // ends the process that stands for the editor
	ended  bool   // the sidecar's exit code was taken
}

// sending is when a request was sent, and how many frames had come before. An id
// may be used again, so only what came later can be its response.
type sending struct {
	at     time.Time
	frames int
}

// Run plays one scenario. Its errors are a *Failure, or an *Unmet if it can't
// run here.
func Run(ctx context.Context, s *Scenario, o Options) (err error) {
	ctx, cancel := context.WithTimeoutCause(ctx, s.Timeout, errors.New("nothing came until the scenario's timeout"))
	defer cancel()
	r := &run{s: s, o: o, vars: vars{}, begun: time.Now(), sent: map[string]sending{}}
	if err := r.prepare(); err != nil {
		return r.describe(s.first, "the scenario starts", err)
	}
	defer r.cleanup()
	if err := r.open(ctx); err != nil {
		return r.describe(s.first, "initialize", err)
	}
	for _, st := range s.script {
		if err := r.step(ctx, st); err != nil {
			return r.describe(st.line, st.text, err)
		}
	}
	last := s.script[len(s.script)-1].line
	if err := r.finish(ctx); err != nil {
		return r.describe(last, "an orderly end", err)
	}
	return r.saveEdits()
}

func (r *run) describe(line int, want string, err error) error {
	if u := (*Unmet)(nil); errors.As(err, &u) {
		return u
	}
	return r.failure(line, want, err)
}

// prepare makes the directories and starts the sidecar.
func (r *run) prepare() (err error) {
	if r.d, err = NewDirs(r.o.Root); err != nil {
		return err
	}
	for name, data := range r.s.Files {
		file := filepath.Join(r.d.Workspace, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			return err
		}
		if err := os.WriteFile(file, []byte(data), 0o644); err != nil {
			return err
		}
	}
	if err := r.writePolicy(); err != nil {
		return err
	}
	r.vars["WS"], r.vars["ROOT"] = quote(r.d.Workspace), quote(r.d.Root)
	r.vars["PARENT"] = jsontext.Value(strconv.Itoa(os.Getpid()))
	if err := r.needs(); err != nil {
		return err
	}
	p, err := r.o.Start(r.d, r.o.Framing)
	if err == nil {
		p.Framing, p.Trace = r.o.Framing, r.o.Trace
		r.client = NewClient(p, r.o.Check)
	}
	return err
}

// writePolicy is the user's policy file, if there is one.
func (r *run) writePolicy() error {
	text := cmp.Or(r.s.Policy, r.o.Policy)
	if text == "" {
		return nil
	}
	if err := os.MkdirAll(filepath.Dir(r.d.policyFile()), 0o700); err != nil {
		return err
	}
	return os.WriteFile(r.d.policyFile(), []byte(text), 0o600)
}

func (r *run) needs() error {
	for _, need := range r.s.Needs {
		if name, ok := strings.CutPrefix(need, "cmd:"); ok && !onPath(name) {
			return &Unmet{need, "it is not on PATH"}
		}
	}
	if !r.s.Parent {
		return nil
	}
	if r.o.Parent == nil {
		return &Unmet{"parent", "this runner can't start a process that stands for the editor"}
	}
	pid, kill, err := r.o.Parent()
	r.orphan = kill
	r.vars["PARENT"] = jsontext.Value(strconv.Itoa(pid))
	return err
}

func onPath(name string) bool {
	for _, dir := range filepath.SplitList(os.Getenv("PATH")) {
		if info, err := os.Stat(filepath.Join(dir, name)); err == nil && info.Mode()&0o111 != 0 {
			return true
		}
	}
	return false
}

// open exchanges initialize and initialized, unless the script does.
func (r *run) open(ctx context.Context) error {
	if r.s.NoInit {
		return nil
	}
	params, err := r.initParams()
	if err != nil {
		return err
	}
	m, err := r.client.Call(ctx, "initialize", params)
	if err != nil {
		return err
	}
	r.cursor = m.Index + 1
	var res struct {
		Capabilities struct {
			Sandbox struct {
				Rung  string `json:"rung"`
				Modes map[string]struct {
					Available bool `json:"available"`
				} `json:"modes"`
			} `json:"sandbox"`
		} `json:"capabilities"`
	}
	if err := m.Decode(&res); err != nil {
		return err
	}
	for _, need := range r.s.Needs {
		mode, ok := strings.CutPrefix(need, "sandbox:")
		if ok && !res.Capabilities.Sandbox.Modes[mode].Available {
			return &Unmet{need, "the sidecar reports it as not available"}
		}
		if rung, ok := strings.CutPrefix(need, "rung:"); ok && res.Capabilities.Sandbox.Rung != rung {
			return &Unmet{need, "the sidecar reports the rung " + res.Capabilities.Sandbox.Rung}
		}
	}
	return r.client.Notify("initialized", map[string]any{})
}

func (r *run) initParams() (map[string]any, error) {
	options, capabilities := map[string]any{}, map[string]any{}
	if err := json.Unmarshal([]byte(r.vars.expand(r.s.Init)), &options); err != nil {
		return nil, fmt.Errorf("init.json: %w", err)
	}
	if err := json.Unmarshal([]byte(r.vars.expand(r.s.Capabilities)), &capabilities); err != nil {
		return nil, fmt.Errorf("capabilities.json: %w", err)
	}
	options["protocolVersion"] = 1
	return map[string]any{
		"processId":             r.vars["PARENT"],
		"clientInfo":            map[string]any{"name": "replay", "version": "1"},
		"workspaceFolders":      []any{map[string]any{"uri": "file://" + filepath.ToSlash(r.d.Workspace), "name": "ws"}},
		"capabilities":          capabilities,
		"initializationOptions": options,
	}, nil
}

func (r *run) step(ctx context.Context, st statement) error {
	err := r.perform(ctx, st)
	// A broken invariant is the better story than the wait it made time out.
	if v := r.client.Violations(); len(v) > 0 {
		return errors.New(strings.Join(v, "\n"))
	}
	return err
}

func (r *run) perform(ctx context.Context, st statement) error {
	switch st.kind {
	case kindSend:
		return r.send(st.frame)
	case kindExpect:
		return r.expect(ctx, st)
	case kindGroup:
		return r.expectAll(ctx, st.group)
	case kindBytes:
		return r.expectBytes(ctx, st.stream)
	case kindNever:
		return r.never(ctx, st.frame, st.within)
	}
	v, _ := verbOf(st.verb) // the parser knows it
	return v.do(ctx, r, st.verbArgs)
}

func (r *run) send(f frame) error {
	body, err := f.encode(r.vars)
	if err != nil {
		return err
	}
	if f.id != "" && f.method != "" {
		id, _ := f.idJSON(r.vars) // encode has checked it
		r.sent[id] = sending{time.Now(), r.client.inbox.len()}
	}
	return r.client.Send(body)
}

func (r *run) cleanup() {
	if !r.ended {
		r.client.peer.Kill()
	}
	r.client.Close()
	if r.orphan != nil {
		r.orphan()
	}
}
