package client_test

import (
	"bytes"
	"context"
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/pillion-sidecar/pillion/config"
	"github.com/pillion-sidecar/pillion/guard"
	"github.com/pillion-sidecar/pillion/rpc"
	"github.com/pillion-sidecar/pillion/rpc/client"
	"github.com/pillion-sidecar/pillion/rpc/jsonrpc"
	"github.com/pillion-sidecar/pillion/rpc/protocol"
	"github.com/pillion-sidecar/pillion/sandbox"
	"github.com/pillion-sidecar/pillion/test/needs"
)

func TestMain(m *testing.M) {
	if code, ok := sandbox.Child(); ok {
		os.Exit(code)
	}
	if os.Getenv("CLIENT_TEST_SERVE") != "" {
		os.Exit(rpc.Serve(context.Background(), options(os.Getenv("CLIENT_TEST_SERVE"), os.Stdin, os.Stdout)))
	}
	os.Exit(needs.M{M: m}.Run())
}

func options(dir string, in io.Reader, out io.Writer) rpc.Options {
	return rpc.Options{In: in, Out: out, Version: "test", Config: config.Config{
		Guard:   guard.DefaultPolicy(),
		Sandbox: sandbox.Policy{Mode: sandbox.WorkspaceWrite, Network: sandbox.NetworkDeny, Reads: sandbox.ReadsPrivate, Require: sandbox.RequireBestEffort},
		Limits:  config.DefaultLimits(), Home: dir, SpoolDir: dir, StateDir: filepath.Join(dir, "state"), ShutdownGrace: time.Second, ApprovalTimeout: time.Minute,
	}}
}

// opened is a session on a workspace, in this process or not.
func opened(t *testing.T, spawn bool, o client.Options) *client.Client {
	t.Helper()
	dir, ws := t.TempDir(), t.TempDir()
	var c *client.Client
	if spawn {
		cmd := exec.Command(os.Args[0])
		cmd.Env = append(os.Environ(), "CLIENT_TEST_SERVE="+dir)
		var err error
		if c, err = client.Spawn(cmd, o); err != nil {
			t.Fatal(err)
		}
	} else {
		c = client.InProcess(t.Context(), options(dir, nil, nil), o)
	}
	p := protocol.InitializeParams{WorkspaceFolders: client.Folders(ws)}
	p.Capabilities.Exec.Approval = o.Approve != nil
	if r, err := c.Initialize(t.Context(), p, config.InitOptions{}); err != nil || r.ServerInfo.Name != "pillion" {
		t.Fatal(err, r.ServerInfo)
	}
	return c
}

func TestASession(t *testing.T) {
	for name, spawn := range map[string]bool{"in this process": false, "spawned": true} {
		t.Run(name, func(t *testing.T) {
			var got bytes.Buffer
			c := opened(t, spawn, client.Options{Event: func(e client.Event) {
				if e.Type == "output" && e.Token == "t" {
					got.Write(e.Bytes())
				}
			}})
			r, err := c.Exec(t.Context(), protocol.ExecParams{Command: "echo hi; exit 3", PartialResultToken: protocol.Token("t")})
			if err != nil || r.ExitCode == nil || *r.ExitCode != 3 || got.String() != "hi\n" {
				t.Errorf("%v, %+v, %q", err, r, got.String())
			}
			var wire *jsonrpc.Error
			if _, err = c.Exec(t.Context(), protocol.ExecParams{Command: "rm -rf /"}); !errors.As(err, &wire) || wire.Code != protocol.CodeGuardDenied || len(wire.Data) == 0 {
				t.Errorf("%v", err)
			}
			v, err := c.Check(t.Context(), protocol.ExecParams{Command: "ls"}, protocol.ExecParams{Command: "rm -rf /"})
			if err != nil || v[0].Decision != "allow" || v[1].Decision != "deny" {
				t.Errorf("%v, %+v", err, v)
			}
			if err := c.Close(t.Context()); err != nil {
				t.Error(err)
			}
			if err := c.Call(t.Context(), "server/status", nil, nil); !errors.Is(err, client.ErrEnded) {
				t.Errorf("after the end: %v", err)
			}
		})
	}
}

func TestAQuestionIsAnsweredAndTakenBack(t *testing.T) {
	asked := make(chan string, 1)
	c := opened(t, false, client.Options{Approve: func(ctx context.Context, p protocol.ApprovalParams) protocol.ApprovalResult {
		asked <- p.Subject.Command
		if strings.Contains(p.Subject.Command, "wait") {
			<-ctx.Done()
		}
		return protocol.ApprovalResult{Decision: "accept"}
	}})
	const pushes = "git push --force origin main"
	r, err := c.Exec(t.Context(), protocol.ExecParams{Command: pushes})
	if err != nil || r.Approval == nil || r.Approval.Decision != "accept" || <-asked != pushes {
		t.Errorf("%v, %+v", err, r.Approval)
	}
	id, wait := c.Begin("exec", protocol.ExecParams{Command: pushes + " # wait"})
	<-asked
	if err := c.Notify("$/cancelRequest", map[string]int64{"id": id}); err != nil {
		t.Error(err)
	}
	var wire *jsonrpc.Error
	if err := wait(t.Context(), nil); !errors.As(err, &wire) || wire.Code != protocol.CodeCancelled {
		t.Errorf("%v", err)
	}
	if err := c.Close(t.Context()); err != nil { // it would wait for the question
		t.Error(err)
	}
}

// Whatever happens to the reader, giving up ends the session and its commands.
func TestGivingUpWaitsForNobody(t *testing.T) {
	begun, stuck := make(chan struct{}), make(chan struct{})
	var once sync.Once
	c := opened(t, false, client.Options{Event: func(client.Event) { once.Do(func() { close(begun) }); <-stuck }})
	_, wait := c.Begin("exec", protocol.ExecParams{Command: "yes", PartialResultToken: protocol.Token("t")})
	<-begun
	ctx, giveUp := context.WithCancel(t.Context())
	giveUp()
	if err := wait(ctx, nil); !errors.Is(err, context.Canceled) {
		t.Errorf("%v", err)
	}
	if err := c.Close(ctx); err != nil {
		t.Error(err)
	}
	close(stuck)
	<-c.Done()
}

// What is for nobody is handed on, and ends nothing.
func TestStrays(t *testing.T) {
	in, server := io.Pipe()
	requests, out := io.Pipe()
	var strays []string
	c := client.New(in, out, client.Options{Stray: func(m []byte) { strays = append(strays, string(m)) }})
	serves := jsonrpc.NewWire(requests, server)
	done := make(chan error, 1)
	go func() { done <- c.Call(t.Context(), "x", map[string]int{"a": 1}, nil) }()
	if m, err := serves.Read(); err != nil || string(m) != `{"jsonrpc":"2.0","id":1,"method":"x","params":{"a":1}}` {
		t.Errorf("%s, %v", m, err)
	}
	sent := []string{
		`{"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"x"}}`, `{"jsonrpc":"2.0","id":7,"result":1}`,
		`{"jsonrpc":"2.0","method":"window/logMessage","params":{}}`, `{"jsonrpc":"2.0","method":"$/progress","params":{}}`, `not JSON`,
	}
	for _, m := range append(sent, `{"jsonrpc":"2.0","id":1,"result":null}`) {
		if err := serves.Send([]byte(m)); err != nil {
			t.Fatal(err)
		}
	}
	if err := <-done; err != nil || strings.Join(strays, "\n") != strings.Join(sent, "\n") {
		t.Errorf("%v, %q", err, strays)
	}
	go func() {
		_ = serves.Send([]byte(`{"jsonrpc":"2.0","id":"q","method":"exec/requestApproval","params":{}}`))
	}()
	if m, err := serves.Read(); err != nil || !strings.Contains(string(m), "-32601") {
		t.Errorf("a question to a client that answers none: %s, %v", m, err)
	}
	_ = server.Close()
	<-c.Done()
}
