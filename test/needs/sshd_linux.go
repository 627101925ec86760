package needs

import (
	"os"
	"os/exec"
	"os/user"
	"strings"
	"testing"
)

// SSHD is the path of an sshd that lets this user in by a key; it starts itself again, by its
// path. As root it also wants a directory, which its package's service makes.
func SSHD(t testing.TB) string {
	t.Helper()
	Program(t, "sshd", "ssh")
	path, err := exec.LookPath("sshd")
	if err != nil {
		t.Fatal(err)
	}
	me, err := user.Current()
	if err != nil {
		t.Fatal(err)
	}
	if row := rowOf("/etc/passwd", me.Username); strings.HasSuffix(row, "/nologin") || strings.HasSuffix(row, "/false") {
		Missing(t, "a user who may log in", "run the tests as another user")
	}
	if strings.HasPrefix(rowOf("/etc/shadow", me.Username), me.Username+":!") {
		Missing(t, "a user whose account is not locked", "passwd -u "+me.Username)
	}
	if os.Getuid() == 0 {
		if err := os.Mkdir("/run/sshd", 0o755); err != nil && !os.IsExist(err) {
			t.Fatal(err)
		}
	}
	return path
}

// rowOf is a user's row of a file that this one may read.
func rowOf(file, name string) string {
	text, _ := os.ReadFile(file)
	for row := range strings.Lines(string(text)) {
		if strings.HasPrefix(row, name+":") {
			return strings.TrimSpace(row)
		}
	}
	return ""
}
