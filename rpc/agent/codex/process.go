package codex

import (
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/pillion-sidecar/pillion/rpc/agent/reply"
	"github.com/pillion-sidecar/pillion/rpc/client"
	"github.com/pillion-sidecar/pillion/rpc/protocol"
)

// maxKept bounds the output that waits for process/read.
const maxKept = 8 << 20

// process is one that Codex has started.
type process struct {
	s       *server
	id      string // Codex'
	exec    string // ours
	session Session
	stream  string // "stdout", or "pty"
	writer  *reply.Writer
	started chan struct{} // closed: it runs

	mu     sync.Mutex
	change chan struct{} // closed and made anew with every change
	chunks []chunk
	kept   int
	seq    uint64
	ended  bool
	closed bool
	code   int
}

type chunk struct {
	Seq    uint64 `json:"seq"`
	Stream string `json:"stream"`
	Data   []byte `json:"chunk"`
}

// sandboxIntent is what Codex wants to be enforced. It can only tighten ours.
type sandboxIntent struct {
	Roots       []string `json:"workspaceRoots"`
	Permissions struct {
		Type  string `json:"type"`
		Files struct {
			Type    string `json:"type"`
			Entries []struct {
				Access string `json:"access"`
			} `json:"entries"`
		} `json:"file_system"`
	} `json:"permissions"`
}

func (i *sandboxIntent) readOnly() bool {
	if i == nil || i.Permissions.Files.Type != "restricted" {
		return false
	}
	for _, e := range i.Permissions.Files.Entries {
		if e.Access == "write" {
			return false
		}
	}
	return true
}

type startParams struct {
	ID       string `json:"processId"`
	Metadata struct {
		ThreadID   string `json:"threadId"`
		ToolCallID string `json:"toolCallId"`
	} `json:"metadata"`
	Argv      []string          `json:"argv"`
	Cwd       string            `json:"cwd"`
	Env       map[string]string `json:"env"`
	TTY       bool              `json:"tty"`
	PipeStdin bool              `json:"pipeStdin"`
	Sandbox   *sandboxIntent    `json:"sandbox"`
}

func (s *server) info() any {
	type shell struct {
		Name string `json:"name"`
		Path string `json:"path"`
	}
	return struct {
		Shell shell  `json:"shell"`
		Cwd   string `json:"cwd"`
	}{shell{filepath.Base(s.host.Shell), s.host.Shell}, toURI(s.host.Cwd)}
}

// start answers when the process runs, or with the reason why it doesn't.
func (s *server) start(p startParams) (any, error) {
	params, err := p.exec()
	if err != nil {
		return nil, err
	}
	session, err := s.session(p.Sandbox)
	if err != nil {
		return nil, err
	}
	run, err := s.register(p, session)
	if err != nil {
		return nil, err
	}
	params.ExecID, params.PartialResultToken = run.exec, protocol.Token(run.exec)
	answered := make(chan error, 1)
	s.scope.Go(func() {
		var result protocol.ExecResult
		err := session.Call(s.ctx, "exec", params, &result)
		answered <- err
		if err != nil {
			s.forget(run)
			return
		}
		<-run.started
		run.finish(result)
	})
	select {
	case <-run.started:
	case err := <-answered:
		if err != nil {
			return nil, fault{failed, s.host.Reason(err)}
		}
	}
	return struct {
		ID string `json:"processId"`
	}{p.ID}, nil
}

// own are variables that the sandbox sets, and no client.
var own = []string{"HOME", "TMPDIR", "PWD", "OLDPWD", "PATH", "SHELL", "USER", "LOGNAME", "PILLION_OUTPUTS"}

func (p startParams) exec() (protocol.ExecParams, error) {
	cwd, err := fromURI(p.Cwd)
	if err != nil {
		return protocol.ExecParams{}, err
	}
	out := protocol.ExecParams{Cwd: cwd, Argv: p.Argv, Env: map[string]protocol.Nullable[string]{}, TimeoutMs: protocol.Nullable[int64]{Set: true, Null: true}}
	if len(p.Argv) == 0 || p.ID == "" {
		return out, fault{invalidParams, "process/start wants a processId and an argv"}
	}
	if shell := filepath.Base(p.Argv[0]); len(p.Argv) == 3 && (p.Argv[1] == "-lc" || p.Argv[1] == "-c") && (shell == "bash" || shell == "sh") {
		out.Argv, out.Command, out.Shell = nil, p.Argv[2], shell
	}
	for name, value := range p.Env {
		if !slices.Contains(own, name) && !strings.HasPrefix(name, "CODEX_") {
			out.Env[name] = protocol.Nullable[string]{Set: true, Value: value}
		}
	}
	if p.Sandbox.readOnly() {
		out.Sandbox.Mode = "read-only"
	}
	out.Description = "Codex " + strings.Trim(p.Metadata.ThreadID+":"+p.Metadata.ToolCallID, ":")
	out.Output.Encoding, out.Output.Merge = "base64", !p.TTY
	switch {
	case p.TTY:
		out.Pty, out.Output.Merge = &protocol.PtyParams{Rows: 24, Cols: 120}, false
	case p.PipeStdin:
		out.Stdin = &protocol.StdinParams{Open: true}
	}
	return out, nil
}

func (s *server) register(p startParams, session Session) (*process, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.byID[p.ID] != nil {
		return nil, fault{invalidParams, fmt.Sprintf("there is a process %.80q already", p.ID)}
	}
	s.last++
	run := &process{s: s, id: p.ID, exec: fmt.Sprintf("codex-%d", s.last), session: session, stream: "stdout", started: make(chan struct{}), change: make(chan struct{})}
	if p.TTY {
		run.stream = "pty"
	} else {
		run.writer = reply.NewWriter(sink{run}, reply.Budget{}, func(int64, int64) string { return "" })
	}
	s.byID[p.ID], s.byExec[run.exec] = run, run
	return run, nil
}

func (s *server) forget(run *process) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.byID, run.id)
	delete(s.byExec, run.exec)
}

func (s *server) find(id string) *process {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.byID[id]
}

// event hands an event of a session to its process, in order.
func (s *server) event(e client.Event) {
	s.mu.Lock()
	run := s.byExec[e.Token]
	s.mu.Unlock()
	switch {
	case run == nil:
	case e.Type == "started":
		close(run.started)
	case e.Type == "gap":
		run.emit(fmt.Appendf(nil, "\n[pillion: %d bytes left out]\n", e.To-e.From))
	case e.Type == "output" && run.writer != nil:
		_, _ = run.writer.Write(e.Bytes())
	case e.Type == "output":
		run.emit(e.Bytes())
	}
}

// sink is where rendered output goes.
type sink struct{ run *process }

func (w sink) Write(p []byte) (int, error) {
	w.run.emit(p)
	return len(p), nil
}

func (r *process) emit(data []byte) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.seq++
	c := chunk{r.seq, r.stream, slices.Clone(data)}
	r.chunks, r.kept = append(r.chunks, c), r.kept+len(data)
	for r.kept > maxKept {
		r.kept -= len(r.chunks[0].Data)
		r.chunks = r.chunks[1:]
	}
	r.changed()
	r.s.notify("process/output", struct {
		ID string `json:"processId"`
		chunk
	}{r.id, c})
}

// changed wakes those who wait. Called with mu held.
func (r *process) changed() {
	close(r.change)
	r.change = make(chan struct{})
}

func (r *process) finish(result protocol.ExecResult) {
	if r.writer != nil {
		_ = r.writer.Close()
	}
	for _, line := range reply.Notes(result) {
		r.emit([]byte(line + "\n"))
	}
	code := 128 + 15
	if result.ExitCode != nil {
		code = *result.ExitCode
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	type end struct {
		ID   string `json:"processId"`
		Seq  uint64 `json:"seq"`
		Code *int   `json:"exitCode,omitzero"`
	}
	r.ended, r.closed, r.code = true, true, code
	r.seq++
	r.s.notify("process/exited", end{r.id, r.seq, &code})
	r.seq++
	r.s.notify("process/closed", end{r.id, r.seq, nil})
	r.changed()
}

type readParams struct {
	ID    string  `json:"processId"`
	After *uint64 `json:"afterSeq"`
	Max   *int    `json:"maxBytes"`
	Wait  *int64  `json:"waitMs"`
}

type readResult struct {
	Chunks  []chunk `json:"chunks"`
	Next    uint64  `json:"nextSeq"`
	Exited  bool    `json:"exited"`
	Code    *int    `json:"exitCode"`
	Closed  bool    `json:"closed"`
	Failure *string `json:"failure"`
	Denied  bool    `json:"sandboxDenied"`
}

// maxWait bounds how long a read waits.
const maxWait = time.Minute

func (s *server) readOutput(p readParams) (any, error) {
	run := s.find(p.ID)
	if run == nil {
		return nil, fault{invalidParams, fmt.Sprintf("there is no process %.80q", p.ID)}
	}
	wait := time.Duration(0)
	if p.Wait != nil && *p.Wait > 0 {
		wait = min(time.Duration(*p.Wait)*time.Millisecond, maxWait)
	}
	late := time.NewTimer(wait)
	defer late.Stop()
	for {
		result, change := run.after(p)
		if len(result.Chunks) > 0 || result.Closed || wait == 0 {
			return result, nil
		}
		select {
		case <-change:
		case <-late.C:
			return result, nil
		case <-s.ctx.Done():
			return result, nil
		}
	}
}

func (r *process) after(p readParams) (readResult, <-chan struct{}) {
	r.mu.Lock()
	defer r.mu.Unlock()
	out := readResult{Chunks: []chunk{}, Exited: r.ended, Closed: r.closed}
	if r.ended {
		out.Code = &r.code
	}
	left, last := maxKept, r.seq
	if p.Max != nil && *p.Max > 0 {
		left = *p.Max
	}
	for _, c := range r.chunks {
		if p.After != nil && c.Seq <= *p.After {
			continue
		}
		if left -= len(c.Data); left < 0 && len(out.Chunks) > 0 {
			last = c.Seq - 1
			break
		}
		out.Chunks = append(out.Chunks, c)
	}
	out.Next = last + 1
	return out, r.change
}

type writeParams struct {
	ID   string `json:"processId"`
	Data []byte `json:"chunk"`
}

func (s *server) writeInput(p writeParams) (any, error) {
	status := "unknownProcess"
	if run := s.find(p.ID); run != nil {
		var r protocol.WriteResult
		status = "stdinClosed"
		if err := run.session.Call(s.ctx, "exec/write", protocol.WriteParams{ExecID: run.exec, Data: p.Data}, &r); err == nil && r.Status == "accepted" {
			status = "accepted"
		}
	}
	return struct {
		Status string `json:"status"`
	}{status}, nil
}

type nameParams struct {
	ID     string `json:"processId"`
	Signal string `json:"signal"`
}

func (s *server) signal(p nameParams) (any, error) {
	run := s.find(p.ID)
	if run == nil || p.Signal != "interrupt" {
		return nil, fault{invalidParams, "there is no such process or signal"}
	}
	return struct{}{}, run.session.Call(s.ctx, "exec/signal", protocol.SignalParams{ExecID: run.exec, Signal: "SIGINT"}, nil)
}

func (s *server) terminate(p nameParams) (any, error) {
	running := false
	if run := s.find(p.ID); run != nil {
		run.mu.Lock()
		running = !run.ended
		run.mu.Unlock()
		if running {
			_ = run.session.Call(s.ctx, "exec/cancel", protocol.CancelParams{ExecID: run.exec, Reason: "terminated by Codex"}, nil)
		}
	}
	return struct {
		Running bool `json:"running"`
	}{running}, nil
}

// endAll ends what still runs when Codex has gone.
func (s *server) endAll() {
	s.mu.Lock()
	sessions := maps.Clone(s.sessions)
	s.mu.Unlock()
	for _, session := range sessions {
		_ = session.Call(s.ctx, "exec/cancelAll", protocol.CancelAllParams{}, nil)
	}
}
