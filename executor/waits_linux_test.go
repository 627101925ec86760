package executor

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/pillion-sidecar/pillion/executor/prompt"
	"github.com/pillion-sidecar/pillion/test/long"
	"github.com/pillion-sidecar/pillion/test/needs"
)

// waiter is a command that may wait for input.
type waiter struct {
	*rig
	run  *Run
	asks chan Waiting
	over chan *Result
	sink *record
	last atomic.Int64 // when it was heard of, in nanoseconds
}

func (r *rig) waiter(req Request) *waiter {
	r.t.Helper()
	req.TellWaiting = true
	run, err := r.admit(req)
	if err != nil {
		r.t.Fatal(err)
	}
	w := &waiter{rig: r, run: run, asks: make(chan Waiting, 64), over: make(chan *Result, 1)}
	sink := &record{t: r.t, out: map[Stream]*strings.Builder{}, waiting: w.asks}
	w.sink = sink
	sink.onOut = func() { w.last.Store(time.Now().UnixNano()) }
	go func() {
		res, err := run.Do(sink)
		if err != nil {
			r.t.Errorf("%q: %v", req.Command, err)
		}
		w.over <- res
	}()
	return w
}

func (w *waiter) asked() Waiting {
	w.t.Helper()
	select {
	case a := <-w.asks:
		return a
	case res := <-w.over:
		w.t.Fatalf("%q ended and did not wait: %s %d %s%s", w.run.req.Command, res.Reason, *res.ExitCode, res.Output[Pty].Inline, w.sink.text(Pty))
	case <-time.After(time.Minute):
		w.t.Fatalf("%q: nobody was told that it waits", w.run.req.Command)
	}
	return Waiting{}
}

func (w *waiter) types(text string, closes bool) {
	w.t.Helper()
	write := &Write{Data: []byte(text), Offset: -1, Close: closes}
	if err := w.e.Write(w.run.ID(), write); err != nil {
		w.t.Fatal(err)
	}
	if _, err := write.Wait(context.Background()); err != nil {
		w.t.Fatal(err)
	}
}

func (w *waiter) ends() *Result {
	w.t.Helper()
	select {
	case res := <-w.over:
		return res
	case <-time.After(time.Minute):
		w.t.Fatalf("%q does not end", w.run.req.Command)
	}
	return nil
}

// onPipe and onScreen are the two ways in which input may come.
func onPipe(command string) Request { return Request{Command: command, StdinOpen: true} }

func onScreen(command string) Request {
	return Request{Command: command, Terminal: &Terminal{Rows: 24, Cols: 80}}
}

// thatWait are commands that wait once, and go on with the answer.
var thatWait = []struct {
	name, program string
	req           Request
	kind          prompt.Kind
	prompt        string
	process       string
	answer        string
}{
	{"a line of a terminal", "bash", onScreen("read -rp 'Your name? ' x; echo got $x"), prompt.Line, "Your name? ", "bash", "me\n"},
	{"a password", "bash", onScreen("read -rsp 'Password: ' x; echo got $x"), prompt.Hidden, "Password: ", "bash", "me\n"},
	{"a key", "bash", onScreen("read -rn1 -p 'Go on? [y/N] ' x; echo got $x"), prompt.Key, "Go on? [y/N] ", "bash", "y\n"},
	{"a line of a pipe", "bash", onPipe("printf 'Name? '; read -r x; echo got $x"), prompt.Line, "Name? ", "bash", "me\n"},
	{"a part of a pipeline", "bash", onPipe("cat | tail -n 1"), prompt.Line, "", "cat", "got me\n"},
	{"behind a pipe's end", "bash", onScreen("(printf 'Name? '; read -r x; echo got $x) | tail -n 1"), prompt.Line, "", "bash", "me\n"},
	{"a line of the terminal itself", "bash", onScreen("exec < /dev/tty; read -rp 'Sure? ' x; echo got $x"), prompt.Line, "Sure? ", "bash", "y\n"},
	{"with a bound", "bash", onScreen("read -t 50 -rp 'Soon? ' x; echo got $x"), prompt.Line, "Soon? ", "bash", "y\n"},
	{"python's input", "python3", onScreen(`python3 -c 'print("got", input("Name? "))'`), prompt.Line, "Name? ", "python3", "me\n"},
	{"python's input of a pipe", "python3", onPipe(`python3 -c 'print("got", input("Name? "))'`), prompt.Line, "Name? ", "python3", "me\n"},
	{"getpass", "python3", onScreen(`python3 -c 'import getpass; getpass.getpass("Secret: "); print("got it")'`), prompt.Hidden, "Secret: ", "python3", "me\n"},
	{"a poll", "python3", onPipe(`python3 -c 'import select, sys; p = select.poll(); p.register(0, 1); p.poll(); print("got", input())'`), prompt.Line, "", "python3", "me\n"},
	{"a select", "python3", onPipe(`python3 -c 'import select; select.select([0], [], []); print("got", input())'`), prompt.Line, "", "python3", "me\n"},
	{"an epoll", "python3", onPipe(`python3 -c 'import select; e = select.epoll(); e.register(0, 1); e.poll(); print("got", input())'`), prompt.Line, "", "python3", "me\n"},
	{"beside threads that rest", "python3", onScreen(`python3 -c 'import threading
lock = threading.Lock(); lock.acquire()
for how in ({}, {"timeout": 100}):
	threading.Thread(target=lock.acquire, kwargs=how, daemon=True).start()
print("got", input("Name? "))'`), prompt.Line, "Name? ", "python3", "me\n"},
	{"yes or no", "bash", onScreen("printf 'Do you want to continue? [Y/n] '; read -r x; echo got $x"), prompt.Line, "Do you want to continue? [Y/n] ", "bash", "y\n"},
	{"beside what runs in the background", "bash", onScreen("sleep 98932 & read -rp 'Name? ' x; echo got $x; kill %1"), prompt.Line, "Name? ", "bash", "me\n"},
	{"on the terminal, past a log", "bash", onScreen("f() { printf 'Password: ' > /dev/tty; read -rs x < /dev/tty; printf got > /dev/tty; }; f < /dev/null > log 2>&1"), prompt.Hidden, "Password: ", "bash", "me\n"},
	{"node", "node", onPipe(`node -e 'const r = require("readline").createInterface(process.stdin, process.stdout); r.question("Name? ", a => { console.log("got", a); r.close() })'`), prompt.Line, "Name? ", "node", "me\n"},
	{"node on a terminal", "node", onScreen(`node -e 'const r = require("readline").createInterface(process.stdin, process.stdout); r.question("Name? ", a => { console.log("got", a); r.close() })'`), prompt.Key, "Name? ", "node", "me\r"},
	{"a password of a pipe", "bash", onPipe("printf '[sudo] password for ann: ' >&2; read -rs x; echo got $x"), prompt.Line, "[sudo] password for ann: ", "bash", "me\n"},
}

func TestACommandThatWaitsForInputSaysSo(t *testing.T) {
	long.Test(t)
	for _, tt := range thatWait {
		t.Run(tt.name, func(t *testing.T) {
			if tt.program != "bash" {
				needs.Program(t, tt.program)
			}
			r := newRig(t, nil)
			tt.req.Shell = "bash"
			w := r.waiter(tt.req)
			a := w.asked()
			if a.Kind != tt.kind || a.Prompt != tt.prompt || a.Process != tt.process || a.ID != w.run.ID() || a.PID == 0 {
				t.Errorf("%+v", a)
			}
			w.types(tt.answer, tt.req.Terminal == nil)
			res := w.ends()
			if out := string(res.Output[Pty].Inline) + string(res.Output[Stdout].Inline); !strings.Contains(out, "got") || *res.ExitCode != 0 {
				t.Errorf("%q", out)
			}
			if len(w.asks) > 0 {
				t.Errorf("told again: %+v", <-w.asks)
			}
		})
	}
}

// A new question is reported; an old one is not reported again, also while the user types.
func TestEachQuestionIsToldOnce(t *testing.T) {
	long.Test(t)
	w := newRig(t, nil).waiter(Request{Command: "for i in 1 2 3; do read -rp \"$i? \" x; done; read -rt 60 x; sleep 0.5", Terminal: &Terminal{Rows: 24, Cols: 80}, Shell: "bash"})
	for i := range 3 {
		if a := w.asked(); a.Prompt != fmt.Sprintf("%d? ", i+1) {
			t.Errorf("%+v", a)
		}
		w.types("a", false)
		time.Sleep(300 * time.Millisecond) // as somebody does who thinks
		w.types("b\n", false)
	}
	w.asked()
	w.types("c\n", false)
	w.ends()
	if len(w.asks) > 0 {
		t.Errorf("told again: %+v", <-w.asks)
	}
}

func TestAPromptOfAnInterpreterIsTold(t *testing.T) {
	needs.Program(t, "python3")
	w := newRig(t, nil).waiter(onScreen("python3 -i -q"))
	if a := w.asked(); a.Prompt != ">>> " || a.Process != "python3" {
		t.Errorf("%+v", a)
	}
	w.types("1 + 1\n", false)
	if a := w.asked(); a.Prompt != ">>> " {
		t.Errorf("%+v", a)
	}
	w.types("exit()\n", false)
	w.ends()
}

// noEditor is git with nothing set: Debian's begins what it calls "editor".
var noEditor = onScreen("set -e; cd $(mktemp -d); git init -q; git config user.name a; git config user.email a; git commit -qm x --allow-empty; git commit -qm x --allow-empty; unset EDITOR VISUAL; git rebase -i HEAD~1 && echo got")

func TestAnEditorThatNobodyNamedIsTold(t *testing.T) {
	needs.Program(t, "vim")
	w := newRig(t, nil).waiter(noEditor)
	if a := w.asked(); a.Kind != prompt.Key || a.Process == "" {
		t.Errorf("%+v", a)
	}
	w.types(":wq\r", false)
	if out := string(w.ends().Output[Pty].Inline); !strings.Contains(out, "got") {
		t.Errorf("%q", out)
	}
}

// ssh asks on /dev/tty, wherever its input and output lead.
func TestAPassphraseOfSSHIsAskedForOnTheTerminal(t *testing.T) {
	needs.Program(t, "ssh-keygen")
	w := newRig(t, nil).waiter(onScreen(
		"ssh-keygen -q -t ed25519 -f k -N secret < /dev/null; ssh-keygen -y -f k < /dev/null > log 2>&1; cat log"))
	if a := w.asked(); !strings.HasPrefix(a.Prompt, "Enter passphrase") || a.Kind != prompt.Hidden || a.Process != "ssh-keygen" {
		t.Errorf("%+v", a)
	}
	w.types("secret\n", false)
	if out := string(w.ends().Output[Pty].Inline); !strings.Contains(out, "ssh-ed25519 ") {
		t.Errorf("%q", out)
	}
}

func TestNpmInitIsTold(t *testing.T) {
	long.Test(t)
	needs.Program(t, "npm")
	w := newRig(t, nil).waiter(onScreen("npm init"))
	for _, want := range []string{"package name: ", "version: "} {
		if a := w.asked(); !strings.HasPrefix(a.Prompt, want) || a.Kind != prompt.Key {
			t.Errorf("%+v, want %s", a, want)
		}
		w.types("\r", false)
	}
	w.asked()
	w.types("\x03", false)
	w.ends()
}

// Nothing of these waits for input, though it is open.
var busy = []string{
	"sleep 0.7",
	"sleep 0.4 & wait",
	"sleep 0.7 | cat",
	"(sleep 0.5; echo x) | cat",
	"i=0; while [ $i -lt 20000 ]; do i=$((i+1)); done; sleep 0.3",
	"timeout 0.6 sh -c 'while :; do :; done'; true",
	"timeout 0.6 tail -f /dev/null; true",
	"for i in 1 2 3 4 5; do printf 'Name? '; sleep 0.12; done",
	"f=f$$; mkfifo $f; (sleep 0.5; echo x > $f) & cat $f", // a FIFO of its own
	"x=$(sleep 0.6)",
	"cat < /dev/null; sleep 0.4",
	"exec < /dev/null; sleep 0.5; cat",
	"timeout 0.7 sh -c 'read x < /dev/null; sleep 5'; true",
	"cd $(mktemp -d); git init -q; git -c user.name=a -c user.email=a commit -qm x --allow-empty; unset EDITOR; TERM=dumb git rebase -i --root; sleep 0.3",
}

// allBusy are these, and with them what python does.
func allBusy(t *testing.T) []string {
	all := busy
	if needs.Has(t, "python3") {
		all = append(all[:len(all):len(all)],
			`python3 -c 'import time; time.sleep(0.6)'`,
			`python3 -c 'import subprocess; p = subprocess.Popen(["sleep", "0.6"], stdout=-1); p.communicate()'`,
			`python3 -c 'import socket, select; a, b = socket.socketpair(); select.select([0, a], [], [], 0.6)'`,
			`python3 -c 'import os, select; a, b = os.pipe(); os.fork() or (__import__("time").sleep(0.6), os._exit(0)); os.close(b); select.select([0, a], [], [])'`,
			`python3 -c 'import threading, time; threading.Thread(target=input, daemon=True).start()
end = time.time() + 0.6
while time.time() < end: pass
__import__("os")._exit(0)'`,
			`python3 -c 'import threading, time; threading.Thread(target=input, daemon=True).start()
time.sleep(0.6); __import__("os")._exit(0)'`,
			`python3 -c 'import threading, time; threading.Thread(target=input, daemon=True).start()
for i in range(6): time.sleep(0.1); print(i, end=" ", flush=True) if i % 3 == 0 else None
__import__("os")._exit(0)'`,
			`python3 -c 'import threading, subprocess; threading.Thread(target=input, daemon=True).start()
subprocess.run(["sleep", "0.6"]); __import__("os")._exit(0)'`,
			`python3 -c 'import threading, select; threading.Thread(target=input, daemon=True).start()
select.select([], [], [], 0.6); __import__("os")._exit(0)'`,
			`python3 -c 'import threading, socket; threading.Thread(target=input, daemon=True).start()
a, b = socket.socketpair(); threading.Timer(0.6, lambda: b.send(b"x")).start(); a.recv(1); __import__("os")._exit(0)'`,
		)
	}
	return all
}

func TestACommandThatDoesNotWaitIsNeverSaidTo(t *testing.T) {
	long.Test(t)
	rounds := 1
	if needs.Everything() {
		rounds = 5
	}
	all := allBusy(t)
	r := newRig(t, nil)
	var scope sync.WaitGroup
	slots := make(chan struct{}, 8)
	for range rounds {
		for _, command := range all {
			for _, req := range []Request{onPipe(command), onScreen(command)} {
				slots <- struct{}{}
				scope.Add(1)
				w := r.waiter(req)
				go func() {
					defer scope.Done()
					<-w.over
					<-slots
					if len(w.asks) > 0 {
						t.Errorf("%q: %+v", command, <-w.asks)
					}
				}()
			}
		}
	}
	scope.Wait()
}

func TestACommandThatNobodyAnswersEnds(t *testing.T) {
	r := newRig(t, func(c *Config) { c.Limits.InputWait = 200 * time.Millisecond })
	for _, req := range []Request{onPipe("echo x; cat"), onScreen("echo x; cat")} {
		if res, _ := r.must(req); res.Reason != NoInput || res.TimedOut {
			t.Errorf("%+v", res)
		}
	}
}

func TestACommandThatIsAnsweredGoesOn(t *testing.T) {
	long.Test(t)
	var res *Result
	for _, wait := range []int{2, 20} { // the answer may come too late where the machine stalls
		r := newRig(t, func(c *Config) { c.Limits.InputWait = time.Duration(wait) * time.Second })
		w := r.waiter(onPipe(fmt.Sprintf("read x; sleep %d.5; echo $x", wait)))
		w.asked()
		w.types("me\n", false)
		if res = w.ends(); res.Reason == Exited {
			return
		}
	}
	t.Errorf("%+v", res)
}
