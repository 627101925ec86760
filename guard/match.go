package guard

import (
	"path"
	"slices"
	"strings"
	"sync"
)

// downloaders print what came over the network.
var downloaders = []string{"curl", "wget", "fetch", "aria2c", "axel", "lwp-download", "lwp-request", "GET", "w3m", "http", "https", "xh", "nc", "ncat", "netcat", "socat", "ssh", "ftp", "lynx", "openssl"}

// loaders are variables that make programs load or run code when they start.
// ENV is not one: plain sh reads it only when interactive, and people mean "production".
var loaders = sync.OnceValue(func() map[string]bool {
	return map[string]bool{
		"LD_PRELOAD": true, "LD_AUDIT": true, "DYLD_INSERT_LIBRARIES": true, "BASH_ENV": true, "PROMPT_COMMAND": true,
	}
})

func problem(name string) func(*walker, *effect) bool {
	return func(_ *walker, e *effect) bool { return e.kind == kindProblem && e.name == name }
}

func writes(e *effect) bool { return e.kind == kindWrite || e.kind == kindDelete }

// blockDevice reports the names of disks on Linux and macOS.
func blockDevice(p string) bool {
	name, ok := strings.CutPrefix(p, "/dev/")
	if !ok {
		return false
	}
	for _, prefix := range [...]string{"sd", "hd", "vd", "xvd", "nvme", "mmcblk", "loop", "dm-", "md", "mapper/", "disk", "rdisk", "sr", "nbd", "zd", "ram"} {
		if strings.HasPrefix(name, prefix) && len(name) > len(prefix) {
			return true
		}
	}
	return false
}

// vital reports what must never be deleted: the root, its directories, homes,
// and what holds a workspace or the home; also all of their contents at once.
func (w *walker) vital(p string) bool {
	p = strings.TrimSuffix(p, "/*")
	if p == "" || p == "/" || p == w.home {
		return true
	}
	dir := path.Dir(p)
	if rootOfDrives(p) || dir == "/" || dir == "/home" || dir == "/Users" {
		return true
	}
	holds := func(inner string) bool { return strings.HasPrefix(inner, p+"/") }
	return holds(w.home) || slices.ContainsFunc(w.facts.Folders(), holds)
}

func formats(_ *walker, e *effect) bool {
	if e.kind != kindExec {
		return false
	}
	switch name := e.name; {
	case name == "nvme":
		return slices.Contains([]string{"format", "sanitize", "write-zeroes", "dsm", "fw-commit", "fw-download", "fw-activate", "delete-ns"}, bareVerb(e))
	case name == "sg_format" || name == "sg_sanitize":
		return len(e.args) > 0 && !helps(e)
	case slices.Contains([]string{"diskpart", "format-volume", "clear-disk", "initialize-disk", "remove-partition", "resize-partition", "remove-virtualdisk", "remove-storagepool", "reset-physicaldisk"}, name):
		return true
	case name == "cipher":
		return anyFold(e.args, "/w") || anyText(e.args, func(s string) bool { return strings.HasPrefix(strings.ToLower(s), "/w:") })
	case name == "mountvol":
		return anyFold(e.args, "/d")
	case name == "format":
		return slices.ContainsFunc(e.args, func(a arg) bool { return len(a.text) == 2 && a.text[1] == ':' })
	case name == "mkfs", strings.HasPrefix(name, "mkfs."), slices.Contains([]string{"wipefs", "fdisk", "sfdisk", "cfdisk", "gdisk", "sgdisk", "parted", "mke2fs", "mkswap", "mkntfs", "newfs", "blkdiscard", "badblocks", "hdparm", "cryptsetup", "pvcreate"}, name):
		return slices.ContainsFunc(e.args, func(a arg) bool { return strings.HasPrefix(a.text, "/dev/") || strings.Contains(a.text, unknown) })
	}
	return false
}

func powersOff(_ *walker, e *effect) bool {
	if e.kind != kindExec {
		return false
	}
	has := func(words ...string) bool {
		return slices.ContainsFunc(e.args, func(a arg) bool { return slices.Contains(words, a.text) })
	}
	switch e.name {
	case "wmic":
		return anyFold(e.args, "call") && anyFold(e.args, "reboot", "shutdown", "win32shutdown")
	case "stop-computer", "restart-computer", "suspend-computer", "logoff", "tsdiscon":
		return true
	case "shutdown":
		if has("/a", "/?", "-a") && len(e.args) == 1 {
			return false
		}
		return !has("--help", "--version", "-h", "-?") || len(e.args) > 1
	case "reboot", "halt", "poweroff":
		return !has("--help", "--version", "-h", "-?") || len(e.args) > 1 || e.name == "halt"
	case "init", "telinit":
		return len(e.args) > 0 && slices.Contains([]string{"0", "1", "6", "S", "s"}, e.args[0].text)
	case "systemctl", "loginctl":
		verbs := slices.DeleteFunc(slices.Clone(e.args), func(a arg) bool { return strings.HasPrefix(a.text, "-") })
		return len(verbs) > 0 && slices.Contains([]string{"reboot", "poweroff", "halt", "kexec", "suspend", "sleep", "suspend-then-hibernate", "hibernate", "hybrid-sleep", "soft-reboot", "emergency", "rescue"}, verbs[0].text) ||
			len(verbs) > 1 && (verbs[0].text == "start" || verbs[0].text == "isolate") && slices.ContainsFunc(verbs[1:], endsSession)
	}
	return asksPower(e)
}

// endsSession reports a unit of systemd that takes the machine down.
func endsSession(unit arg) bool {
	name, _, _ := strings.Cut(strings.TrimPrefix(unit.text, "systemd-"), ".")
	return slices.Contains([]string{"reboot", "poweroff", "halt", "kexec", "suspend", "sleep", "suspend-then-hibernate", "hibernate", "hybrid-sleep", "soft-reboot", "emergency", "rescue", "shutdown", "ctrl-alt-del", "runlevel0", "runlevel6"}, name)
}

// deletesAll is the contents of a workspace folder or of an allowed root at
// once, a folder as ".", and git's own directory.
func deletesAll(w *walker, e *effect) bool {
	if e.kind != kindDelete || e.unknown {
		return false
	}
	if e.maybe && !strings.Contains(e.text, "*") && path.Clean(e.text) != "." {
		return false // a name that is not there
	}
	for _, root := range slices.Concat(w.facts.Folders(), w.roots) {
		rest, ok := strings.CutPrefix(e.path, root)
		if ok && strings.HasPrefix(rest, "/.git/") && strings.HasSuffix(rest, ".lock") {
			return false // what a git that was stopped leaves behind
		}
		if ok && (rest == "" || rest == "/*" || rest == "/.*" || rest == "/.[!.]*" || rest == "/.git" || strings.HasPrefix(rest, "/.git/")) {
			return true
		}
	}
	return strings.HasSuffix(e.path, "/.git")
}
