package guard

import (
	"slices"
	"strings"
)

// elevated is what runs with other rights: the user, when one is named, and the
// command; ok is false for sudo -l and its kin.
func elevated(e *effect) (user string, login bool, rest []arg, ok bool) {
	if !e.runs("sudo", "doas", "pkexec", "su", "runuser") {
		return "", false, nil, false
	}
	s := wrappers()[e.name].spec
	_, rest = s.leading(e.args)
	opts, _ := s.options(e.args[:len(e.args)-len(rest)])
	for _, o := range opts {
		switch {
		case named(o, "-l", "--list", "-v", "--validate", "-k", "-K", "-V", "--version", "--help", "--reset-timestamp"):
			return "", false, nil, false
		case named(o, "-u", "--user") && o.valued:
			user = o.value.text
		case named(o, "-i", "-s", "--login", "--shell") && e.name != "su" && e.name != "runuser":
			login = true
		}
	}
	for len(rest) > 0 && strings.Contains(rest[0].text, "=") {
		rest = rest[1:]
	}
	return user, login, rest, true
}

func rootShell(_ *walker, e *effect) bool {
	user, login, rest, ok := elevated(e)
	if !ok || user != "" && user != "root" && user != "#0" {
		return false
	}
	if e.name == "su" || e.name == "runuser" {
		_, inline := inlineCode("su", e.args, nil)
		return !inline && !flagged(e.args, "-u")
	}
	if len(rest) == 0 {
		return login
	}
	name := base(rest[0].text)
	if _, sh := dialects()[name]; !sh && name != "su" && name != "fish" {
		return false
	}
	return len(skipOptions(rest[1:])) == 0
}

// watching are programs that only look, also as root.
var watching = []string{"lsof", "ss", "netstat", "ps", "top", "journalctl", "dmesg", "ls", "true", "id", "whoami", "iotop", "df", "du", "lsblk", "blkid", "tail", "cat", "head", "grep", "docker", "podman", "dmidecode", "lshw", "nginx", "apachectl", "which"}

func asRoot(_ *walker, e *effect) bool {
	user, _, rest, ok := elevated(e)
	if !ok || user != "" && user != "root" && user != "#0" {
		return false
	}
	if e.name == "su" {
		return !flagged(e.args, "--help", "--version")
	}
	if len(rest) == 0 {
		return e.name == "sudo" && flagged(e.args, "-e", "--edit")
	}
	name := base(rest[0].text)
	if len(rest) > 1 && (name == "systemctl" || name == "service" || name == "ufw") && slices.Contains([]string{"status", "is-active", "list-units"}, rest[1].text) {
		return false
	}
	return !slices.Contains(watching, name) && !printsAll(&effect{kind: kindExec, name: name, args: rest[1:]})
}
