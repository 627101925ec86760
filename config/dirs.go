package config

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"

	"github.com/pillion-sidecar/pillion/workspace"
)

// getenv is os.Getenv; tests pass a map.
type getenv func(string) string

// homeDir is the user's home. There is no fallback: a sidecar that does not
// know the home can't refuse it as a workspace.
func homeDir(env getenv) (string, error) {
	name := "HOME"
	if runtime.GOOS == "windows" {
		name = "USERPROFILE"
	}
	home := env(name)
	if home == "" || !filepath.IsAbs(home) {
		return "", fmt.Errorf("%s is %q; set it to the absolute path of your home directory", name, home)
	}
	return resolved(home), nil
}

// resolved is path as the kernel names it: a home or state directory reached by a link
// (/home that leads to /var/home) can't be a mount point of the sandbox by its other name.
func resolved(path string) string {
	path, _ = workspace.Resolve(nil, path, "")
	return path
}

// xdg is $name/pillion, or pillion below home/rest. The XDG rules say that a
// relative value counts as unset.
func xdg(env getenv, name, home string, rest ...string) string {
	base := env(name)
	if !filepath.IsAbs(base) {
		base = filepath.Join(append([]string{home}, rest...)...)
	}
	return resolved(filepath.Join(base, "pillion"))
}

// Astray says which variables of xdg count as unset.
func Astray() (out []string) {
	for _, name := range []string{"XDG_CONFIG_HOME", "XDG_STATE_HOME", "XDG_CACHE_HOME"} {
		if dir := os.Getenv(name); dir != "" && !filepath.IsAbs(dir) {
			out = append(out, fmt.Sprintf("%s is %.80q, which is not an absolute path, so it counts as unset", name, dir))
		}
	}
	return out
}

// UserHome is the home of who runs us, as the kernel names it.
func UserHome() (string, error) { return homeDir(os.Getenv) }

// AtHome is a path with the home's other name replaced. No other link is followed: one
// that a command made in the workspace would turn a grant into one of ~/.ssh.
func AtHome(path string) string {
	home, err := UserHome()
	rest, below := strings.CutPrefix(path, filepath.Clean(os.Getenv("HOME"))+string(filepath.Separator))
	if err != nil || !below {
		return path
	}
	return filepath.Join(home, rest)
}

func stateDir(env getenv, home string) string {
	return xdg(env, "XDG_STATE_HOME", home, ".local", "state")
}

// CacheDir is where commands' caches are kept, below the StateDir; "" if that is
// not known.
func (c Config) CacheDir() string {
	if c.StateDir == "" {
		return ""
	}
	return filepath.Join(c.StateDir, "caches")
}

// OutputDir is where sessions have directories for saved outputs, below the
// StateDir, which commands see nothing else of; "" if that is not known.
func (c Config) OutputDir() string {
	if c.StateDir == "" {
		return ""
	}
	return filepath.Join(c.StateDir, "outputs")
}

// JournalDir is where what commands change is kept, below the StateDir; "" if nothing is
// to be.
func (c Config) JournalDir() string {
	if c.StateDir == "" || !c.Undo {
		return ""
	}
	return filepath.Join(c.StateDir, "journal")
}

// RefsDir is where is kept what git's data was before the commands that run, below the
// StateDir; "" if that is not known.
func (c Config) RefsDir() string {
	if c.StateDir == "" {
		return ""
	}
	return filepath.Join(c.StateDir, "refs")
}

// Own are the paths that no command may change: what they say decides about the next one.
func (c Config) Own() (own []string) {
	for _, p := range []string{c.SpoolDir, c.AuditDir(), c.JournalDir(), c.RefsDir()} {
		if p != "" {
			own = append(own, p)
		}
	}
	if c.PolicyFile != "" {
		own = append(own, filepath.Dir(c.PolicyFile))
	}
	return own
}

// AuditDir is where the audit log is kept, below the StateDir, which no command
// sees; "" if there is to be none.
func (c Config) AuditDir() string {
	if c.StateDir == "" || !c.Audit {
		return ""
	}
	return filepath.Join(c.StateDir, "audit")
}

// spoolDir makes the directory for command output and shows that it can be
// written. There is no fallback to /tmp or /run: both are often memory, where
// one command's output could take the machine down, and /tmp is everybody's.
func spoolDir(env getenv, home string) (string, error) {
	dir := filepath.Join(xdg(env, "XDG_CACHE_HOME", home, ".cache"), "spool")
	if err := privateDir(dir); err != nil {
		return "", fmt.Errorf("no place for command output in %s: %w; set XDG_CACHE_HOME to a directory on disk that you can write", dir, err)
	}
	return dir, nil
}

// privateDir makes dir and its parents, keeps others out of it, and writes a
// file into it: permission bits say nothing about a read-only or full disk.
func privateDir(dir string) error {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return err
	}
	info, err := os.Lstat(dir)
	if err != nil {
		return err
	}
	if !info.IsDir() {
		return fmt.Errorf("%s is not a directory", dir)
	}
	// Someone else's directory can't be made private: Chmod fails there.
	if runtime.GOOS != "windows" && info.Mode().Perm()&0o077 != 0 {
		if err := os.Chmod(dir, 0o700); err != nil {
			return err
		}
	}
	probe := filepath.Join(dir, ".probe") // always the same: what a killed process left goes, too
	f, err := os.OpenFile(probe, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err == nil {
		err = f.Close()
	}
	if err != nil && !errors.Is(err, fs.ErrExist) {
		return err
	}
	if err = os.Remove(probe); errors.Is(err, fs.ErrNotExist) { // another start was faster
		return nil
	}
	return err
}
