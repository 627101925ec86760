package codex

import (
	"fmt"
	"time"
)

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
