package machine

import (
	"slices"
	"strings"

	"github.com/pillion-sidecar/pillion/guard/argv"
	"github.com/pillion-sidecar/pillion/guard/effect"
	"github.com/pillion-sidecar/pillion/guard/program"
	"github.com/pillion-sidecar/pillion/guard/program/run"
	"github.com/pillion-sidecar/pillion/guard/shell"
)

// elevated is what runs with other rights: the user, when one is named, and the
// command; ok is false for sudo -l and its kin.
func elevated(e *effect.Effect) (user string, login bool, rest []effect.Arg, ok bool) {
	if !e.Runs("sudo", "doas", "pkexec", "su", "runuser") {
		return "", false, nil, false
	}
	s := program.WrapperOf(e.Name).Spec
	_, rest = s.Leading(e.Args)
	opts, _ := s.Options(e.Args[:len(e.Args)-len(rest)])
	for _, o := range opts {
		switch {
		case argv.Named(o, "-l", "--list", "-v", "--validate", "-k", "-K", "-V", "--version", "--help", "--reset-timestamp"):
			return "", false, nil, false
		case argv.Named(o, "-u", "--user") && o.Valued:
			user = o.Value.Text
		case argv.Named(o, "-i", "-s", "--login", "--shell") && e.Name != "su" && e.Name != "runuser":
			login = true
		}
	}
	for len(rest) > 0 && strings.Contains(rest[0].Text, "=") {
		rest = rest[1:]
	}
	return user, login, rest, true
}

func rootShell(_ *shell.Walker, e *effect.Effect) bool {
	user, login, rest, ok := elevated(e)
	if !ok || user != "" && user != "root" && user != "#0" {
		return false
	}
	if e.Name == "su" || e.Name == "runuser" {
		_, inline := run.InlineCode("su", e.Args, nil)
		return !inline && !argv.Given(e.Args, "-u")
	}
	if len(rest) == 0 {
		return login
	}
	name := argv.Base(rest[0].Text)
	if _, sh := shell.Dialects()[name]; !sh && name != "su" && name != "fish" {
		return false
	}
	return len(argv.SkipOptions(rest[1:])) == 0
}

// watching are programs that only look, also as root.
var watching = []string{
	"lsof", "ss", "netstat", "ps", "top", "journalctl", "dmesg", "ls", "true", "id", "whoami",
	"iotop", "df", "du", "lsblk", "blkid", "tail", "cat", "head", "grep", "docker", "podman", "dmidecode", "lshw",
	"nginx", "apachectl", "which",
}

func asRoot(w *shell.Walker, e *effect.Effect) bool {
	user, _, rest, ok := elevated(e)
	if !ok || user != "" && user != "root" && user != "#0" {
		return false
	}
	if e.Name == "su" {
		return !argv.Given(e.Args, "--help", "--version")
	}
	if len(rest) == 0 {
		return e.Name == "sudo" && argv.Given(e.Args, "-e", "--edit")
	}
	name := argv.Base(rest[0].Text)
	if len(rest) > 1 && (name == "systemctl" || name == "service" || name == "ufw") &&
		slices.Contains([]string{"status", "is-active", "list-units"}, rest[1].Text) {
		return false
	}
	return !slices.Contains(watching, name) && !run.PrintsAll(w, run.ProgramOf(rest))
}
