package rpc

import (
	"bufio"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/pillion-sidecar/pillion/test/needs"
)

// Of a sidecar that is killed while a port of the command's is let out, and one of the
// host's is given to it, nothing stays: no process, no listener, no connection.
func TestFaultKilledWhilePortsAreOpen(t *testing.T) {
	needs.Namespaces(t)
	needs.Program(t, "python3")
	path, err := built()
	if err != nil {
		t.Fatal(err)
	}
	given, err := net.Listen("tcp4", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer given.Close()
	port := given.Addr().(*net.TCPAddr).Port
	home, ws := t.TempDir(), t.TempDir()
	script := fmt.Sprintf(`import socket
out = socket.create_connection(("host.pillion", %d))
c, _ = socket.create_server(("127.0.0.1", 8766)).accept()
while said := c.recv(100): c.sendall(said)
`, port)
	if err := os.WriteFile(filepath.Join(ws, "server.py"), []byte(script), 0o600); err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(path, "exec", "--host-port", fmt.Sprint(port), "--forward", "8766", "--", "python3 server.py")
	cmd.Dir, cmd.Env = ws, []string{"PATH=" + os.Getenv("PATH"), "HOME=" + home}
	told, err := cmd.StderrPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	late := time.AfterFunc(2*patience, func() { _ = cmd.Process.Kill() })
	defer late.Stop()

	out, err := given.Accept()
	if err != nil {
		t.Fatal(err)
	}
	defer out.Close()
	at := whereItIs(t, told)
	in, err := net.Dial("tcp4", at)
	if err != nil {
		t.Fatal(err)
	}
	defer in.Close()
	said := make([]byte, 5)
	_, _ = in.Write([]byte("hello"))
	if _, err := io.ReadFull(in, said); err != nil || string(said) != "hello" {
		t.Fatalf("%q, %v", said, err)
	}

	_ = cmd.Process.Kill()
	_ = cmd.Wait()
	for name, c := range map[string]net.Conn{"of the forward": in, "to the host's port": out} {
		_ = c.SetReadDeadline(time.Now().Add(patience))
		if n, err := c.Read(said); n > 0 || os.IsTimeout(err) {
			t.Errorf("the connection %s goes on: %d bytes, %v", name, n, err)
		}
	}
	if c, err := net.Dial("tcp4", at); err == nil {
		_ = c.Close()
		t.Errorf("somebody listens at %s", at)
	}
	for end := time.Now().Add(patience); ; time.Sleep(20 * time.Millisecond) {
		left := withWord(home)
		if len(left) == 0 {
			break
		}
		if time.Now().After(end) {
			t.Fatalf("left: %q", left)
		}
	}
}

// whereItIs reads the address of the forward, and lets the rest be read.
func whereItIs(t *testing.T, told io.Reader) string {
	t.Helper()
	at := regexp.MustCompile(`is at http://(127\.0\.0\.1:\d+)`)
	var all strings.Builder
	for lines := bufio.NewScanner(told); lines.Scan(); {
		if m := at.FindStringSubmatch(lines.Text()); m != nil {
			return m[1]
		}
		all.WriteString(lines.Text() + "\n")
	}
	t.Fatalf("it was not let out:\n%s", &all)
	return ""
}

// withWord are the processes whose command lines or environments have a word.
func withWord(word string) (found []string) {
	dirs, _ := filepath.Glob("/proc/[0-9]*")
	for _, d := range dirs {
		line, _ := os.ReadFile(d + "/cmdline")
		env, _ := os.ReadFile(d + "/environ")
		if strings.Contains(string(line)+string(env), word) {
			found = append(found, d+": "+string(line))
		}
	}
	return found
}
