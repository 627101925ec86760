//go:build unix

package config

import (
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"
)

func TestAPolicyThatOthersCanWriteIsRefused(t *testing.T) {
	path := policyOf(t, user(t), "allowOff = true\n")
	if err := os.Chmod(path, 0o666); err != nil {
		t.Fatal(err)
	}
	if _, err := Default(); err == nil || !strings.Contains(err.Error(), "others can write it (0666); run: chmod go-w '"+path+"'") {
		t.Error(err)
	}
}

// Dotfiles are often linked; what counts is the file that the link leads to.
func TestAPolicyMayBeALink(t *testing.T) {
	home := user(t)
	path := policyOf(t, home, "allowOff = true\n")
	other := filepath.Join(home, "dotfiles.toml")
	if err := os.Rename(path, other); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(other, path); err != nil {
		t.Fatal(err)
	}
	if c, err := Default(); err != nil || !c.Grants.Off {
		t.Error(err)
	}
	if err := os.Chmod(other, 0o620); err != nil {
		t.Fatal(err)
	}
	if _, err := Default(); err == nil {
		t.Error("others can write what the link leads to")
	}
}

func TestAFIFOAsPolicyIsNotWaitedFor(t *testing.T) {
	path := policyOf(t, user(t), "")
	if err := os.Remove(path); err != nil {
		t.Fatal(err)
	}
	if err := syscall.Mkfifo(path, 0o600); err != nil {
		t.Fatal(err)
	}
	waits := time.AfterFunc(time.Minute, func() { panic("the FIFO is waited for") }) // for ever
	defer waits.Stop()
	if _, err := Default(); err == nil || !strings.Contains(err.Error(), "not a regular file") {
		t.Error(err)
	}
}
