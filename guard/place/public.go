package place

import (
	"net/netip"
	"path"
	"slices"
	"strconv"
	"strings"

	"github.com/pillion-sidecar/pillion/guard/effect"
)

// HostOf is the host of an address, with or without a scheme.
func HostOf(url string) string {
	if _, rest, ok := strings.Cut(url, "://"); ok {
		url = rest
	}
	if i := strings.IndexAny(url, "/?#"); i >= 0 {
		url = url[:i]
	}
	url = url[strings.LastIndexByte(url, '@')+1:]
	if strings.HasPrefix(url, "[") {
		url, _, _ = strings.Cut(url[1:], "]")
		return url
	}
	host, _, _ := strings.Cut(url, ":")
	return strings.ToLower(host)
}

// WebClients talk to the services of a compose file, whose names have no dot; to
// ssh such a name is an alias for any machine.
var WebClients = []string{"curl", "wget", "http", "https", "xh"}

// Service reports a name without a dot, as the services of a compose file have, and not a
// number.
func Service(host string) bool {
	return host != "" && !strings.ContainsAny(host, ".:"+effect.Unknown) &&
		(host[0] > '9' || strings.Trim(host, "0123456789abcdefx") != "")
}

// Elsewhere reports an address of another machine: a host, a URL of any scheme, or the
// settings of a connection, host=x dbname=y. A name that only run time tells is none, nor is
// that of a service, unless it says that others use it.
func Elsewhere(address string) bool {
	host := strings.TrimPrefix(address, "jdbc:")
	if _, settings, ok := strings.Cut(host, "host="); ok {
		host, _, _ = strings.Cut(settings, " ")
	}
	for _, local := range [...]string{"unix:", "npipe:", "fd:", "file:", "sqlite", "/"} {
		if strings.HasPrefix(host, local) {
			return false
		}
	}
	host = HostOf(host)
	if host == "" || strings.Contains(host, effect.Unknown) || LocalHost(host) {
		return false
	}
	return !Service(host) || strings.Contains(host, "prod") || host == "live"
}

// NamesElsewhere reports such a URL, alone or after an option, or such settings.
func NamesElsewhere(text string) bool {
	i := strings.Index(text, "://")
	return i > 0 && Elsewhere(text[strings.LastIndexByte(text[:i], '=')+1:]) || strings.HasPrefix(text, "host=") &&
		Elsewhere(text)
}

// BareAddress reports the number of a machine that is not in the own network.
func BareAddress(host string) bool {
	ip, err := netip.ParseAddr(host)
	return err == nil && ip.Is4() && !ip.IsLoopback() && !ip.IsUnspecified() && !ip.IsPrivate()
}

// LocalHost reports names of this machine.
func LocalHost(host string) bool {
	if ip, err := netip.ParseAddr(host); err == nil {
		return ip.IsLoopback() || ip.IsUnspecified()
	}
	switch {
	case strings.Contains(host, effect.Unknown), host == "":
		return false
	case host == "localhost", host == "host.docker.internal", host == "host.pillion": // inside, by a grant
		return true
	}
	return effect.Ends(host, ".localhost .local .test .internal .lan")
}

// Metadata reports the addresses under which clouds hand out credentials, in
// every spelling that leads there.
func Metadata(host string) bool {
	for _, answersWithItself := range [...]string{".nip.io", ".sslip.io", ".xip.io"} {
		host = strings.TrimSuffix(host, answersWithItself)
	}
	host = strings.TrimSuffix(host, effect.Unknown) // http://169.254.170.2$PATH_OF_KEYS
	if ip, err := netip.ParseAddr(host); err == nil {
		host = ip.Unmap().String()
	} else if ip, ok := classic(host); ok {
		host = ip.String()
	}
	return effect.Among(host, `169.254.169.254 169.254.170.2 fd00:ec2::254 100.100.100.200 metadata.google.internal
		metadata metadata.azure.com`)
}

// classic is an address as inet_aton reads it: one to four numbers, octal or
// hexadecimal, too, of which the last fills what is left.
func classic(host string) (netip.Addr, bool) {
	parts := strings.SplitN(host, ".", 5)
	if len(parts) > 4 {
		return netip.Addr{}, false
	}
	var sum uint64
	for i, part := range parts {
		bits := 8
		if i == len(parts)-1 {
			bits = 8 * (4 - i)
		}
		n, err := strconv.ParseUint(part, 0, bits)
		if err != nil {
			return netip.Addr{}, false
		}
		sum = sum<<bits | n
	}
	return netip.AddrFrom4([4]byte{byte(sum >> 24), byte(sum >> 16), byte(sum >> 8), byte(sum)}), true
}

// AsksPassword reports the prompt of a password that is not this command's.
func AsksPassword(prompt string) bool {
	prompt = strings.ToLower(prompt)
	return strings.Contains(prompt, "password") && (effect.Holds(prompt, "sudo login") ||
		strings.Contains(prompt, "for ") || strings.Contains(prompt, "your "))
}

// Loaders reports variables that make programs load or run code when they start.
// ENV is not one: plain sh reads it only when interactive, and people mean "production".
func Loaders(name string) bool {
	return effect.Among(name, "LD_PRELOAD LD_AUDIT DYLD_INSERT_LIBRARIES BASH_ENV PROMPT_COMMAND")
}

// Socket reports the door of a container daemon: who may use it is root.
func Socket(p string) bool {
	return effect.Ends(p, "/docker.sock /podman.sock /containerd.sock /crio.sock")
}

// BlockDevice reports the names of disks on Linux and macOS.
func BlockDevice(p string) bool {
	name, ok := strings.CutPrefix(p, "/dev/")
	return ok && name != "" && effect.Begins(name[:len(name)-1],
		"sd hd vd xvd nvme mmcblk loop dm- md mapper/ disk rdisk sr nbd zd ram")
}

// Device reports the special files that hold no data. Their names decide: /dev/stdin
// resolves to whatever is connected.
func Device(p string) bool {
	name, ok := strings.CutPrefix(p, "/dev/")
	if !ok {
		name, ok = strings.CutPrefix(p, "/proc/self/fd/")
		return ok && name != "" && strings.Trim(name, "0123456789") == ""
	}
	switch name {
	case "null", "zero", "full", "random", "urandom", "stdin", "stdout", "stderr", "tty", "fd":
		return true
	}
	fd, ok := strings.CutPrefix(name, "fd/")
	return ok && fd != "" && strings.Trim(fd, "0123456789") == ""
}

// BashSocket reports the names that bash makes connections of.
func BashSocket(path string) bool {
	return strings.HasPrefix(path, "/dev/tcp/") || strings.HasPrefix(path, "/dev/udp/")
}

// EndlessDevice reports a device from which reading never ends.
func EndlessDevice(p string) bool {
	return p == "/dev/zero" || p == "/dev/urandom" || p == "/dev/random" || p == "/dev/full"
}

// Shower is what Facts may be besides: the plan of the sandbox that a command
// will run in. A command is never refused what that shows,
// nor what a person has granted.
type Shower interface {
	// Shows names the row of the plan by which a command may read the resolved path, or "".
	Shows(path string) (row string)
	// Grants says that a person lets this command write to the resolved path, outside
	// of the workspace.
	Grants(path string) bool
}

// Sealer is what Facts may be as well: it knows what the sandbox seals.
type Sealer interface {
	// Obeyed says that programs of the person's obey a file at that path, relative to a
	// folder of the workspace, so that no command in the sandbox can write it.
	Obeyed(rel string) bool
}

// Shown reports a path outside the workspace that the sandbox lets commands read,
// credentials and accounts excepted.
func (w *World) Shown(e *effect.Effect) bool {
	plan, ok := w.Facts.(Shower)
	path := known(e.Path)
	if !ok || path == "" || path == "/etc" && !e.Discreet { // a copy of all of it
		return false
	}
	row := plan.Shows(path)
	if row == "system" && e.Recursive {
		return false // it is not known whether it is only read
	}
	return row != "" && !slices.Contains(Listed("accounts"), path) && !SecretPath(path)
}

// Granted reports a write outside the workspace that a person has granted. Other rules
// about the path still hold: a yes to a directory doesn't cover the credentials in it.
func (w *World) Granted(e *effect.Effect) bool {
	plan, ok := w.Facts.(Shower)
	if !ok || e.Path == "" || w.Restrict || SecretPath(e.Path) {
		return false
	}
	return plan.Grants(known(e.Path))
}

// known is a path as far as it has no pattern in it.
func known(path string) string {
	if i := strings.IndexAny(path, "*?["); i >= 0 {
		return path[:max(1, strings.LastIndexByte(path[:i], '/'))]
	}
	return path
}

// PolicyFile is the policy of a workspace folder; package config reads it.
// Some file systems don't tell its capitals apart.
const PolicyFile = ".pillion.toml"

// Obeyed reports files from which git, editors and agents start programs: what the
// sandbox seals, and what of a git directory only some commands may write.
func (w *World) Obeyed(p string) bool {
	plan, ok := w.Facts.(Sealer)
	recommends := strings.HasSuffix(p, "/.vscode/extensions.json") // each one asks before it comes
	return hook(p) || ok && !recommends && slices.ContainsFunc(w.Facts.Folders(), func(f string) bool {
		return p != f && Below(f, p) && plan.Obeyed(strings.TrimPrefix(p[len(f):], "/"))
	})
}

// hook is the answer where there is no sandbox to ask.
func hook(p string) bool {
	ends := func(file string) bool { return strings.HasSuffix(p, file) }
	return effect.Holds(p, "/.git/hooks/ /.idea/runConfigurations/ /.idea/runconfigurations/") ||
		slices.ContainsFunc(Listed("hooks"), ends)
}

// OptionName reports a file that is named like an option that runs something, for
// a later `tar cf a.tar *` to trip over.
func OptionName(name string) bool {
	return strings.HasPrefix(name, "-e sh") || strings.HasPrefix(name, "-e bash") ||
		effect.Begins(name, `--checkpoint-action --use-compress-program --to-command --compress-program --rsh
			--reference --exec --files0-from`)
}

// ManySources is a glob over the files of a language, but not over those that
// a tool generates (*.pb.go, *.d.ts) or in a folder of build output.
func ManySources(p string) bool {
	rest, glob := strings.CutPrefix(path.Base(p), "*")
	if !glob {
		return false
	}
	for _, dir := range strings.Split(path.Dir(p), "/") {
		if effect.Among(dir, `dist build out target tmp generated gen node_modules coverage vendor .cache`) {
			return false
		}
	}
	for _, test := range [...]string{".test", ".spec", "_test"} {
		rest = strings.TrimPrefix(rest, test)
	}
	return slices.Contains(Listed("sources"), rest)
}
