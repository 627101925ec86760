package rpc

import "time"

// status is served also while the client doesn't read: it says so.
func (s *server) status(*StatusParams) (any, error) {
	st := s.engine.Stats()
	out := StatusResult{
		UptimeMs: time.Since(s.started).Milliseconds(),
		Execs:    ExecCounts{Running: st.Running, Queued: st.Queued, Total: st.Total},
		Bytes:    ByteCounts{In: s.stream.read.Load(), Out: s.w.written.Load(), Spooled: st.BytesOut},
		Writer:   WriterStatus{Queued: s.w.queued(), StalledMs: s.w.stalled().Milliseconds()},
		Spool:    SpoolStatus{Bytes: st.SpoolBytes, Limit: st.SpoolLimit},
		Guard:    GuardCounts{Checks: st.Checks, Asked: st.Asked, Denied: st.Denied},
		RSSBytes: residentBytes(),
		Sandbox:  sandboxReport(s.boxes.Report()),
	}
	if s.opts.LogDropped != nil {
		out.LogDropped = s.opts.LogDropped()
	}
	return out, nil
}
