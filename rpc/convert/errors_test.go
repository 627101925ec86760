package convert

import (
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"syscall"
	"testing"

	"github.com/pillion-sidecar/pillion/executor"
	"github.com/pillion-sidecar/pillion/rpc/display"
	"github.com/pillion-sidecar/pillion/rpc/protocol"
	"github.com/pillion-sidecar/pillion/sandbox"
)

// A machine that has run out of something is neither a bug nor a mistake of a request: the
// error says what is missing and that the same may work later. What will not get better by
// itself is not sent again.
func TestFaultErrorsSayWhetherToTryAgain(t *testing.T) {
	for errno, retryable := range map[syscall.Errno]bool{
		syscall.EMFILE: true, syscall.ENFILE: true, syscall.ENOMEM: true, syscall.EAGAIN: true, syscall.ENOSPC: true,
		syscall.ENOENT: false, syscall.EPERM: false, syscall.EACCES: false,
	} {
		for _, err := range []error{
			&sandbox.SetupError{Stage: "keeper", Err: fmt.Errorf("fork/exec /proc/self/exe: %w", errno)},
			&sandbox.SpawnError{Program: "/bin/sh", Errno: errno},
			errors.Join(errors.New("start"), &sandbox.SetupError{Stage: "start", Err: errno}),
		} {
			wire := Error(err, display.Asked{}, "x", slog.New(slog.DiscardHandler))
			var data protocol.ErrorData
			if bad := protocol.Decode(wire.Data, &data); bad != nil {
				t.Fatal(bad)
			}
			if data.Retryable != retryable || data.Kind != "sandboxSetupFailed" && data.Kind != "spawnFailed" || !strings.Contains(string(wire.Data), errnoName(errno)) {
				t.Errorf("%v: %s", err, wire.Data)
			}
		}
	}
}

// TestAnErrorRepeatsLittleOfWhatItIsAbout: an id of megabytes came back three times.
func TestAnErrorRepeatsLittleOfWhatItIsAbout(t *testing.T) {
	id := strings.Repeat("y", 1<<20)
	e := Error(&executor.UnknownError{ID: id}, display.Asked{}, id, slog.New(slog.DiscardHandler))
	if n := len(e.Message) + len(e.Data); n > 64<<10 {
		t.Errorf("%d bytes", n)
	}
}
