package codex

import (
	"context"
	"errors"
	"fmt"
	"io"
	"sync"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	"github.com/sourcegraph/conc"
	"github.com/sourcegraph/conc/panics"

	"github.com/pillion-sidecar/pillion/rpc/client"
	"github.com/pillion-sidecar/pillion/rpc/jsonrpc"
)

// Session runs commands in one workspace.
type Session interface {
	Call(ctx context.Context, method string, params, result any) error
	Close(ctx context.Context) error
}

// Host is what the server needs of the process around it.
type Host struct {
	Cwd    string // where it was started
	Shell  string // the path of the shell that commands are written for
	Open   func(ctx context.Context, folders []string, events func(client.Event)) (Session, error)
	Reason func(err error) string // why nothing was started, for a model
}

// The codes of errors. notFound is what Codex takes for a file that isn't there.
const (
	notFound       = -32004
	invalidParams  = -32602
	unknownMethod  = -32601
	invalidRequest = -32600
	failed         = -32000
)

// fault is an error with its code.
type fault struct {
	code int
	text string
}

func (f fault) Error() string { return f.text }

const maxMessage = 64 << 20

// server is one connection.
type server struct {
	host Host
	ctx  context.Context

	write sync.Mutex
	out   io.Writer

	scope    conc.WaitGroup
	mu       sync.Mutex
	sessions map[string]Session // by their folders
	byExec   map[string]*process
	byID     map[string]*process
	last     int
}

// Serve answers Codex until in ends. Then every process has ended, too.
func Serve(ctx context.Context, in io.Reader, out io.Writer, host Host) error {
	ctx, stop := context.WithCancel(ctx)
	s := &server{host: host, ctx: ctx, out: out, sessions: map[string]Session{}, byExec: map[string]*process{}, byID: map[string]*process{}}
	err := s.read(jsonrpc.FramingLines.Packets(in, maxMessage))
	s.endAll()
	stop()
	s.scope.Wait()
	for _, session := range s.sessions {
		_ = session.Close(context.WithoutCancel(ctx))
	}
	return err
}

// message is a request, a notification or an answer, which is not expected.
type message struct {
	ID     jsontext.Value `json:"id"`
	Method string         `json:"method"`
	Params jsontext.Value `json:"params"`
}

func (s *server) read(in jsonrpc.Packets) error {
	for {
		p, err := in.Next()
		var m message
		switch {
		case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF):
			return nil
		case err != nil:
			return err
		case p.Fault != nil:
			s.answer(jsontext.Value("null"), nil, fault{invalidRequest, fmt.Sprintf("a message is longer than %d bytes", maxMessage)})
			continue
		}
		if err := json.Unmarshal(p.Body, &m); err != nil {
			s.answer(jsontext.Value("null"), nil, fault{-32700, fmt.Sprintf("the message can't be read (%.120s)", err.Error())})
			continue
		}
		s.serve(m)
	}
}

// serve answers one message. Starting a process and waiting for output take time,
// and must not keep others from being answered.
func (s *server) serve(m message) {
	run := func() {
		var result any
		err := error(fault{failed, "a fault in pillion"})
		if r := panics.Try(func() { result, err = s.handle(m) }); r != nil {
			err = fault{failed, "a fault in pillion; nothing was done"}
		}
		if len(m.ID) > 0 && m.ID.Kind() != 'n' {
			s.answer(m.ID, result, err)
		}
	}
	if m.Method == "process/start" || m.Method == "process/read" {
		m.ID, m.Params = m.ID.Clone(), m.Params.Clone()
		s.scope.Go(run)
		return
	}
	run()
}

// handle is the table of methods.
func (s *server) handle(m message) (any, error) {
	switch m.Method {
	case "initialize":
		return struct {
			SessionID string `json:"sessionId"`
		}{"pillion"}, nil
	case "initialized":
		return nil, nil
	case "environment/info":
		return s.info(), nil
	case "process/start":
		return decoded(m, s.start)
	case "process/read":
		return decoded(m, s.readOutput)
	case "process/write":
		return decoded(m, s.writeInput)
	case "process/signal":
		return decoded(m, s.signal)
	case "process/terminate":
		return decoded(m, s.terminate)
	case "fs/readFile":
		return decoded(m, s.readFile)
	case "fs/writeFile":
		return decoded(m, s.writeFile)
	case "fs/createDirectory":
		return decoded(m, s.createDirectory)
	case "fs/getMetadata":
		return decoded(m, s.metadata)
	case "fs/canonicalize":
		return decoded(m, s.canonicalize)
	case "fs/readDirectory":
		return decoded(m, s.readDirectory)
	case "fs/remove":
		return decoded(m, s.remove)
	case "fs/copy":
		return decoded(m, s.copyFile)
	}
	return nil, fault{unknownMethod, fmt.Sprintf("pillion codex-server does not serve %.60q; this version of Codex may be newer than it", m.Method)}
}

// decoded reads the params of a method; members that are not known are ignored.
func decoded[P any](m message, serve func(P) (any, error)) (any, error) {
	var p P
	if m.Params.Kind() != '{' {
		return nil, fault{invalidParams, m.Method + " wants an object"}
	}
	if err := json.Unmarshal(m.Params, &p); err != nil {
		return nil, fault{invalidParams, fmt.Sprintf("the params of %s can't be read (%.120s)", m.Method, err.Error())}
	}
	return serve(p)
}

type errorObject struct {
	Code    int    `json:"code"`
	Message string `json:"message"`
}

func (s *server) answer(id jsontext.Value, result any, err error) {
	type answer struct {
		ID     jsontext.Value `json:"id"`
		Result any            `json:"result,omitzero"`
		Error  *errorObject   `json:"error,omitzero"`
	}
	a := answer{ID: id, Result: result}
	if result == nil {
		a.Result = struct{}{}
	}
	if err != nil {
		f := fault{failed, err.Error()}
		errors.As(err, &f)
		a.Result, a.Error = nil, &errorObject{f.code, f.text}
	}
	s.send(a)
}

func (s *server) notify(method string, params any) {
	s.send(struct {
		Method string `json:"method"`
		Params any    `json:"params"`
	}{method, params})
}

func (s *server) send(v any) {
	b, err := json.Marshal(v, jsontext.AllowInvalidUTF8(true))
	if err != nil {
		return
	}
	s.write.Lock()
	defer s.write.Unlock()
	_, _ = s.out.Write(append(b, '\n'))
}
