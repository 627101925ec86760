package rpc

import (
	"context"
	"runtime"
	"time"

	"github.com/pillion-sidecar/pillion/rpc/convert"
	"github.com/pillion-sidecar/pillion/rpc/display"
	"github.com/pillion-sidecar/pillion/rpc/jsonrpc"
	"github.com/pillion-sidecar/pillion/rpc/protocol"
)

// serveStatus lets the reader go on where it has to wait for the self-test.
func (s *server) serveStatus(ctx context.Context, _ jsonrpc.ID, p *protocol.StatusParams) (any, error) {
	if p.Probe {
		jsonrpc.Async(ctx)
	}
	return s.status(p)
}

// status is served also while the client doesn't read: it says so.
func (s *server) status(p *protocol.StatusParams) (any, error) {
	report := s.boxes.Report
	if p.Probe {
		report = s.boxes.Tested
	}
	st := s.commands().Stats()
	out := protocol.StatusResult{
		UptimeMs: time.Since(s.started).Milliseconds(),
		Execs:    protocol.ExecCounts{Running: st.Running, Queued: st.Queued, AwaitingApproval: st.Awaiting, Total: st.Total},
		Bytes:    protocol.ByteCounts{In: s.stream.Received.Load(), Out: s.w.Written.Load(), Spooled: st.BytesOut - st.BytesLost, Dropped: st.BytesLost},
		Writer:   protocol.WriterStatus{Queued: s.w.Queued(), StalledMs: s.w.Stalled().Milliseconds()},
		Spool:    protocol.SpoolStatus{Bytes: st.SpoolBytes, Limit: st.SpoolLimit},
		Guard: protocol.GuardCounts{
			Checks: st.Checks, Asked: st.Asked, Denied: st.Denied, P50Us: st.GuardP50, P99Us: st.GuardP99,
		},
		RSSBytes: residentBytes(), Goroutines: runtime.NumGoroutine(), AnswersIgnored: s.asks.Strays(), TraceDropped: s.trace.lost(),
		PolicyRevision: s.revision(), Hosts: []protocol.HostCounts{},
		Sandbox: convert.Report(report()),
	}
	for _, h := range s.commands().Hosts() {
		out.Hosts = append(out.Hosts, protocol.HostCounts{Host: display.Line(h.Host), Connections: h.Connections, Refused: h.Refused, BytesIn: h.In, BytesOut: h.Out})
	}
	out.Audit = s.record().Status()
	if s.opts.LogDropped != nil {
		out.LogDropped = s.opts.LogDropped()
	}
	return out, nil
}
