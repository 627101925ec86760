package inside

import (
	"net"
	"os"
	"os/exec"
	"testing"
)

// The holder of a socket is found, unless the answer is not needed any more: limits wait
// for the end of a search, in which a command may have as many descriptors as it likes.
func TestASearchForPortsEndsWhenItIsNotWanted(t *testing.T) {
	ear, err := net.Listen("tcp4", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	file, err := ear.(*net.TCPListener).File()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command("cat")
	input, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	cmd.ExtraFiles = []*os.File{file}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	ear.Close()
	file.Close()
	defer func() { input.Close(); _ = cmd.Wait() }()
	for _, unwanted := range []bool{true, false} {
		found := false
		for _, p := range (&ports{}).look(func() bool { return unwanted }) {
			found = found || p.Process == "cat" && p.Number == ear.Addr().(*net.TCPAddr).Port
		}
		if found == unwanted {
			t.Errorf("unwanted %v: found %v", unwanted, found)
		}
	}
}
