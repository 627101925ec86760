package replay

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/pillion-sidecar/pillion/rpc/jsonrpc"
)

// verb is something the harness does; do may be called with min to max words.
type verb struct {
	name     string
	min, max int // max -1 is any number
	usage    string
	do       func(ctx context.Context, r *run, args []string) error
}

// verbs are made when they are asked for: every start of the program would pay for a
// table.
func verbs() []verb {
	return []verb{
		{"sleep", 1, 1, "a duration", sleep},
		{"eof", 0, 0, "nothing", eof},
		{"exit", 1, 1, "the expected exit code", exit},
		{"kill-client", 0, 0, "nothing", killClient},
		{"noproc", 1, 2, "a pid and perhaps a duration", noProc},
		{"pause-reading", 0, 0, "nothing", func(_ context.Context, r *run, _ []string) error { r.client.Pause(); return nil }},
		{"resume", 0, 0, "nothing", func(_ context.Context, r *run, _ []string) error { r.client.Resume(); return nil }},
		{"raw", 1, -1, "quoted bytes", raw},
		{"frame", 1, -1, "quoted bytes", rawFrame},
		{"fs", 2, 3, `PATH appears, exists, absent or content "text"`, fsCheck},
		{"stderr", 1, 1, "a quoted text", stderr},
		{"within", 2, 3, "a duration and one or two ids", within},
		{"goldens", 0, 0, "nothing", goldens},
	}
}

func verbOf(name string) (verb, bool) {
	for _, v := range verbs() {
		if v.name == name {
			return v, true
		}
	}
	return verb{}, false
}

func sleep(ctx context.Context, _ *run, args []string) error {
	d, err := time.ParseDuration(args[0])
	if err != nil {
		return err
	}
	select {
	case <-time.After(d):
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

func eof(_ context.Context, r *run, _ []string) error { return r.client.peer.In.Close() }

// exit waits for the sidecar's end and looks at what it left.
func exit(ctx context.Context, r *run, args []string) error {
	want, err := strconv.Atoi(args[0])
	if err != nil {
		return err
	}
	code, err := r.client.peer.Wait(ctx)
	if err != nil {
		return fmt.Errorf("it still runs: %w", err)
	}
	r.ended = true
	if code != want {
		return fmt.Errorf("exit code %d", code)
	}
	return r.inspect(ctx)
}

// killClient is the editor's death: the process that stands for it if there is one (its
// pipes stay open, as if a child had inherited them), else both pipes.
func killClient(_ context.Context, r *run, _ []string) error {
	if r.orphan != nil {
		r.orphan()
		r.orphan = nil
		return nil
	}
	r.client.vanish()
	return nil
}

func noProc(ctx context.Context, r *run, args []string) error {
	pid, err := strconv.Atoi(r.vars.text(args[0]))
	if err != nil {
		return err
	}
	within := killGrace
	if len(args) > 1 {
		if within, err = time.ParseDuration(args[1]); err != nil {
			return err
		}
	}
	ctx, cancel := context.WithTimeoutCause(ctx, within, fmt.Errorf("process %d is alive", pid))
	defer cancel()
	return poll(ctx, func() bool { return !alive(pid) })
}

// poll waits until ok, looking every few milliseconds.
func poll(ctx context.Context, ok func() bool) error {
	for !ok() {
		select {
		case <-time.After(5 * time.Millisecond):
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
	return nil
}

func (r *run) bytes(args []string) ([]byte, error) {
	var out []byte
	for _, a := range args {
		if !isQuoted(a) {
			return nil, fmt.Errorf("%s: bytes are written in quotes", a)
		}
		b, err := unquoteBytes(a)
		if err != nil {
			return nil, err
		}
		out = append(out, b...)
	}
	return []byte(r.vars.text(string(out))), nil
}

func raw(_ context.Context, r *run, args []string) error {
	b, err := r.bytes(args)
	if err != nil {
		return err
	}
	for _, body := range bodies(b, r.client.peer.Framing) {
		r.client.watch.sentRaw(body)
	}
	r.client.trace(true, b)
	return r.client.Write(b)
}

// bodies are what in raw bytes may need an answer.
func bodies(b []byte, framing jsonrpc.Framing) [][]byte {
	if framing == jsonrpc.FramingLines {
		lines := bytes.Split(b, []byte("\n"))
		return slices.DeleteFunc(lines, func(line []byte) bool { return len(bytes.TrimSpace(line)) == 0 })
	}
	_, body, _ := bytes.Cut(b, []byte("\r\n\r\n"))
	return [][]byte{body}
}

func rawFrame(_ context.Context, r *run, args []string) error {
	b, err := r.bytes(args)
	if err != nil {
		return err
	}
	r.client.watch.sentRaw(b)
	r.client.trace(true, b)
	return r.client.Write(r.client.peer.framed(b))
}

func fsCheck(ctx context.Context, r *run, args []string) error {
	file := r.vars.text(args[0])
	if !filepath.IsAbs(file) {
		file = filepath.Join(r.d.Workspace, file)
	}
	if args[1] == "appears" {
		return poll(ctx, func() bool { _, err := os.Lstat(file); return err == nil })
	}
	data, err := os.ReadFile(file)
	_, statErr := os.Lstat(file)
	switch {
	case args[1] == "exists":
		return statErr
	case args[1] == "absent" && errors.Is(statErr, os.ErrNotExist):
		return nil
	case args[1] == "absent":
		return fmt.Errorf("%s exists", file)
	case args[1] != "content" || len(args) < 3:
		return fmt.Errorf("fs knows appears, exists, absent and content, not %q", args[1])
	case err != nil:
		return err
	}
	want, err := r.bytes(args[2:])
	if err == nil && string(want) != string(data) {
		return fmt.Errorf("%s holds %q", file, data)
	}
	return err
}

func stderr(ctx context.Context, r *run, args []string) error {
	want, err := r.bytes(args)
	if err != nil {
		return err
	}
	return poll(ctx, func() bool { return strings.Contains(r.client.peer.Stderr(), string(want)) })
}

// within bounds the time between two moments of the conversation.
func within(ctx context.Context, r *run, args []string) error {
	d, err := time.ParseDuration(args[0])
	if err != nil {
		return err
	}
	var at []time.Time
	for _, arg := range args[1:] {
		f := frame{id: strings.TrimPrefix(arg, "#")}
		id, err := f.idJSON(r.vars)
		if err != nil {
			return err
		}
		m, err := r.client.response(ctx, id, r.sent[id].frames)
		if err != nil {
			return err
		}
		if len(args) == 2 {
			at = append(at, r.sent[id].at)
		}
		at = append(at, m.At)
	}
	if took := at[1].Sub(at[0]); took > d {
		return fmt.Errorf("it took %s", took)
	}
	return nil
}
