package rpc

import (
	"context"
	"errors"
	"fmt"

	"go.lsp.dev/jsonrpc2"

	"github.com/pillion-sidecar/pillion/executor"
)

// execWrite takes its place among the writes of a command on the reader goroutine,
// and waits beside it until the command has read enough.
func (s *server) execWrite(ctx context.Context, req *jsonrpc2.Request) (any, error) {
	p := new(WriteParams)
	if bad := decodeStrict(req.Params(), p, never); bad != nil {
		return nil, bad.fault()
	}
	w, err := p.write()
	if err != nil {
		return nil, err
	}
	// Not derived from ctx, as in guardCheck.
	until, stop := context.WithCancel(context.Background())
	defer stop()
	if err := s.begin(s.writes, req.ID(), stop); err != nil {
		return nil, err
	}
	defer s.done(s.writes, req.ID())
	if err := s.commands().Write(p.ExecID, w); err != nil {
		return nil, wireError(err, p.ExecID, s.log)
	}
	jsonrpc2.Async(ctx)
	done, err := w.Wait(until)
	if err != nil {
		return nil, wireError(err, p.ExecID, s.log)
	}
	return WriteResult{Status: string(done.State), AcceptedBytes: done.Accepted, Offset: done.Offset}, nil
}

// maxWrites bounds the exec/write requests in flight.
const maxWrites = 256

func (p *WriteParams) write() (*executor.Write, error) {
	w := &executor.Write{Data: p.Data, Offset: -1, Close: p.Close}
	switch {
	case p.ExecID == "":
		return nil, invalidParams("/execId", "the execId of a command", "none")
	case p.Text != nil && p.Data != nil, p.Text == nil && p.Data == nil && !p.Close:
		return nil, invalidParams("", "exactly one of text and data, or close", "both or none")
	case p.Offset != nil && (*p.Offset < 0 || *p.Offset > 1<<53):
		return nil, invalidParams("/offset", "0 to 2^53", fmt.Sprint(*p.Offset))
	case p.Offset != nil:
		w.Offset = *p.Offset
	}
	if p.Text != nil {
		w.Data = []byte(*p.Text)
	}
	return w, nil
}

func (s *server) execSignal(p *SignalParams) (any, error) {
	delivered, err := s.commands().Signal(p.ExecID, p.Signal)
	if err != nil {
		return nil, wireError(err, p.ExecID, s.log)
	}
	return SignalResult{Delivered: delivered}, nil
}

func (s *server) execResize(p *ResizeParams) (any, error) {
	if err := s.commands().Resize(p.ExecID, p.Size.Rows, p.Size.Cols); err != nil {
		return nil, wireError(err, p.ExecID, s.log)
	}
	return nil, nil
}

func (s *server) execCancelAll(*CancelAllParams) (any, error) {
	return CancelAllResult{Signalled: s.commands().CancelAll()}, nil
}

// inputError answers what went wrong with a command's input or a signal to it.
func inputError(err error, id string) *jsonrpc2.Error {
	var (
		unknown *executor.UnknownError
		closed  *executor.StdinError
		full    *executor.StdinFullError
		signal  *executor.SignalError
		screen  *executor.TerminalError
	)
	switch {
	case errors.As(err, &unknown):
		return fault(CodeUnknownExec, ErrorData{Kind: "unknownExec", ExecID: unknown.ID}, "%s", err.Error())
	case errors.As(err, &closed):
		return fault(CodeStdinUnavailable, ErrorData{Kind: "stdinUnavailable", ExecID: closed.ID}, "%s", err.Error())
	case errors.As(err, &screen):
		return fault(CodeNotPty, ErrorData{Kind: "notPty", ExecID: screen.ID}, "%s", err.Error())
	case errors.As(err, &full):
		data := BusyData{ErrorData: retryable("serverBusy"), RetryAfterMs: 100}
		data.ExecID = full.ID
		return fault(CodeServerBusy, data, "%s", err.Error())
	case errors.As(err, &signal):
		data := SignalUnsupportedData{ErrorData{Kind: "signalUnsupported", ExecID: id}, signal.Supported}
		return fault(CodeSignalUnsupported, data, "%s", err.Error())
	}
	return nil
}
