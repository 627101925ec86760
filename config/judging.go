package config

import (
	"os"
	"runtime"
	"slices"

	"github.com/pillion-sidecar/pillion/guard"
	"github.com/pillion-sidecar/pillion/sandbox"
)

// Judging is what commands in folders with these files are judged by: the named profile,
// or the user's for "", with the user's policy file over it and the workspace's files on
// top; and what their sandbox would show of home, whose toolchains are looked for at their
// default places. It makes no directory, since judging needs none, and a user without a
// home has no policy file.
func Judging(profile string, files []*WorkspaceFile, home string) (guard.Policy, sandbox.Policy, error) {
	c := fixed()
	if home, err := homeDir(os.Getenv); err == nil {
		c.PolicyFile, c.StateDir = policyFile(os.Getenv, home, runtime.GOOS), stateDir(os.Getenv, home)
		if c, err = c.LoadUser(); err != nil {
			return guard.Policy{}, sandbox.Policy{}, err
		}
	}
	c, err := c.With(InitOptions{Profile: profile})
	if err != nil {
		return guard.Policy{}, sandbox.Policy{}, err
	}
	c = c.Tighten(files)
	c.Sandbox.Readable = slices.Concat(usual(home), c.Sandbox.Readable)
	c.Sandbox.HomeFiles = []sandbox.HomeFile{{Path: gitSettings}, {Path: gitIgnores}} // as far as they are there
	c.Sandbox.Journal = c.JournalDir()
	return c.Guard, c.Sandbox, nil
}

// usual are the toolchains' places below a home that need not exist.
func usual(home string) (dirs []string) {
	if home == "" {
		return nil
	}
	for _, p := range presets {
		for _, r := range p.read {
			dirs = append(dirs, below(below(home, p.base), r))
		}
	}
	return dirs
}
