//go:build linux

package soak

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/go-json-experiment/json"
)

// result is what a check looks at.
type result struct {
	ExitCode *int   `json:"exitCode"`
	Reason   string `json:"reason"`
	Output   map[string]struct {
		TotalBytes int64 `json:"totalBytes"`
	} `json:"output"`
}

// hand is one user of the session; there are several at once.
type hand struct {
	*editor
	t    *testing.T
	name int
	turn int
	dice *rand.Rand
}

// kind is one kind of work and how often it comes.
type kind struct {
	name   string
	weight int
	do     func(*hand)
}

func (h *hand) execID() string { return fmt.Sprintf("h%d-%d", h.name, h.turn) }

// exec begins a command; members are more of its params.
func (h *hand) exec(members string) (id int64, wait waited) {
	return h.begin("exec", fmt.Sprintf(`{"execId":%q,%s}`, h.execID(), members))
}

// ran takes the result of a command that must have run.
func (h *hand) ran(wait waited) result {
	a := wait()
	var r result
	if a.Error != nil {
		h.t.Errorf("%s: error %d", h.execID(), a.Error.Code)
	} else if err := json.Unmarshal(a.Result, &r); err != nil {
		h.t.Errorf("%s: %v: %.200q", h.execID(), err, a.Result)
	}
	return r
}

// want runs a command to its end.
func (h *hand) want(reason string, code int, members string) result {
	_, wait := h.exec(members)
	r := h.ran(wait)
	if r.Reason != reason || code >= 0 && (r.ExitCode == nil || *r.ExitCode != code) {
		h.t.Errorf("%s %s: %+v", h.execID(), members, r)
	}
	return r
}

// refused is a request that must be an error of one of these codes.
func (h *hand) refused(members string, codes ...int) {
	_, wait := h.exec(members)
	a := wait()
	for _, code := range codes {
		if a.Error != nil && int(a.Error.Code) == code {
			return
		}
	}
	h.t.Errorf("%s %s: %+v", h.execID(), members, a)
}

// streamed runs a command and compares the stream with the result's counts.
func (h *hand) streamed(members, begins string) {
	token := h.execID()
	o := h.stream(token)
	r := h.want("exited", 0, members+fmt.Sprintf(`,"partialResultToken":%q`, token))
	h.forget(token)
	for name, s := range r.Output {
		if o.bytes[name] != s.TotalBytes {
			h.t.Errorf("%s: %d of %d bytes of %s", token, o.bytes[name], s.TotalBytes, name)
		}
	}
	if text := o.text.String(); len(text) < len(begins) || text[:len(begins)] != begins {
		h.t.Errorf("%s: it begins with %.40q", token, text)
	}
}

// stopped ends a command in one of three ways, at any time of its life.
func (h *hand) stopped() {
	id, wait := h.exec(`"command":"sleep 60; true"`)
	time.Sleep(time.Duration(h.dice.IntN(30)) * time.Millisecond)
	switch h.dice.IntN(3) {
	case 0:
		check(h.t, h.Notify("$/cancelRequest", map[string]int64{"id": id}))
	case 1:
		h.call("exec/cancel", fmt.Sprintf(`{"execId":%q}`, h.execID()))
	case 2:
		h.call("exec/cancel", fmt.Sprintf(`{"execId":%q,"force":true}`, h.execID()))
	}
	h.endedBy(wait, "cancelled")
}

// endedBy takes the answer of a command that may be cancelled at any time.
func (h *hand) endedBy(wait waited, reasons ...string) {
	a := wait()
	var r result
	if a.Error != nil {
		if a.Error.Code != -32800 {
			h.t.Errorf("%s: error %d", h.execID(), a.Error.Code)
		}
	} else if json.Unmarshal(a.Result, &r) != nil || !slices.Contains(reasons, r.Reason) {
		h.t.Errorf("%s: %.300q", h.execID(), a.Result)
	}
}

func (h *hand) typed() {
	_, wait := h.exec(`"command":"cat","stdin":{"open":true}`)
	for range 3 {
		h.call("exec/write", fmt.Sprintf(`{"execId":%q,"text":"some words\n"}`, h.execID()))
	}
	h.call("exec/write", fmt.Sprintf(`{"execId":%q,"close":true}`, h.execID()))
	if r := h.ran(wait); r.Output["stdout"].TotalBytes != 33 {
		h.t.Errorf("%s: %+v", h.execID(), r)
	}
}

// frames are what no client should send; each is answered under no id.
var frames = []string{`{"jsonrpc":"2.0","id":1,`, `[]`, `{"jsonrpc":"2.0"}`, `"x"`, `{"jsonrpc":"2.0","id":1.5,"method":"exec"}`, "\xff"}

func (h *hand) mumble() {
	h.garbled.Add(1)
	check(h.t, h.Send([]byte(frames[h.dice.IntN(len(frames))])))
}

// stall is a client that does something else for a while.
func (h *hand) stall() {
	h.gate.Lock()
	time.Sleep(time.Duration(h.dice.IntN(700)) * time.Millisecond)
	h.gate.Unlock()
}

// kinds is the mix. Every row is one that some editor's user does.
var kinds = []kind{
	{"true", 30, func(h *hand) { h.want("exited", 0, `"command":"true"`) }},
	{"argv", 8, func(h *hand) { h.want("exited", 0, `"argv":["echo","a b"]`) }},
	{"fails", 5, func(h *hand) { h.want("exited", 3, `"command":"echo no >&2; exit 3"`) }},
	{"not found", 3, func(h *hand) { h.want("exited", 127, `"command":"no-such-program"`) }},
	{"lines", 10, func(h *hand) { h.streamed(`"command":"seq 3; echo x >&2"`, "1\n2\n3\n") }},
	{"much", 4, func(h *hand) { h.streamed(`"command":"seq 20000"`, "1\n2\n3\n") }},
	{"over the budget", 1, func(h *hand) { h.streamed(`"command":"seq 20000","output":{"streamMaxBytes":5000}`, "1\n2\n3\n") }},
	{"buffered", 3, func(h *hand) { h.want("exited", 0, `"command":"yes | head -c 300000"`) }},
	{"stopped", 8, (*hand).stopped},
	{"timeout", 3, func(h *hand) { h.want("timedOut", -1, `"command":"sleep 60","timeoutMs":20`) }},
	{"typed", 4, (*hand).typed},
	{"terminal", 3, func(h *hand) { h.want("exited", 0, `"command":"test -t 1","pty":{"rows":24,"cols":80}`) }},
	{"background", 2, func(h *hand) {
		h.want("exited", 0, `"command":"sleep 60 > /dev/null 2>&1 & setsid sleep 60 > /dev/null 2>&1 & echo x"`)
	}},
	{"files", 3, func(h *hand) {
		h.want("exited", 0, fmt.Sprintf(`"command":"echo x > f%d; cat f%d; rm f%[1]d"`, h.name, h.name))
	}},
	{"left", 1, (*hand).left},
	{"denied", 4, func(h *hand) { h.refused(`"command":"rm -rf /"`, -31001) }},
	{"wrong params", 3, func(h *hand) { h.refused(`"command":"true","sandBox":{}`, -32602) }},
	{"checked", 3, func(h *hand) { h.call("guard/check", `{"checks":[{"command":"git push -f"}]}`) }},
	{"read back", 3, (*hand).readBack},
	{"in turn", 3, func(h *hand) { h.want("exited", 3, `"commands":["echo 1","exit 3","echo 2"]`) }},
	{"saved", 2, (*hand).saved},
	{"too much", 1, func(h *hand) {
		h.want("outputLimit", -1, `"command":"yes","output":{"spoolMaxBytes":50000,"onSpoolFull":"terminate"}`)
	}},
	{"holds too much", 1, func(h *hand) {
		h.want("timedOut", -1, `"command":"yes","timeoutMs":100,"output":{"spoolMaxBytes":50000,"onSpoolFull":"block"}`)
	}},
	{"garbled", 2, (*hand).mumble},
	{"stall", 1, (*hand).stall},
}

// left leaves a process on purpose, and sometimes ends what was left, and what
// another hand is running there.
func (h *hand) left() {
	name := fmt.Sprintf("left%d", h.dice.IntN(3))
	_, wait := h.exec(fmt.Sprintf(`"command":"sleep 60 > /dev/null 2>&1 &","sandbox":{"name":%q},"onBackground":"leave"`, name))
	h.endedBy(wait, "exited", "cancelled")
	if h.dice.IntN(4) == 0 {
		h.call("sandbox/reset", fmt.Sprintf(`{"name":%q,"force":true}`, name))
	}
}

// saved keeps an output by name, has a command read it, and lets it go.
func (h *hand) saved() {
	name := "kept-" + h.execID()
	h.want("exited", 0, fmt.Sprintf(`"command":"seq 1000","output":{"saveAs":%q}`, name))
	h.turn++
	h.want("exited", 0, fmt.Sprintf(`"command":"test $(wc -l < \"$PILLION_OUTPUTS/%s\") = 1000"`, name))
	if a := h.call("exec/release", fmt.Sprintf(`{"name":%q}`, name)); a.Error != nil {
		h.t.Errorf("%s is not released: %d", name, a.Error.Code)
	}
}

func (h *hand) readBack() {
	h.want("exited", 0, `"command":"seq 1000"`)
	a := h.call("exec/read", fmt.Sprintf(`{"execId":%q,"stream":"stdout","offset":-5}`, h.execID()))
	if a.Error == nil && string(a.Result) == "" {
		h.t.Errorf("%s: no output", h.execID())
	}
	h.call("exec/release", fmt.Sprintf(`{"execId":%q}`, h.execID()))
}

// work does kinds by the dice until the time is over, and counts them.
func (h *hand) work(over func() bool, counts *sync.Map) {
	all := 0
	for _, k := range kinds {
		all += k.weight
	}
	for ; !over() && !h.t.Failed(); h.turn++ {
		n := h.dice.IntN(all)
		for _, k := range kinds {
			if n -= k.weight; n < 0 {
				k.do(h)
				count(counts, k.name)
				break
			}
		}
	}
}
