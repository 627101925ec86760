package rpc

import (
	"context"
	"runtime"
	"time"

	"go.lsp.dev/jsonrpc2"
)

// serveStatus lets the reader go on where it has to wait for the self-test.
func (s *server) serveStatus(ctx context.Context, req *jsonrpc2.Request) (any, error) {
	p := new(StatusParams)
	if bad := decode(req.Params(), p); bad != nil {
		return nil, bad.fault()
	}
	if p.Probe {
		jsonrpc2.Async(ctx)
	}
	return s.status(p)
}

// status is served also while the client doesn't read: it says so.
func (s *server) status(p *StatusParams) (any, error) {
	report := s.boxes.Report
	if p.Probe {
		report = s.boxes.Tested
	}
	st := s.commands().Stats()
	out := StatusResult{
		UptimeMs: time.Since(s.started).Milliseconds(),
		Execs:    ExecCounts{Running: st.Running, Queued: st.Queued, AwaitingApproval: st.Awaiting, Total: st.Total},
		Bytes:    ByteCounts{In: s.stream.read.Load(), Out: s.w.written.Load(), Spooled: st.BytesOut - st.BytesLost, Dropped: st.BytesLost},
		Writer:   WriterStatus{Queued: s.w.queued(), StalledMs: s.w.stalled().Milliseconds()},
		Spool:    SpoolStatus{Bytes: st.SpoolBytes, Limit: st.SpoolLimit},
		Guard: GuardCounts{
			Checks: st.Checks, Asked: st.Asked, Denied: st.Denied, P50Us: st.GuardP50, P99Us: st.GuardP99,
		},
		RSSBytes: residentBytes(), Goroutines: runtime.NumGoroutine(), AnswersIgnored: s.asks.strays(), TraceDropped: s.trace.lost(),
		PolicyRevision: s.revision(), Hosts: []HostCounts{},
		Sandbox: sandboxReport(report()),
	}
	for _, h := range s.commands().Hosts() {
		out.Hosts = append(out.Hosts, HostCounts{Host: display(h.Host), Connections: h.Connections, Refused: h.Refused, BytesIn: h.In, BytesOut: h.Out})
	}
	out.Audit = s.record().status()
	if s.opts.LogDropped != nil {
		out.LogDropped = s.opts.LogDropped()
	}
	return out, nil
}
