package config

import (
	"os"
	"runtime"

	"github.com/pillion-sidecar/pillion/guard"
)

// Judging is the policy that commands in folders with these files are judged by:
// the named profile, or the user's for "", with the user's policy file over it
// and the workspace's files on top. It makes no directory, since judging needs
// none, and a user without a home has no policy file.
func Judging(profile string, files []*WorkspaceFile) (guard.Policy, error) {
	c := fixed()
	if home, err := homeDir(os.Getenv); err == nil {
		c.PolicyFile = policyFile(os.Getenv, home, runtime.GOOS)
		if c, err = c.LoadUser(); err != nil {
			return guard.Policy{}, err
		}
	}
	c, err := c.With(InitOptions{Profile: profile})
	if err != nil {
		return guard.Policy{}, err
	}
	return c.Tighten(files).Guard, nil
}
