package rpc

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"go.lsp.dev/jsonrpc2"

	"github.com/pillion-sidecar/pillion/executor"
)

// The bounds of exec/read. As JSON a byte takes at most six, so that the largest
// answer is far below MaxMessageBytes.
const (
	maxReads         = 64 // requests in flight
	defaultReadBytes = 64 << 10
	maxReadBytes     = 1 << 20
	maxReadWait      = time.Minute
)

// execRead finds the command on the reader goroutine, so that an exec/release
// behind it doesn't overtake it and a cancel finds it, and reads beside it.
func (s *server) execRead(ctx context.Context, req *jsonrpc2.Request) (any, error) {
	p := new(ReadParams)
	if bad := decodeStrict(req.Params(), p, never); bad != nil {
		return nil, bad.fault()
	}
	q, err := p.request()
	if err != nil {
		return nil, err
	}
	r, err := s.reader(p)
	if err != nil {
		return nil, wireError(err, p.ExecID, s.log)
	}
	defer r.Close()
	// Not derived from ctx, as in guardCheck.
	until, stop := context.WithCancel(context.Background())
	defer stop()
	if err := s.begin(s.reads, req.ID(), stop); err != nil {
		return nil, err
	}
	defer s.done(s.reads, req.ID())
	jsonrpc2.Async(ctx)
	piece, err := r.Read(until, q)
	if err != nil {
		return nil, wireError(err, p.ExecID, s.log)
	}
	return readResult(piece, q.Base64), nil
}

func (p *ReadParams) request() (executor.ReadRequest, error) {
	const most = int64(1)<<53 - 1
	q := executor.ReadRequest{Offset: p.Offset, Max: defaultReadBytes, Base64: p.Encoding == "base64"}
	if err := oneOf(p.ExecID, p.Name); err != nil {
		return q, err
	}
	switch {
	case !slices.Contains([]executor.Stream{executor.Stdout, executor.Stderr, executor.Pty}, executor.Stream(p.Stream)):
		return q, invalidParams("/stream", "one of stdout, stderr, pty", fmt.Sprintf("%.40q", p.Stream))
	case p.Offset > most || p.Offset < -most:
		return q, invalidParams("/offset", fmt.Sprintf("-%d to %d", most, most), fmt.Sprint(p.Offset))
	case p.MaxBytes < 0:
		return q, invalidParams("/maxBytes", "a positive number", fmt.Sprint(p.MaxBytes))
	case p.WaitMs < 0:
		return q, invalidParams("/waitMs", "a positive number", fmt.Sprint(p.WaitMs))
	case p.Encoding != "" && p.Encoding != "utf-8" && !q.Base64:
		return q, invalidParams("/encoding", "one of utf-8, base64", fmt.Sprintf("%.40q", p.Encoding))
	}
	if p.MaxBytes > 0 {
		q.Max = min(p.MaxBytes, maxReadBytes)
	}
	q.Wait = milliseconds(min(p.WaitMs, maxReadWait.Milliseconds()))
	return q, nil
}

func readResult(p executor.Piece, asked64 bool) ReadResult {
	out := ReadResult{
		Offset: p.Offset, Length: len(p.Bytes), NextOffset: p.Offset + int64(len(p.Bytes)),
		TotalBytes: p.Total, AvailableFrom: p.First, Gaps: []ByteRange{}, EOF: p.EOF, Running: p.Running,
	}
	if p.Text || len(p.Bytes) == 0 && !asked64 {
		text := string(p.Bytes)
		out.Text = &text
	} else {
		out.Data = p.Bytes
	}
	for _, g := range p.Gaps {
		out.Gaps = append(out.Gaps, ByteRange{From: g.From, To: g.To})
	}
	return out
}

// execRelease does not end anything: a command that runs is left alone.
func (s *server) execRelease(p *ReleaseParams) (any, error) {
	if err := oneOf(p.ExecID, p.Name); err != nil {
		return nil, err
	}
	if p.Name != "" {
		return ReleaseResult{Released: s.commands().ReleaseSaved(p.Name)}, nil
	}
	return ReleaseResult{Released: s.commands().Release(p.ExecID)}, nil
}

func readError(err error, _ string) *jsonrpc2.Error {
	var expired *executor.ExpiredError
	if errors.As(err, &expired) {
		return fault(CodeOutputExpired, OutputExpiredData{
			ErrorData{Kind: "outputExpired", ExecID: expired.ID}, expired.Total, expired.Total, stamp(expired.At),
		}, "%s", err.Error())
	}
	return nil
}
