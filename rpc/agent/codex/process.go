package codex

import (
	"fmt"
	"maps"
	"slices"
	"sync"

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

// endAll ends what still runs when Codex has gone.
func (s *server) endAll() {
	s.mu.Lock()
	sessions := maps.Clone(s.sessions)
	s.mu.Unlock()
	for _, session := range sessions {
		_ = session.Call(s.ctx, "exec/cancelAll", protocol.CancelAllParams{}, nil)
	}
}
