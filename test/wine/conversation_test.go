//go:build wine

package wine

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// ended is of a result what is looked at here.
type ended struct {
	ExitCode *int   `json:"exitCode"`
	Reason   string `json:"reason"`
	Signal   string `json:"signal"`
	Output   map[string]struct {
		Text string `json:"text"`
		EOF  bool   `json:"eof"`
	} `json:"output"`
	Sandbox struct {
		FSWrite string   `json:"fsWrite"`
		Backend []string `json:"backend"`
	} `json:"sandbox"`
}

// exec runs a command to its end; more are members besides its id and argv.
func (e *editor) exec(id int, argv, more string) ended {
	e.t.Helper()
	e.request(id, "exec", fmt.Sprintf(`{"execId":"e%d","argv":%s%s}`, id, argv, more))
	m := e.answer(id)
	if m.Error != nil {
		e.t.Fatalf("%s: %s %s", argv, m.Error.Message, m.Error.Data)
	}
	return into[ended](e.t, m.Result)
}

func (r ended) code() int {
	if r.ExitCode == nil {
		return -1
	}
	return *r.ExitCode
}

func TestCommandsRunAndSayWhatTheyMust(t *testing.T) {
	e := open(t)
	e.start()
	r := e.exec(2, `["cmd.exe","/d","/c","echo hi& echo err 1>&2& exit 7"]`, "")
	if r.code() != 7 || r.Output["stdout"].Text != "hi\r\n" || !strings.HasPrefix(r.Output["stderr"].Text, "err") || !r.Output["stdout"].EOF {
		t.Errorf("%+v", r)
	}
	if r = e.exec(3, `["cmd.exe","/d","/q"]`, `,"stdin":{"text":"echo typed\r\n"}`); !strings.Contains(r.Output["stdout"].Text, "typed") {
		t.Errorf("%+v", r)
	}
	if r = e.exec(4, `["cmd","/d","/c","echo x> made.txt"]`, ""); r.code() != 0 {
		t.Errorf("%+v", r)
	}
	if b, err := os.ReadFile(filepath.Join(e.ws, "made.txt")); err != nil || string(b) != "x\r\n" {
		t.Errorf("%q %v", b, err)
	}
	r = e.exec(5, `["cmd.exe","/d","/c","echo %PILLION_X% %USERPROFILE% %SystemRoot% %PILLION_EXE%"]`, `,"env":{"Pillion_X":"1"}`)
	if text := r.Output["stdout"].Text; !strings.HasPrefix(text, "1 Z:") || !strings.HasSuffix(text, `\home C:\windows %PILLION_EXE%`+"\r\n") {
		t.Errorf("%q", text)
	}
	if code := e.stop(); code != 0 {
		t.Errorf("exit code %d", code)
	}
	entries, err := os.ReadDir(filepath.Join(filepath.Dir(e.ws), "state", "pillion", "sandboxes"))
	if err != nil || len(entries) != 1 || entries[0].Name() != "granting" {
		t.Errorf("left: %v %v", entries, err)
	}
}

// What this machine can't enforce is named before anything starts. Wine enforces
// nothing but the process tree.
func TestTheDefaultIsRefusedByName(t *testing.T) {
	e := open(t)
	e.start()
	e.request(2, "exec", `{"execId":"a","argv":["cmd.exe","/d","/c","echo x> made.txt"],"sandbox":{"require":"enforced"}}`)
	m := e.answer(2)
	if m.Error == nil {
		t.Fatalf("it ran: %s", m.Result)
	}
	data := into[struct {
		Kind    string `json:"kind"`
		Started bool   `json:"started"`
		Missing []struct {
			Feature string `json:"feature"`
		} `json:"missing"`
	}](t, m.Error.Data)
	var features []string
	for _, f := range data.Missing {
		features = append(features, f.Feature)
	}
	if got := strings.Join(features, " "); data.Kind != "sandboxUnavailable" || data.Started || got != "fsWrite processTree fsRead network" {
		t.Errorf("%s: missing %s", m.Error.Data, got)
	}
	if _, err := os.Stat(filepath.Join(e.ws, "made.txt")); err == nil {
		t.Error("it ran")
	}
	e.request(3, "exec", `{"execId":"b","argv":["x.cmd","&calc"]}`)
	if err := os.WriteFile(filepath.Join(e.ws, "x.cmd"), []byte("@echo %1\r\n"), 0o700); err != nil {
		t.Fatal(err)
	}
	if m = e.answer(3); m.Error == nil {
		t.Errorf("a batch file was started: %s", m.Result)
	}
	for i, name := range []string{"./x.cmd", "./x", "./x.CMD. "} {
		e.request(4+i, "exec", fmt.Sprintf(`{"execId":"c%d","argv":[%q,"&calc"]}`, i, name))
		if m = e.answer(4 + i); m.Error == nil || !strings.Contains(m.Error.Message+string(m.Error.Data), "batch file") {
			t.Errorf("%s was started, or refused without saying what it is: %s %+v", name, m.Result, m.Error)
		}
	}
	if code := e.stop(); code != 0 {
		t.Errorf("exit code %d", code)
	}
}

// sleeper is a command with two generations below it, which a marker finds among the
// processes of this side.
func sleeper(marker string) string {
	return fmt.Sprintf(`["cmd.exe","/d","/c","cmd /d /c ping -n 100 -w %s 127.0.0.1"]`, marker)
}

// processes counts those whose command line has a marker, and of them those that
// have started: until then a command line begins with Wine's loader, and Wine can't
// end the process.
func processes(marker string) (all, started int) {
	entries, _ := filepath.Glob("/proc/[0-9]*/cmdline")
	for _, f := range entries {
		if b, err := os.ReadFile(f); err == nil && bytes.Contains(b, []byte(marker)) {
			all++
			if !bytes.HasPrefix(b, []byte(os.Getenv("WINELOADER"))) {
				started++
			}
		}
	}
	return all, started
}

// generations waits for all three of a sleeper.
func generations(t *testing.T, marker string) {
	t.Helper()
	await(t, "three generations", func() bool { _, started := processes(marker); return started >= 3 })
}

func nobody(marker string) bool { all, _ := processes(marker); return all == 0 }

func await(t *testing.T, what string, is func() bool) {
	t.Helper()
	for until := time.Now().Add(patience); !is(); time.Sleep(20 * time.Millisecond) {
		if time.Now().After(until) {
			t.Fatalf("never: %s", what)
		}
	}
}

func TestCancelEndsTheWholeTree(t *testing.T) {
	e := open(t)
	e.start()
	const marker = "41237"
	e.request(2, "exec", fmt.Sprintf(`{"execId":"long","argv":%s}`, sleeper(marker)))
	generations(t, marker)
	e.request(3, "exec/cancel", `{"execId":"long"}`)
	r := into[ended](t, e.answer(2).Result)
	if r.Reason != "cancelled" || r.Signal != "SIGTERM" {
		t.Errorf("%+v", r)
	}
	await(t, "the end of all of it", func() bool { return nobody(marker) })
	if code := e.stop(); code != 0 {
		t.Errorf("exit code %d", code)
	}
}

func TestNothingOutlivesAKilledSidecar(t *testing.T) {
	e := open(t)
	e.start()
	const marker = "41241"
	e.request(2, "exec", fmt.Sprintf(`{"execId":"long","argv":%s}`, sleeper(marker)))
	generations(t, marker)
	if err := e.cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	await(t, "the end of all of it", func() bool { return nobody(marker) })
	_ = e.cmd.Wait()
}

func TestNothingOutlivesItsEditor(t *testing.T) {
	e := open(t)
	e.start()
	const marker = "41243"
	e.request(2, "exec", fmt.Sprintf(`{"execId":"long","argv":%s}`, sleeper(marker)))
	generations(t, marker)
	if err := e.in.Close(); err != nil {
		t.Fatal(err)
	}
	_ = e.cmd.Wait()
	if code := e.cmd.ProcessState.ExitCode(); code != 1 || !nobody(marker) {
		t.Errorf("exit code %d, nobody left: %v", code, nobody(marker))
	}
}

// Wine's programs have no handles in a console, so that this one names it.
func TestATerminalShowsWhatIsWrittenToIt(t *testing.T) {
	e := open(t)
	e.start()
	r := e.exec(2, `["cmd.exe","/d","/c","echo shown> CON"]`, `,"pty":{"rows":24,"cols":80}`)
	if r.code() != 0 || !strings.Contains(r.Output["pty"].Text, "shown") {
		t.Errorf("%+v", r)
	}
	if code := e.stop(); code != 0 {
		t.Errorf("exit code %d", code)
	}
}

func TestSavedOutputIsAFile(t *testing.T) {
	e := open(t)
	e.start()
	r := e.exec(2, `["cmd.exe","/d","/c","echo kept"]`, `,"output":{"saveAs":"log"}`)
	if r.code() != 0 {
		t.Errorf("%+v", r)
	}
	if r = e.exec(3, `["cmd.exe","/d","/c","type %PILLION_OUTPUTS%\\log"]`, ""); r.Output["stdout"].Text != "kept\r\n" {
		t.Errorf("%+v", r)
	}
	if code := e.stop(); code != 0 {
		t.Errorf("exit code %d", code)
	}
}
