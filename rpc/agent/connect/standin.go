package connect

import (
	"io"
	"net"
	"net/http"
	"strings"
	"sync"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	"github.com/sourcegraph/conc"
)

// StandIn answers as a model would that asks for one command after the other, so that a
// real agent runs offline. It serves the four interfaces that agents use.
type StandIn struct {
	URL string

	listener net.Listener
	server   http.Server
	scope    conc.WaitGroup
	mu       sync.Mutex
	commands []string
	extra    map[string]any // members of the tool's arguments besides the command
	asked    int
	results  []string
	then     func() // once each command has its result
}

// NewStandIn serves on a port of its own until Close.
func NewStandIn(extra map[string]any, commands ...string) (*StandIn, error) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	s := &StandIn{URL: "http://" + l.Addr().String(), listener: l, commands: commands, extra: extra}
	s.server.Handler = s
	s.scope.Go(func() { _ = s.server.Serve(l) })
	return s, nil
}

// Close ends it.
func (s *StandIn) Close() {
	_ = s.server.Close()
	s.scope.Wait()
}

// Results are what came back of the commands, as the model would read it.
func (s *StandIn) Results() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return append([]string(nil), s.results...)
}

// Then is called once each command has its result.
func (s *StandIn) Then(do func()) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.then = do
}

// ServeHTTP answers one request of an agent.
func (s *StandIn) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, _ := io.ReadAll(io.LimitReader(r.Body, 64<<20))
	s.mu.Lock()
	defer s.mu.Unlock()
	switch {
	case r.Method != http.MethodPost:
		reply(w, "application/json", `{"data":[],"models":[]}`)
	case strings.HasSuffix(r.URL.Path, "count_tokens"):
		reply(w, "application/json", `{"input_tokens":1}`)
	case strings.HasSuffix(r.URL.Path, ":countTokens"):
		reply(w, "application/json", `{"totalTokens":1}`)
	case strings.HasSuffix(r.URL.Path, "/messages"):
		s.messages(w, body)
	case strings.HasSuffix(r.URL.Path, "/responses"):
		s.responses(w, body)
	case strings.HasSuffix(r.URL.Path, "/chat/completions"):
		s.completions(w, body)
	case strings.Contains(r.URL.Path, "enerateContent"):
		s.gemini(w, body, strings.Contains(r.URL.Path, "stream"))
	default:
		reply(w, "application/json", `{}`)
	}
}

func reply(w http.ResponseWriter, kind, body string) {
	w.Header().Set("Content-Type", kind)
	_, _ = io.WriteString(w, body)
}

// next is the arguments of the next command, "" at the end.
func (s *StandIn) next(name string) string {
	if s.asked >= len(s.commands) {
		return ""
	}
	args := map[string]any{name: s.commands[s.asked], "description": "as asked"}
	if name == "commands" {
		args[name] = []string{s.commands[s.asked]}
	}
	for k, v := range s.extra {
		args[k] = v
	}
	s.asked++
	return encoded(args)
}

func encoded(v any) string {
	b, err := json.Marshal(v, json.Deterministic(true), jsontext.AllowInvalidUTF8(true))
	if err != nil {
		return "{}"
	}
	return string(b)
}

type object = map[string]any

// came notes a result that is not known yet: some agents send all of them each time.
func (s *StandIn) came(list []string) {
	if len(list) > len(s.results) {
		s.results = list
	}
	if s.then != nil && len(s.results) >= len(s.commands) {
		s.then()
		s.then = nil
	}
}
