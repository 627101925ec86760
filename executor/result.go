package executor

import (
	"fmt"
	"math/bits"
	"syscall"
	"time"
	"unicode/utf8"

	"github.com/sourcegraph/conc/panics"

	"github.com/pillion-sidecar/pillion/executor/render"
	"github.com/pillion-sidecar/pillion/sandbox"
)

// follow delivers the command's events and makes its result.
func (l *life) follow(s Sink) *Result {
	defer l.scope.Wait()
	started := Started{ID: l.req.ID, PID: l.first, StartedAt: l.startedAt(), Sandbox: l.effective()}
	bug := panics.Try(func() {
		var seq int64
		l.engine.tell(func(to Recorder) { to.Started(l.req, l.dir.Name(), started, l.approval) })
		gone := s.Started(started) != nil
		switch {
		case gone:
		case l.req.Output.Stream:
			p := l.newPump(s)
			p.run(l.wake, l.ended)
			seq, gone = p.seq, p.dead
		case l.req.TellWaiting:
			gone = l.tellWaiting(s) != nil
		}
		<-l.ended
		l.infer()
		told := l.refusals.sent() // they are in front
		for i := told; i < len(l.violations) && !gone; i++ {
			gone = s.Violation(Violation{Seq: seq + int64(i-told), Violation: l.violations[i]}) != nil
		}
	})
	if bug != nil { // a process was started, so this must end as a result, not as an error
		l.Cancel(InternalError, true)
		l.engine.conf.Log.Error("delivering output failed", "execId", l.req.ID, "panic", bug.Value, "stack", string(bug.Stack))
	}
	<-l.ended
	r := l.result(started)
	if bug != nil {
		r.Reason, r.Cancelled, r.TimedOut = InternalError, false, false
	}
	l.engine.tell(func(to Recorder) { to.Ended(r) })
	return r
}

func (l *life) result(st Started) *Result {
	last := l.steps[len(l.steps)-1]
	r := &Result{
		ID: st.ID, PID: st.PID, StartedAt: st.StartedAt, Sandbox: st.Sandbox, Reason: l.why(),
		Duration: l.duration, Output: map[Stream]StreamResult{}, Steps: l.rows(), Background: l.background,
		Violations: l.violations, Violated: l.violated, Saved: l.saved,
		Verdict: l.verdict, Approval: l.approval, Revision: l.revision, Effects: l.effects(), Lost: l.lost,
	}
	for _, s := range l.steps {
		r.User, r.System, r.MaxRSS = r.User+s.status.User, r.System+s.status.System, max(r.MaxRSS, s.status.MaxRSS)
	}
	l.engine.tooMuch(l.req, l.violations)
	r.ExitCode, r.Signal = last.code()
	r.Cancelled, r.TimedOut = r.Reason == Cancelled, r.Reason == TimedOut
	r.Summary = l.summary(r)
	l.expires = l.engine.shelf.until()
	r.Expires = l.expires
	for _, s := range l.streams {
		r.Output[s.name] = l.account(s)
	}
	return r
}

// why is the reason for the end that the client gets.
func (l *life) why() Reason {
	why := limited(l.reason(), l.steps[len(l.steps)-1].limit)
	if why == Exited && l.exceeded() {
		return OutputLimit
	}
	return why
}

// limited puts the limit that ended a command in place of an end of its own. A recorded
// cancellation or timeout came first and stays.
func limited(why Reason, limit sandbox.Limit) Reason {
	if why != Exited {
		return why
	}
	switch limit {
	case sandbox.LimitMemory:
		return MemoryLimit
	case sandbox.LimitProcesses:
		return ProcessLimit
	case sandbox.LimitFileSize, sandbox.LimitDisk:
		return FileSizeLimit
	case sandbox.LimitCPU:
		return CPULimit
	}
	return why
}

func (l *life) effective() EffectiveSandbox {
	return effective(l.box.Enforcement(), l.policy, l.req.Sandbox.Mode)
}

// account says of every byte of a stream whether it is kept.
func (l *life) account(s *stream) StreamResult {
	total := s.spool.Size()
	r := StreamResult{TotalBytes: total, StreamedBytes: s.sent, EOF: !s.held, Gaps: s.gaps}
	lost := s.spool.Gone()
	l.engine.count(func(st *Stats) { st.BytesOut += total; st.BytesLost += lost })
	if err := s.spool.Err(); err != nil { // the gap has no room for the reason
		l.engine.conf.Log.Warn("output was lost", "execId", l.req.ID, "stream", s.name, "error", err)
	}
	if l.req.Output.Stream {
		for _, g := range s.gaps {
			r.DroppedBytes += g.To - g.From
		}
		r.Truncated = len(s.gaps) > 0
		return r
	}
	limit := int64(l.engine.conf.Limits.InlineMaxBytes)
	if n := int64(l.req.Output.InlineMaxBytes); n > 0 {
		limit = min(n, limit)
	}
	r.Inline, r.Gaps = s.inline(limit, l.req.Output.InlineKeep)
	r.InlineBytes, r.InlineText = int64(len(r.Inline)), !l.req.Output.Base64 && utf8.Valid(r.Inline)
	r.DroppedBytes, r.Truncated = total-r.InlineBytes, total > r.InlineBytes
	return r
}

// inline returns at most limit bytes of a buffered stream and the gap they leave.
// A cut never splits a rune, so that text stays text.
func (s *stream) inline(limit int64, keep string) ([]byte, []Gap) {
	from, to, total := s.spool.Hole()
	if from == total && total <= limit {
		return s.slice(0, total), nil
	}
	head, tail := limit/2, limit-limit/2
	switch {
	case from+total-to <= limit && from < to: // all that there is
		head, tail = from, total-to
	case keep == "head":
		head, tail = limit, 0
	case keep == "tail":
		head, tail = 0, limit
	}
	last := total - tail
	if from < to { // a cut is not in the hole
		head, last = min(head, from), max(last, to)
	}
	front := s.slice(0, head)
	front = front[:len(front)-render.IncompleteRune(front)]
	back := s.slice(last, total)
	back = back[continuation(back):]
	g := Gap{Stream: s.name, From: int64(len(front)), To: total - int64(len(back)), Reason: "inlineLimit"}
	return append(front, back...), []Gap{g}
}

// slice reads kept bytes; where the ring has dropped some it starts later.
func (s *stream) slice(from, to int64) []byte {
	b := make([]byte, 0, to-from)
	for off := from; off < to; {
		n, next, err := s.spool.Read(b[len(b):cap(b)], off)
		if err != nil || n == 0 && next == off {
			break
		}
		b = b[:len(b)+n]
		off = next
	}
	return b
}

// continuation counts the bytes of a split rune at the start of b.
func continuation(b []byte) int {
	n := 0
	for n < len(b) && n < utf8.UTFMax-1 && !utf8.RuneStart(b[n]) {
		n++
	}
	if n == utf8.UTFMax-1 && n < len(b) && !utf8.RuneStart(b[n]) {
		return 0 // not UTF-8 at all
	}
	return n
}

// signalName is the POSIX name, as ACP and DAP spell it; real-time signals have
// only a number.
func signalName(s syscall.Signal) string {
	if n := posixName(s); n != "" {
		return n
	}
	return fmt.Sprintf("SIG%d", int(s))
}

// timing counts durations in fixed buckets, four to a power of two of
// microseconds: a percentile is at most a quarter too high, and a server that
// runs for months needs no more memory than on its first day.
type timing struct {
	count   int64
	buckets [maxBuckets]int64
}

// maxBuckets end at half an hour, far beyond any verdict.
const maxBuckets = 128

func (t *timing) add(d time.Duration) {
	t.count++
	t.buckets[bucket(uint64(max(d.Microseconds(), 0)))]++
}

// percentile is an upper bound, in microseconds, of the fastest p percent; 0
// while nothing was counted.
func (t *timing) percentile(p int64) int64 {
	left := (t.count*p + 99) / 100
	for i, n := range t.buckets {
		if left -= n; n > 0 && left <= 0 {
			return top(i)
		}
	}
	return 0
}

// bucket is exact below four, then a power of two and its next two bits.
func bucket(us uint64) int {
	if us < 4 {
		return int(us)
	}
	shift := bits.Len64(us) - 3
	return min(4*shift+int(us>>shift), maxBuckets-1)
}

// top is the largest value of a bucket.
func top(i int) int64 {
	if i < 4 {
		return int64(i)
	}
	shift := i/4 - 1
	return (int64(i%4+5) << shift) - 1
}
