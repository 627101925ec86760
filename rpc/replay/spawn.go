package replay

import (
	"context"
	"errors"
	"os"
	"os/exec"

	"github.com/sourcegraph/conc"

	"github.com/pillion-sidecar/pillion/rpc/jsonrpc"
)

// Spawn starts a program as a sidecar, as an editor does.
func Spawn(path string) Start {
	return func(d Dirs, framing jsonrpc.Framing) (*Peer, error) {
		args := []string{"serve"}
		if framing != "" {
			args = append(args, "--framing="+string(framing))
		}
		cmd := exec.Command(path, args...)
		cmd.Dir = d.Root
		cmd.Env = []string{
			"PATH=" + os.Getenv("PATH"), "HOME=" + d.Home, "TMPDIR=" + d.Tmp, "REPLAY_INHERITED=leaked",
			"XDG_CACHE_HOME=" + d.Cache, "XDG_STATE_HOME=" + d.State, "XDG_CONFIG_HOME=" + d.Config,
			// A program built with -race sleeps for a second at its end by default.
			"GORACE=exitcode=66 atexit_sleep_ms=20",
		}
		return spawn(cmd)
	}
}

func spawn(cmd *exec.Cmd) (*Peer, error) {
	in, err := cmd.StdinPipe()
	if err != nil {
		return nil, err
	}
	// Not StdoutPipe: Wait would close it under the reader.
	out, outW, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	log := &lockedBuffer{}
	cmd.Stdout, cmd.Stderr = outW, log
	err = cmd.Start()
	_ = outW.Close() // the sidecar has its own
	if err != nil {
		_ = out.Close() // the error that counts is Start's
		return nil, err
	}
	done := make(chan struct{})
	var wg conc.WaitGroup
	wg.Go(func() {
		defer close(done)
		_ = cmd.Wait() // the exit code is read below
	})
	wait := func(ctx context.Context) (int, error) {
		select {
		case <-done:
			wg.Wait()
			return cmd.ProcessState.ExitCode(), nil
		case <-ctx.Done():
			return 0, context.Cause(ctx)
		}
	}
	kill := func() {
		if err := cmd.Process.Kill(); err != nil && !errors.Is(err, os.ErrProcessDone) {
			return
		}
		<-done
	}
	return &Peer{In: in, Out: out, PID: cmd.Process.Pid, Stderr: log.String, Wait: wait, Kill: kill}, nil
}

// Parent starts a process that stands for the editor, for Options.
func Parent() (pid int, kill func(), err error) {
	cmd := exec.Command("sleep", "600")
	if err := cmd.Start(); err != nil {
		return 0, nil, err
	}
	return cmd.Process.Pid, func() { _ = cmd.Process.Kill(); _ = cmd.Wait() }, nil
}
