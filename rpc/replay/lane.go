package replay

import (
	"cmp"
	"encoding/base64"
	"fmt"
	"unicode/utf8"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// lane is what one token has carried.
type lane struct {
	open    bool
	last    int  // index of the message that closed it
	work    bool // a workDoneToken
	started bool
	begun   bool
	ended   bool
	seq     int64
	streams map[string]*stream
	credit  credit
}

// stream is one output stream as it was streamed.
type stream struct {
	next int64  // offset the next event must have
	got  int64  // bytes that really came
	kept []byte // the first of them, for ←~
	read int    // how many of kept a script has taken
}

// maxKept bounds what is kept of a stream: more is not compared.
const maxKept = 4 << 20

// event is any value on an exec's tokens.
type event struct {
	Type   string  `json:"type"`
	Kind   string  `json:"kind"`
	ExecID string  `json:"execId"`
	PID    int     `json:"pid"`
	Seq    *int64  `json:"seq"`
	Stream string  `json:"stream"`
	Offset int64   `json:"offset"`
	Length int64   `json:"length"`
	From   int64   `json:"from"`
	To     int64   `json:"to"`
	Text   *string `json:"text"`
	Data   *string `json:"data"`
}

// openLanes registers the tokens of an exec. A token that is in use stays with
// its owner: the second exec must be refused.
func (w *watch) openLanes(params jsontext.Value) []string {
	var p struct {
		Partial jsontext.Value `json:"partialResultToken"`
		Work    jsontext.Value `json:"workDoneToken"`
	}
	_ = json.Unmarshal(params, &p) // a script may send anything
	var tokens []string
	for i, t := range []jsontext.Value{p.Partial, p.Work} {
		if l := w.lanes[string(t)]; t == nil || l != nil && l.open {
			continue
		}
		w.lanes[string(t)] = &lane{open: true, work: i == 1, streams: map[string]*stream{}, credit: w.allowance(params)}
		tokens = append(tokens, string(t))
	}
	return tokens
}

// unbridge makes a workspace/executeCommand the exec that it stands for, so that
// what is promised of an exec is checked of it, too.
func (r *request) unbridge() {
	var p struct {
		Command   string           `json:"command"`
		Arguments []jsontext.Value `json:"arguments"`
	}
	if r.method == "workspace/executeCommand" && json.Unmarshal(r.params, &p) == nil && p.Command == "pillion.exec" && len(p.Arguments) == 1 {
		r.method, r.params = "exec", p.Arguments[0]
	}
}

func (w *watch) progress(m *Message) {
	var p struct {
		Token jsontext.Value `json:"token"`
		Value jsontext.Value `json:"value"`
	}
	var e event
	if err := json.Unmarshal(m.Params, &p); err != nil {
		w.breach("schema: $/progress: %v", err)
		return
	}
	if err := json.Unmarshal(p.Value, &e); err != nil {
		w.breach("schema: value of $/progress: %v: %s", err, short(m.Raw))
		return
	}
	l := w.lanes[string(p.Token)]
	switch {
	case l == nil:
		w.breach("O2: progress on a token nobody gave: %s", short(m.Raw))
		return
	case !l.open:
		w.breach("O2: progress after the response: %s", short(m.Raw))
	case l.work != (e.Kind != ""):
		w.breach("event on the wrong kind of token: %s", short(m.Raw))
	}
	if err := checkMembers("$/progress", m); err != nil {
		w.breach("schema: %v: %s", err, short(m.Raw))
	}
	if e.PID > 0 {
		w.pids = append(w.pids, e.PID)
		w.execs[e.ExecID] = l
	}
	if err := l.event(e); err != nil {
		w.breach("%v: %s", err, short(m.Raw))
	}
}

func (l *lane) event(e event) error {
	switch {
	case e.Kind == "begin" && !l.begun:
		l.begun = true
	case e.Kind == "report" && l.begun && !l.ended:
	case e.Kind == "end" && l.begun && !l.ended:
		l.ended = true
	case e.Kind != "":
		return fmt.Errorf("work-done %s out of order", e.Kind)
	case e.Type == "started" && l.started:
		return fmt.Errorf("O3: started twice")
	case e.Type == "started":
		l.started = true
	case !l.started:
		return fmt.Errorf("O3: %s before started", e.Type)
	default:
		return l.sequenced(e)
	}
	return nil
}

// sequenced checks O4.
func (l *lane) sequenced(e event) error {
	if e.Seq == nil || *e.Seq != l.seq {
		return fmt.Errorf("O4: seq is not %d", l.seq)
	}
	l.seq++
	s := l.stream(e.Stream)
	switch e.Type {
	case "gap":
		if e.From != s.next || e.To <= e.From {
			return fmt.Errorf("O4: a gap must start at offset %d and cover something", s.next)
		}
		s.next = e.To
	case "output":
		return cmp.Or(s.output(e), l.credit.spend(e.Length))
	case "violation":
	default:
		return fmt.Errorf("unknown event type %q", e.Type)
	}
	return nil
}

func (l *lane) stream(name string) *stream {
	if l.streams[name] == nil {
		l.streams[name] = &stream{}
	}
	return l.streams[name]
}

func (s *stream) output(e event) error {
	b, err := e.bytes()
	switch {
	case err != nil:
		return err
	case int64(len(b)) != e.Length || len(b) == 0:
		return fmt.Errorf("length is %d for %d bytes", e.Length, len(b))
	case e.Offset != s.next:
		return fmt.Errorf("O4: offset is not %d", s.next)
	}
	s.next += e.Length
	s.got += e.Length
	if len(s.kept) < maxKept {
		s.kept = append(s.kept, b...)
	}
	return nil
}

func (e event) bytes() ([]byte, error) {
	switch {
	case e.Text != nil && e.Data != nil || e.Text == nil && e.Data == nil:
		return nil, fmt.Errorf("an output event needs exactly one of text and data")
	case e.Data != nil:
		return base64.StdEncoding.DecodeString(*e.Data)
	case !utf8.ValidString(*e.Text):
		return nil, fmt.Errorf("text is not UTF-8")
	}
	return []byte(*e.Text), nil
}

// closeLanes checks the result of an exec against what was streamed.
func (w *watch) closeLanes(r *request, m *Message) {
	var res struct {
		PID    int `json:"pid"`
		Output map[string]struct {
			StreamedBytes int64 `json:"streamedBytes"`
			TotalBytes    int64 `json:"totalBytes"`
		} `json:"output"`
	}
	if m.Error == nil {
		if err := json.Unmarshal(m.Result, &res); err != nil {
			w.breach("schema: exec result: %v", err)
		}
		w.pids = append(w.pids, res.PID)
	}
	for _, t := range r.tokens {
		l := w.lanes[t]
		l.open, l.last = false, w.count-1
		switch {
		case m.Error != nil && l.started:
			w.breach("O7: an error after a process was started: %s", short(m.Raw))
		case l.work && l.begun && !l.ended:
			w.breach("work-done progress of %s has no end", t)
		case l.work || m.Error != nil:
		case !l.started:
			w.breach("O3: a result, but started was never sent: %s", short(m.Raw))
		}
		for name, s := range l.streams {
			if o := res.Output[name]; !l.work && (o.StreamedBytes != s.got || o.TotalBytes < s.next) {
				w.breach("%s of %s: %d bytes came, up to offset %d, the result says %+v", name, t, s.got, s.next, o)
			}
		}
	}
}

// take answers the next len(want) streamed bytes if they have come, and whether
// more can still come.
func (w *watch) take(token, name string, n int) (got []byte, enough, open bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	l := w.lanes[token]
	if l == nil {
		return nil, false, false
	}
	s := l.stream(name)
	rest := s.kept[s.read:]
	if len(rest) < n {
		return rest, false, l.open
	}
	s.read += n
	return rest[:n], true, l.open
}

// laneOpen reports whether a token may carry something after the message with that index.
func (w *watch) laneOpen(token string, index int) bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	l := w.lanes[token]
	return l == nil || l.open || l.last > index
}
