package cli

import (
	"context"
	"strconv"
	"strings"
	"time"

	"github.com/sourcegraph/conc"

	"github.com/pillion-sidecar/pillion/rpc/client"
	"github.com/pillion-sidecar/pillion/rpc/protocol"
)

// forwards lets the ports out that a person has named, when the command listens on them.
type forwards struct {
	want    map[int]int // the host's port by the command's, 0 for any
	session *client.Client
	show    *shower
	calls   conc.WaitGroup
	hinted  bool
}

// forwarding reads PORT and PORT:HOSTPORT.
func forwarding(list []string) (map[int]int, error) {
	want := map[int]int{}
	for _, s := range list {
		inner, outer, two := strings.Cut(s, ":")
		port, err := strconv.ParseUint(inner, 10, 16)
		host := uint64(0)
		if two && err == nil {
			host, err = strconv.ParseUint(outer, 10, 16)
		}
		if err != nil || port == 0 || two && host == 0 {
			return nil, mistake("forward", "PORT or PORT:HOSTPORT, each 1 to 65535", s)
		}
		want[int(port)] = int(host)
	}
	return want, nil
}

// hear gets each port.
func (f *forwards) hear(p protocol.PortParams) {
	if !p.Listening {
		return
	}
	host, wanted := f.want[p.Port]
	switch {
	case wanted: // beside: the answer is read by who has called us
		f.calls.Go(func() { f.forward(p, host) })
	case !f.hinted && p.Port < ephemeral && f.show.hints():
		f.hinted = true
		f.show.note("%s listens on port %d; to open it: pillion exec --forward %[2]d …", p.Process, p.Port)
	}
}

// ephemeral is where the ports begin that the system chooses.
const ephemeral = 32768

func (f *forwards) forward(p protocol.PortParams, host int) {
	var r protocol.ForwardResult
	ask := protocol.ForwardParams{ExecID: p.ExecID, Port: p.Port, HostPort: host}
	if err := f.session.Call(context.Background(), "exec/forward", ask, &r); err != nil {
		f.show.note("port %d is not forwarded: %v", p.Port, err)
		return
	}
	f.show.note("port %d of %s is at http://%s", p.Port, p.Process, r.Address)
}

// hints says that a person is there who may want to know more.
func (s *shower) hints() bool {
	return !s.c.JSON && !s.c.Quiet && !s.c.sh && s.progress != nil // on a terminal
}

// note says something while the command runs.
func (s *shower) note(format string, args ...any) {
	if s.broken.Load() {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.later(len(format), func() {
		s.progress.output(time.Now(), 0)
		_ = s.say(format, args...)
	})
}
