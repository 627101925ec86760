package config

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
)

// policyFile is where the user's policy is looked for.
func policyFile(env getenv, home, goos string) string {
	if dir := env("APPDATA"); goos == "windows" && filepath.IsAbs(dir) {
		return filepath.Join(dir, "pillion", "policy.toml")
	}
	return filepath.Join(xdg(env, "XDG_CONFIG_HOME", home, ".config"), "policy.toml")
}

// LoadUser lays the user's policy file over a copy of c. There need not be one;
// one that can't be used is an error, because the session would be another one
// than the user wrote down.
func (c Config) LoadUser() (Config, error) {
	data, err := readFile(UserFile, c.PolicyFile)
	if errors.Is(err, fs.ErrNotExist) {
		return c, nil
	}
	if errors.As(err, new(*fs.PathError)) {
		return Config{}, fmt.Errorf("%w; your policy is looked for there because of XDG_CONFIG_HOME or HOME", err)
	}
	if err != nil {
		return Config{}, err
	}
	o, err := parse(UserFile, c.PolicyFile, data)
	if err != nil {
		return Config{}, err
	}
	if err := c.profile(o.Profile); err != nil {
		return Config{}, err
	}
	c.user = o
	return c, c.layer(o)
}

// readFile reads a policy file that its user named. Links to a user's file are followed:
// people keep their settings elsewhere. A link's end must be the user's alone.
func readFile(kind FileKind, path string) ([]byte, error) {
	refuse := func(problem string) ([]byte, error) {
		return nil, fileError(path, []Problem{{Message: problem}})
	}
	if info, err := os.Lstat(path); kind == WorkspaceFileKind && err == nil && info.Mode()&fs.ModeSymlink != 0 {
		return refuse("it is a symlink, which could lead anywhere; put the file itself there")
	}
	f, err := openPlain(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() {
		return refuse("it is not a regular file; put a plain text file there")
	}
	if problem := writableByOthers(path, info); problem != "" && kind == UserFile {
		return refuse(problem)
	}
	data, err := io.ReadAll(io.LimitReader(f, MaxFileBytes+1))
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return data, nil
}

// othersMayWrite are the permission bits of group and world.
const othersMayWrite os.FileMode = 0o022

// untrusted says why a policy file may not be the user's word, "" if it is: who
// may write it decides what every command may do.
func untrusted(path string, mode os.FileMode, owner, user int) string {
	switch {
	case owner != user && owner != 0:
		return fmt.Sprintf("it belongs to user %d, not to you; chown it", owner)
	case mode.Perm()&othersMayWrite != 0:
		return fmt.Sprintf("others can write it (%04o); run: chmod go-w '%s'", mode.Perm(), path)
	}
	return ""
}
