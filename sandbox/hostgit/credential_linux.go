package hostgit

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/pillion-sidecar/pillion/sandbox/files"
	"github.com/pillion-sidecar/pillion/sandbox/policy"
)

// asksNobody keeps git and its helpers from asking a person, and from being in a repository.
var asksNobody = []string{"GIT_TERMINAL_PROMPT=0", "GIT_ASKPASS=", "GCM_INTERACTIVE=never", "GIT_DIR=/dev/null"}

// Credential is what the credential helpers of the user's own settings say of a repository at
// https://host/path, nil where they have nothing. Nothing is run that lies in one of the roots,
// where a command can write.
func Credential(ctx context.Context, host, path string, roots []string) (*url.Userinfo, error) {
	if strings.ContainsAny(host+path, "\x00\r\n") {
		return nil, errors.New("the address has a control character")
	}
	cmd, err := ownGit(ctx, roots, "credential", "fill")
	if err != nil {
		return nil, err
	}
	cmd.Stdin = strings.NewReader(fmt.Sprintf("protocol=https\nhost=%s\npath=%s\n\n", host, path))
	said, err := cmd.Output()
	if ended := (*exec.ExitError)(nil); errors.As(err, &ended) && ended.Exited() {
		return nil, nil // it would have asked
	}
	if err != nil {
		return nil, err
	}
	var user, password string
	for line := range strings.Lines(string(said)) {
		switch name, value, _ := strings.Cut(strings.TrimSuffix(line, "\n"), "="); name {
		case "username":
			user = value
		case "password":
			password = value
		}
	}
	if user+password == "" {
		return nil, nil
	}
	return url.UserPassword(user, password), nil
}

// Lends says whether there is Credential.
const Lends = true

// HasHelper says whether the user's own settings have a credential helper for https://host. It is
// not run.
func HasHelper(ctx context.Context, host string, roots []string) bool {
	cmd, err := ownGit(ctx, roots, "config", "--includes", "--get-urlmatch", "credential.helper", "https://"+host)
	if err != nil {
		return false
	}
	said, err := cmd.Output()
	return err == nil && strings.TrimSpace(string(said)) != ""
}

// ownGit is the user's own git, as it is outside of any repository.
func ownGit(ctx context.Context, roots []string, args ...string) (*exec.Cmd, error) {
	git := hostProgram("git", roots)
	if git == "" {
		return nil, exec.ErrNotFound
	}
	cmd := exec.CommandContext(ctx, git, args...)
	cmd.Dir, cmd.WaitDelay = "/", time.Second // a helper's child may hold the output
	cmd.Env = append(outsideEnv("GIT_CONFIG_GLOBAL", "GIT_CONFIG_SYSTEM", "GIT_CONFIG_NOSYSTEM"), asksNobody...)
	cmd.Env = append(cmd.Env, "PATH="+hostPath(roots))
	return cmd, nil
}

// hostPath is PATH without the directories that commands can write to.
func hostPath(roots []string) string {
	return strings.Join(slices.DeleteFunc(filepath.SplitList(os.Getenv("PATH")), func(dir string) bool {
		at, err := files.Real(dir)
		return err != nil || !filepath.IsAbs(dir) || slices.ContainsFunc(roots, func(r string) bool { return policy.Beneath(r, at) })
	}), string(filepath.ListSeparator))
}

// outsideEnv is the environment without git's variables, but for these.
func outsideEnv(but ...string) []string {
	return slices.DeleteFunc(os.Environ(), func(v string) bool {
		name, _, _ := strings.Cut(v, "=")
		return strings.HasPrefix(name, "GIT_") && !slices.Contains(but, name)
	})
}
