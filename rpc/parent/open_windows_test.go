package parent

import (
	"os"
	"os/exec"
	"testing"
)

func TestAProcessIsWatchedByItsHandle(t *testing.T) {
	wait, stop, err := Open(os.Getpid())
	if err != nil {
		t.Fatal(err)
	}
	stop()
	if wait() {
		t.Error("this process has not ended")
	}
	stop() // of what is over
	cmd := exec.Command(os.Args[0], "-test.run=^$")
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	if wait, stop, err = Open(cmd.Process.Pid); err != nil {
		t.Fatal(err)
	}
	if !wait() {
		t.Error("the process has ended")
	}
	stop()
	if err := cmd.Wait(); err != nil {
		t.Error(err)
	}
}
