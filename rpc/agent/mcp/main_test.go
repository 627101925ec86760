package mcp

//lint:file-ignore SA1019 hosts tell their folders by roots, in every version that is served

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/pillion-sidecar/pillion/config"
	"github.com/pillion-sidecar/pillion/rpc/agent"
	"github.com/pillion-sidecar/pillion/sandbox"
	"github.com/pillion-sidecar/pillion/test/needs"
)

func TestMain(m *testing.M) {
	if code, ok := sandbox.Child(); ok {
		os.Exit(code)
	}
	code := m.Run()
	if err := needs.Leaks(); err != nil && code == 0 {
		fmt.Fprintln(os.Stderr, err)
		code = 1
	}
	os.Exit(code)
}

// host is a client of the official SDK on a server in this process.
type host struct {
	*mcp.ClientSession
	folder string
	code   <-chan int
}

// serve starts a server with directories of its own, and returns a host's ends of its pipes.
func serve(t *testing.T) (h host, in *io.PipeWriter, out *io.PipeReader) {
	t.Helper()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	h = host{folder: filepath.Join(dir, "ws")}
	spool := filepath.Join(dir, "cache", "spool")
	for _, d := range []string{h.folder, spool} {
		if err := os.MkdirAll(d, 0o700); err != nil {
			t.Fatal(err)
		}
	}
	conf, err := config.Builtin()
	if err != nil {
		t.Fatal(err)
	}
	conf.Home, conf.SpoolDir, conf.StateDir, conf.PolicyFile = dir, spool, filepath.Join(dir, "state"), filepath.Join(dir, "policy.toml")
	inR, inW := io.Pipe()
	outR, outW := io.Pipe()
	code := make(chan int, 1)
	h.code = code
	go func() {
		code <- Serve(context.Background(), agent.Host{In: inR, Out: outW, Config: conf, Version: "test", Dir: h.folder, Log: slog.New(slog.DiscardHandler)})
	}()
	return h, inW, outR
}

// ended wants the server to end as it does when its host has left.
func (h host) ended(t *testing.T) {
	t.Helper()
	select {
	case got := <-h.code:
		if got != 0 {
			t.Errorf("exit code %d", got)
		}
	case <-time.After(time.Minute):
		t.Error("the server did not end with its input")
	}
}

// connect is a host that is served.
func connect(t *testing.T, o mcp.ClientOptions, roots bool) host {
	t.Helper()
	h, in, out := serve(t)
	client := mcp.NewClient(&mcp.Implementation{Name: "go-test", Version: "1"}, &o)
	if roots {
		client.AddRoots(&mcp.Root{URI: "file://" + h.folder})
	}
	var err error
	h.ClientSession, err = client.Connect(t.Context(), &mcp.IOTransport{Reader: out, Writer: in}, nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = h.Close()
		_ = in.Close()
		h.ended(t)
	})
	return h
}
