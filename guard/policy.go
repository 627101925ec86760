package guard

import (
	"crypto/sha256"
	"fmt"
)

// Policy is what a profile decides: where a command may reach, and by which
// name its verdicts are known. The zero Policy allows nothing but the workspace.
type Policy struct {
	ID      string
	Version string
	// Roots are directories allowed besides the workspace, e.g. /tmp.
	Roots []string
	// Programs are directories whose programs may be run by path; "~/" is the
	// user's home. The workspace and Roots are always allowed.
	Programs []string
}

// DefaultPolicy is the profile "balanced".
func DefaultPolicy() Policy {
	return Policy{
		ID:      "balanced",
		Version: "1",
		Roots:   []string{"/tmp", "/var/tmp"},
		Programs: []string{
			"/bin", "/sbin", "/usr/bin", "/usr/sbin", "/usr/local/bin", "/usr/local/sbin", "/usr/local/go/bin",
			"/opt/homebrew/bin", "/opt/homebrew/sbin", "/usr/lib", "/usr/libexec", "/snap/bin", "/nix/store", "/run/current-system/sw/bin",
			"~/go/bin", "~/.cargo/bin", "~/.local/bin", "~/.bun/bin", "~/.deno/bin", "~/.nvm", "~/.pyenv", "~/.rbenv", "~/.asdf", "~/.rustup", "~/.sdkman", "~/.volta",
		},
	}
}

// Hash identifies everything that decides a verdict, rules included, as
// "sha256:…": an approval given under one policy is not one under another.
func (p Policy) Hash() string {
	h := sha256.New()
	fmt.Fprintf(h, "%q %q %q %q\n", p.ID, p.Version, p.Roots, p.Programs)
	for i := range table {
		r := &table[i]
		fmt.Fprintf(h, "%q %q %d\n", r.ID, r.Decision, r.Severity)
	}
	return fmt.Sprintf("sha256:%x", h.Sum(nil))
}
