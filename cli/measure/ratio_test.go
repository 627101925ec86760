package measure

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// program writes a shell script in pillion's place.
func program(t *testing.T, script string) Options {
	t.Helper()
	dir := t.TempDir()
	path := filepath.Join(dir, "sidecar")
	if err := os.WriteFile(path, []byte("#!/bin/sh\n"+script+"\n"), 0o700); err != nil {
		t.Fatal(err)
	}
	return Options{Program: path, Dir: dir, Budget: time.Millisecond}
}

func frame(body string) string {
	return "printf 'Content-Length: %d\\r\\n\\r\\n%s' " + length(body) + " '" + body + "'; "
}

func length(s string) string { return "$(printf %s '" + s + "' | wc -c)" }

// A sidecar that does not do its work gives no figure.
func TestWhatCanNotBeMeasuredIsAnError(t *testing.T) {
	ready := frame(`{"jsonrpc":"2.0","id":1,"result":{"capabilities":{"sandbox":{"rung":"full"}}}}`)
	for name, tc := range map[string]struct{ script, want string }{
		"it ends":         {"exit 3", "initialize: the sidecar has ended without an answer"},
		"it refuses":      {ready + frame(`{"jsonrpc":"2.0","id":2,"error":{"code":-31004,"message":"no sandbox here"}}`) + "exec cat >/dev/null", "exec: no sandbox here"},
		"a command fails": {ready + frame(`{"jsonrpc":"2.0","id":2,"result":{"exitCode":1}}`) + "exec cat >/dev/null", `"exitCode":1`},
	} {
		t.Run(name, func(t *testing.T) {
			o := program(t, tc.script)
			ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
			defer cancel()
			if _, err := Measure(ctx, o); err == nil || !strings.Contains(err.Error(), tc.want) {
				t.Errorf("%v, want %s", err, tc.want)
			}
		})
	}
}

func TestMeasuringCanBeInterrupted(t *testing.T) {
	o := program(t, frame(`{"jsonrpc":"2.0","id":1,"result":{}}`)+"exec sleep 60")
	enough := errors.New("enough")
	ctx, cancel := context.WithCancelCause(t.Context())
	time.AfterFunc(300*time.Millisecond, func() { cancel(enough) })
	began := time.Now()
	if _, err := Measure(ctx, o); !errors.Is(err, enough) || time.Since(began) > 20*time.Second {
		t.Errorf("%v after %s", err, time.Since(began))
	}
}
