package replay

import (
	"fmt"
	"sync"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// watch sees every message of a conversation and notes each broken invariant.
type watch struct {
	check func(method string, asked jsontext.Value, m *Message) error // that of Options, may be nil

	mu       sync.Mutex
	count    int // of messages, so the index of the next one
	broken   []string
	requests map[string]*request // by id, as JSON
	lanes    map[string]*lane    // by token, as JSON
	execs    map[string]*lane    // by execId, those that have started
	acks     bool                // the client acknowledges output
	pids     []int
	maxBytes int64
	// owed counts what may be answered with a null id: duplicated ids and
	// frames that are no proper request.
	owed     int
	shutdown bool // shutdown was answered with a result

	questions map[string]string // requests of the sidecar by id, as JSON: "open", "answered", "withdrawn"
}

// request is one request the client sent.
type request struct {
	method string
	params jsontext.Value
	open   bool
	loose  bool // sent by raw bytes: may be answered under null instead
	tokens []string
}

const defaultMaxMessage = 16 << 20

func newWatch() *watch {
	return &watch{requests: map[string]*request{}, lanes: map[string]*lane{}, execs: map[string]*lane{}, maxBytes: defaultMaxMessage, questions: map[string]string{}}
}

func (w *watch) breach(format string, args ...any) {
	if len(w.broken) < 20 { // one broken rule in a flood breaks it in every frame
		w.broken = append(w.broken, fmt.Sprintf(format, args...))
	}
}

// cut notes that the output stopped being frames.
func (w *watch) cut(err error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.breach("framing: %v", err)
}

func (w *watch) violations() []string {
	w.mu.Lock()
	defer w.mu.Unlock()
	return append([]string(nil), w.broken...)
}

func (w *watch) maxMessage() int64 {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.maxBytes
}

// started are the pids the sidecar has reported.
func (w *watch) started() []int {
	w.mu.Lock()
	defer w.mu.Unlock()
	return append([]int(nil), w.pids...)
}

// sent registers a message of the client.
func (w *watch) sent(body []byte) { w.register(body, false) }

// sentRaw registers the body of a frame that may not be a message at all.
func (w *watch) sentRaw(body []byte) { w.register(body, true) }

func (w *watch) register(body []byte, loose bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if loose {
		w.owed++
	}
	var e struct {
		ID, Method, Params jsontext.Value
	}
	lenient := []json.Options{
		jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true), json.MatchCaseInsensitiveNames(true),
	}
	if json.Unmarshal(body, &e, lenient...) != nil && e.Method == nil {
		return // no id is answered that comes without a method
	}
	if e.ID == nil {
		if unquote(e.Method) == "exec/ack" {
			w.acknowledged(e.Params)
		}
		return
	}
	if e.Method == nil {
		w.answered(e.ID)
		return
	}
	if r, ok := w.requests[string(e.ID)]; ok && r.open && !r.loose {
		w.owed++
		return
	}
	r := &request{method: unquote(e.Method), params: e.Params, open: true, loose: loose}
	w.requests[string(e.ID)] = r
	r.unbridge()
	switch r.method {
	case "exec":
		r.tokens = append(w.openLanes(e.Params), w.openLanes(r.params)...)
	case "initialize":
		w.announced(e.Params)
	}
}

// received checks a message of the sidecar.
func (w *watch) received(m *Message) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.count++
	w.published(m)
	switch {
	case m.Method == "$/progress":
		w.progress(m)
	case m.Method == "$/cancelRequest":
		w.withdrawn(m)
	case m.Method != "" && m.ID != nil:
		w.asked(m)
	case m.Method == "":
		w.response(m)
	}
}

// published hands m to the check, if there is one and m's method is known.
func (w *watch) published(m *Message) {
	method, asked := m.Method, jsontext.Value(nil)
	if r := w.requests[string(m.ID)]; method == "" && r != nil && r.open {
		method, asked = r.method, r.params
	}
	if w.check == nil || method == "" {
		return
	}
	if err := w.check(method, asked, m); err != nil {
		w.breach("schema of %s: %v: %s", method, err, short(m.Raw))
	}
}

func (w *watch) response(m *Message) {
	if m.Error != nil {
		w.errorData(m)
	}
	if string(m.ID) == "null" {
		if w.owed--; w.owed < 0 {
			w.breach("O1: a response with id null answers nothing: %s", short(m.Raw))
		}
		return
	}
	r, ok := w.requests[string(m.ID)]
	switch {
	case !ok:
		w.breach("O1: response to the unknown id %s: %s", m.ID, short(m.Raw))
		return
	case !r.open:
		w.breach("O1: a second response to %s %s: %s", r.method, m.ID, short(m.Raw))
		return
	}
	r.open = false
	if err := checkMembers(r.method, m); err != nil {
		w.breach("schema: result of %s: %v", r.method, err)
	}
	switch {
	case r.method == "initialize" && m.Error == nil:
		w.limits(m)
	case r.method == "shutdown" && m.Error == nil:
		w.shutdown = true
		w.drained()
	case r.method == "exec":
		w.closeLanes(r, m)
	}
}

// errorData checks what every error of the sidecar carries.
func (w *watch) errorData(m *Message) {
	var d struct {
		Kind      string `json:"kind"`
		Started   *bool  `json:"started"`
		Retryable *bool  `json:"retryable"`
	}
	if err := json.Unmarshal(m.Error.Data, &d); err != nil {
		w.breach("O7: error data: %v: %s", err, short(m.Raw))
		return
	}
	if d.Kind == "" || d.Started == nil || *d.Started || d.Retryable == nil {
		w.breach(`O7: error data without kind, "started":false and retryable: %s`, short(m.Raw))
	}
}

func (w *watch) limits(m *Message) {
	var r struct {
		Capabilities struct {
			Limits struct {
				MaxMessageBytes int64 `json:"maxMessageBytes"`
			} `json:"limits"`
		} `json:"capabilities"`
	}
	if json.Unmarshal(m.Result, &r) == nil && r.Capabilities.Limits.MaxMessageBytes > 0 {
		w.maxBytes = r.Capabilities.Limits.MaxMessageBytes
	}
}

// drained is called when shutdown was answered: that answer comes last.
func (w *watch) drained() {
	for id, r := range w.requests {
		if r.open && !r.loose && r.method == "exec" {
			w.breach("O1: shutdown was answered before exec %s", id)
		}
	}
}

// finish is called after the sidecar ended. Requests it owed an answer count
// only if it was shut down in an orderly way.
func (w *watch) finish() {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.shutdown {
		w.unsettled()
	}
	for id, r := range w.requests {
		if r.open && !r.loose && w.shutdown {
			w.breach("O1: %s %s was never answered", r.method, id)
		}
	}
}

// short is JSON cut to what fits a report.
func short(v []byte) string {
	const most = 400
	if len(v) <= most {
		return string(v)
	}
	return fmt.Sprintf("%s … (%d bytes) … %s", v[:most/2], len(v), v[len(v)-most/4:])
}
