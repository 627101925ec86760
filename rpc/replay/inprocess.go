package replay

import (
	"context"
	"io"
	"log/slog"
	"os"
	"path/filepath"

	"github.com/pillion-sidecar/pillion/config"
	"github.com/pillion-sidecar/pillion/rpc"
	"github.com/pillion-sidecar/pillion/rpc/jsonrpc"
)

// InProcess starts a sidecar inside this process. The program must call
// sandbox.Child first thing, because the sandbox starts it again.
func InProcess(d Dirs, framing jsonrpc.Framing) (*Peer, error) {
	conf, err := config.Builtin()
	if err != nil {
		return nil, err
	}
	conf.Home = d.Home
	conf.SpoolDir = filepath.Join(d.Cache, "pillion", "spool")
	conf.PolicyFile = d.policyFile()
	conf.StateDir = filepath.Join(d.State, "pillion")
	if err := os.MkdirAll(conf.SpoolDir, 0o700); err != nil {
		return nil, err
	}
	if conf, err = conf.LoadUser(); err != nil {
		return nil, err
	}
	return pipePeer(func(ctx context.Context, in io.Reader, out io.Writer, log io.Writer) int {
		handler := slog.NewTextHandler(log, &slog.HandlerOptions{Level: slog.LevelDebug})
		return rpc.Serve(ctx, rpc.Options{In: in, Out: out, Framing: framing, Config: conf, Log: slog.New(handler), Version: "replay"})
	})
}
