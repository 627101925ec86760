package sandbox

import (
	"errors"
	"os"
	"path/filepath"
	"strconv"
	"testing"
	"time"
	"unsafe"

	"golang.org/x/sys/windows"

	"github.com/pillion-sidecar/pillion/sandbox/policy"
	"github.com/pillion-sidecar/pillion/sandbox/wintoken"
)

func TestClosingAJobReachesGrandchildren(t *testing.T) {
	r := newRig(t, nil)
	j, child, out := r.suspended("family", "2")
	if err := child.resume(); err != nil {
		t.Fatal(err)
	}
	pids := readNumbers(t, out, 3)
	if err := j.close(); err != nil { // which the kernel does when the sidecar is killed
		t.Fatal(err)
	}
	awaitDead(t, pids)
}

// What runs before it is in the job could start a process that is not.
func TestNothingRunsBeforeItIsInTheJob(t *testing.T) {
	r := newRig(t, nil)
	j, child, _ := r.suspended("touch", "ran")
	if held, err := j.holds(child.process); err != nil || !held {
		t.Errorf("in the job: %v, %v", held, err)
	}
	time.Sleep(300 * time.Millisecond)
	mark := filepath.Join(r.ws, "ran")
	if _, err := os.Stat(mark); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("it ran: %v", err)
	}
	if err := child.resume(); err != nil {
		t.Fatal(err)
	}
	if _, err := windows.WaitForSingleObject(child.process, 10_000); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(mark); err != nil {
		t.Errorf("it never ran: %v", err)
	}
	if err := errors.Join(j.end(killedCode), j.close()); err != nil {
		t.Error(err)
	}
}

func TestEndKillsAndTellsWhatWasLeft(t *testing.T) {
	r := newRig(t, nil)
	p, out := r.start("family", "2")
	pids := readNumbers(t, out, 3)
	h, err := windows.OpenProcess(windows.PROCESS_TERMINATE, false, uint32(pids[0]))
	if err != nil {
		t.Fatal(err)
	}
	if err := windows.TerminateProcess(h, 7); err != nil { // the main child alone
		t.Fatal(err)
	}
	_ = windows.CloseHandle(h)
	if st, err := p.Wait(); err != nil || st.Code != 7 {
		t.Fatalf("%+v %v", st, err)
	}
	left, err := p.End(false)
	if err != nil || len(left) != 2 {
		t.Errorf("%+v %v", left, err)
	}
	awaitDead(t, pids)
}

func TestWhatIsLeftOnPurposeStaysUntilTheReset(t *testing.T) {
	r := newRig(t, func(p *Policy) { p.Name = "dev" })
	p, out := r.start("family", "1")
	pids := readNumbers(t, out, 2)
	h, err := windows.OpenProcess(windows.PROCESS_TERMINATE, false, uint32(pids[0]))
	if err != nil {
		t.Fatal(err)
	}
	_ = windows.TerminateProcess(h, 0)
	_ = windows.CloseHandle(h)
	if _, err := p.Wait(); err != nil {
		t.Fatal(err)
	}
	left, err := p.End(true)
	if err != nil || len(left) != 1 || !left[0].Left || left[0].PID != pids[1] {
		t.Fatalf("%+v %v", left, err)
	}
	infos := r.m.List()
	if len(infos) != 1 || len(infos[0].Processes) != 1 || infos[0].Processes[0].PID != pids[1] || infos[0].Processes[0].Exec != "t" {
		t.Errorf("%+v", infos)
	}
	if killed, err := r.m.Reset("dev", false); err != nil || killed != 1 {
		t.Errorf("%d %v", killed, err)
	}
	awaitDead(t, pids)
}

func TestClosingTheManagerEndsWhatRuns(t *testing.T) {
	r := newRig(t, nil)
	p, out := r.start("family", "1")
	pids := readNumbers(t, out, 2)
	done := make(chan error)
	go func() {
		_, err := p.Wait()
		_, eerr := p.End(false)
		done <- errors.Join(err, eerr)
	}()
	r.m.Close()
	if err := <-done; err != nil {
		t.Error(err)
	}
	awaitDead(t, pids)
	if entries, err := os.ReadDir(filepath.Join(filepath.Dir(r.ws), "state", "sandboxes")); err != nil || len(entries) != 1 {
		t.Errorf("left: %v %v", entries, err) // the lock of grants stays
	}
}

// A handle that another part of the sidecar could be inherited from must not be the
// command's.
func TestOnlyTheThreeHandlesCross(t *testing.T) {
	r := newRig(t, nil)
	sa := windows.SecurityAttributes{InheritHandle: 1}
	sa.Length = uint32(unsafe.Sizeof(sa))
	// A number that the command's own handles don't reach: by a low one it would signal
	// an event of its runtime.
	var event windows.Handle
	for range 2000 {
		var err error
		if event, err = windows.CreateEvent(&sa, 1, 0, nil); err != nil {
			t.Fatal(err)
		}
		defer windows.CloseHandle(event)
	}
	out, st := r.run("handle", strconv.FormatUint(uint64(event), 10))
	if state, err := windows.WaitForSingleObject(event, 0); err != nil || state == windows.WAIT_OBJECT_0 || st.Code != 0 {
		t.Errorf("it had the handle: %s %v", out, err)
	}
}

// Wine takes the limits and tells none of them.
func TestAJobHoldsWhatItWasToldNotVerifiedUnderWine(t *testing.T) {
	plan := wintoken.PlanJob(policy.Policy{Mode: policy.ReadOnly, Limits: policy.Limits{Processes: 9, Memory: 1 << 30, CPU: time.Hour}}, false)
	j, err := newJob(plan)
	if err != nil {
		t.Fatal(err)
	}
	defer j.close()
	var l windows.JOBOBJECT_EXTENDED_LIMIT_INFORMATION
	if err := j.query(windows.JobObjectExtendedLimitInformation, unsafe.Pointer(&l), unsafe.Sizeof(l)); err != nil {
		t.Fatal(err)
	}
	if flags := l.BasicLimitInformation.LimitFlags; flags != plan.Limits && !wine() {
		t.Errorf("%#x, want %#x", flags, plan.Limits)
	}
}
