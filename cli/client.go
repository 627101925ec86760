package cli

import (
	"context"
	"errors"
	"log/slog"
	"os"

	"github.com/pillion-sidecar/pillion/config"
	"github.com/pillion-sidecar/pillion/rpc"
	"github.com/pillion-sidecar/pillion/rpc/client"
	"github.com/pillion-sidecar/pillion/rpc/jsonrpc"
	"github.com/pillion-sidecar/pillion/rpc/protocol"
	"github.com/pillion-sidecar/pillion/sandbox"
)

// dial starts a server in this process. mode is the only one that will be asked for, ""
// where that is not known.
func dial(ctx context.Context, conf config.Config, version string, mode sandbox.Mode, o client.Options) (*client.Client, error) {
	boxes, err := sandbox.Open(sandbox.Options{StateDir: conf.StateDir, Own: conf.Own(), Mode: mode, Recall: mode != ""})
	if err != nil {
		return nil, err
	}
	return client.InProcess(ctx, rpc.Options{
		Config: conf, Sandbox: boxes, Own: own(), Version: version,
		Log: slog.New(slog.NewTextHandler(os.Stderr, &slog.HandlerOptions{Level: slog.LevelError})),
	}, o), nil
}

// own is the program itself, which no workspace may hold: a command that could
// replace it would be started by the editor, outside the sandbox, next time.
func own() []string {
	exe, err := os.Executable()
	if err != nil {
		return nil
	}
	return []string{exe}
}

// greeting opens a session of ours on folders.
func greeting(version string, folders ...string) protocol.InitializeParams {
	return protocol.InitializeParams{
		ClientInfo:       &protocol.ClientInfo{Name: "pillion", Version: version},
		WorkspaceFolders: client.Folders(folders...),
	}
}

// wireFault is the server's answer in err, if there is one.
func wireFault(err error) (*jsonrpc.Error, bool) {
	var wire *jsonrpc.Error
	return wire, errors.As(err, &wire)
}
