package sandbox

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/windows"
)

func TestExitCodesAreExact(t *testing.T) {
	r := newRig(t, nil)
	for _, code := range []uint32{0, 1, 42, 255, 3221225477} {
		_, st := r.run("exit", strconv.FormatUint(uint64(code), 10))
		if st.Code != int(code) || st.Signal != 0 || st.Limit != "" {
			t.Errorf("%d: %+v", code, st)
		}
	}
}

// An argument that was taken apart would be several, and one of them an option.
func TestArgumentsArriveAsTheyWere(t *testing.T) {
	r := newRig(t, nil)
	args := []string{"", "a b", `"`, `a"b`, `\`, `a\\"`, `a b\`, "%PATH%", "&calc", "^|<>", "ü😀", "a\nb", "\t"}
	out, _ := r.run(append([]string{"args"}, args...)...)
	var want strings.Builder
	for _, a := range args {
		want.WriteString(strconv.Quote(a) + "\n")
	}
	if out != want.String() {
		t.Errorf("%s\nwant\n%s", out, want.String())
	}
}

func TestACommandHasTheEnvironmentItWasGiven(t *testing.T) {
	r := newRig(t, nil)
	t.Setenv("PILLION_SECRET", "x")
	c, _, out := r.command("env")
	c.Env = append(c.Env, "pillion_a=1", "PILLION_A=2", "PILLION_Ü=ß 😀")
	p, err := r.s.Start(context.Background(), c)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := p.Wait(); err != nil {
		t.Fatal(err)
	}
	if _, err := p.End(false); err != nil {
		t.Fatal(err)
	}
	buf := make([]byte, 1<<16)
	n, _ := out.Read(buf)
	got := strings.Split(strings.ReplaceAll(string(buf[:n]), "\r\n", "\n"), "\n")
	for _, want := range []string{"PILLION_A=2", "PILLION_Ü=ß 😀", "TEMP=" + r.s.Tmp(), "USERPROFILE=" + r.s.Home()} {
		if !slices.Contains(got, want) {
			t.Errorf("%s is missing in %q", want, got)
		}
	}
	if text := string(buf[:n]); strings.Contains(text, "PILLION_SECRET") || strings.Contains(text, "pillion_a") {
		t.Errorf("%s", text)
	}
}

func TestACommandRunsInItsDirectoryAndWritesThere(t *testing.T) {
	r := newRig(t, nil)
	if out, st := r.run("touch", "made"); st.Code != 0 {
		t.Fatalf("%+v %s", st, out)
	}
	if _, err := os.Stat(filepath.Join(r.ws, "made")); err != nil {
		t.Error(err)
	}
	if out, st := r.run("touch", filepath.Join(r.s.Tmp(), "made")); st.Code != 0 {
		t.Errorf("%+v %s", st, out)
	}
}

func TestWhatCannotBeStartedIsNamed(t *testing.T) {
	r := newRig(t, nil)
	for path, want := range map[string]syscall.Errno{
		filepath.Join(r.ws, "absent.exe"): windows.ERROR_FILE_NOT_FOUND,
		filepath.Join(r.ws, "x.cmd"):      syscall.ENOEXEC,
	} {
		c, _, _ := r.command("exit", "0")
		c.Path = path
		_, err := r.s.Start(context.Background(), c)
		var s *SpawnError
		if !errors.As(err, &s) || s.Errno != want {
			t.Errorf("%s: %v", path, err)
		}
	}
	c, _, _ := r.command("args", strings.Repeat("x", 32767))
	if _, err := r.s.Start(context.Background(), c); !errors.Is(err, syscall.E2BIG) {
		t.Errorf("a command line that is too long: %v", err)
	}
	if r.s.box.inUse() {
		t.Error("the sandbox still counts a command")
	}
}

func TestTerminateAndKillEndACommand(t *testing.T) {
	r := newRig(t, nil)
	for _, sig := range []syscall.Signal{syscall.SIGTERM, syscall.SIGKILL} {
		p, _ := r.start("sleep", "1m")
		time.AfterFunc(100*time.Millisecond, func() { _ = p.Signal(sig) })
		st, err := p.Wait()
		if err != nil || st.Signal != sig || st.Code != -1 {
			t.Errorf("%v: %+v %v", sig, st, err)
		}
		if err := p.Signal(syscall.SIGINT); !errors.Is(err, syscall.EWINDOWS) {
			t.Errorf("interrupt: %v", err)
		}
		if _, err := p.End(false); err != nil {
			t.Error(err)
		}
		if err := p.Kill(); !errors.Is(err, os.ErrProcessDone) {
			t.Errorf("after its end: %v", err)
		}
	}
}

func TestTimesAndMemoryAreCounted(t *testing.T) {
	r := newRig(t, func(p *Policy) { p.Mode = Off })
	_, st := r.run("hog")
	if st.Code != 0 || st.User < 0 || st.System < 0 || st.MaxRSS < 0 {
		t.Errorf("%+v", st)
	}
}

func TestModeOffRunsInAJobToo(t *testing.T) {
	r := newRig(t, func(p *Policy) { p.Mode = Off })
	if r.s.Home() != "" || r.s.box.token != 0 {
		t.Errorf("home %q", r.s.Home())
	}
	p, out := r.start("family", "1")
	pids := readNumbers(t, out, 2)
	if err := p.Kill(); err != nil {
		t.Fatal(err)
	}
	if _, err := p.Wait(); err != nil {
		t.Fatal(err)
	}
	if _, err := p.End(false); err != nil {
		t.Fatal(err)
	}
	awaitDead(t, pids)
}
