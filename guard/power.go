package guard

import (
	"slices"
	"strings"
)

// asksPower is turning the machine off by asking another program to: the session
// manager over D-Bus, the desktop, the clock, the board.
func asksPower(e *effect) bool {
	switch e.name {
	case "rtcwake":
		opts, _ := rtcwakeSpec.options(e.args)
		mode := "mem"
		for _, o := range opts {
			if named(o, "-m", "--mode") && o.valued {
				mode = o.value.text
			}
			if named(o, "--help", "--version", "-h", "-V", "-n", "--dry-run", "--list-modes") {
				return false
			}
		}
		return !slices.Contains([]string{"no", "on", "disable", "show"}, mode)
	case "dbus-send", "busctl", "gdbus", "qdbus", "qdbus6":
		return callsPower(e.args)
	case "osascript":
		return anyText(e.args, func(s string) bool {
			s = strings.ToLower(s)
			return strings.HasPrefix(s, "tell ") && (strings.HasSuffix(s, " shut down") || strings.HasSuffix(s, " restart") || strings.HasSuffix(s, " sleep") || strings.HasSuffix(s, " log out"))
		})
	case "ipmitool":
		_, words := ipmiSpec.options(e.args)
		return len(words) > 0 && (words[0].text == "power" || words[0].text == "chassis") && slices.Contains([]string{"off", "cycle", "reset", "soft", "diag"}, words[len(words)-1].text)
	case "pmset":
		return anyText(e.args, func(s string) bool { return s == "sleepnow" })
	case "pm-suspend", "pm-hibernate", "zzz", "acpiconf":
		return !helps(e)
	}
	return false
}

var (
	rtcwakeSpec = newSpec(":::", "-m: --mode: -s: --seconds: -t: --time: --date: -A: --adjfile: -d: --device:")
	ipmiSpec    = newSpec(":::", "-H: -U: -P: -I: -p: -L: -E: -f:")
)

// callsPower finds a method of the session or service manager that ends the
// session, as one word or as the word after the interface.
func callsPower(args []arg) bool {
	var manager bool
	for _, a := range args {
		s := a.text
		manager = manager || strings.Contains(s, "org.freedesktop.login1") || strings.Contains(s, "org.freedesktop.systemd1") || strings.Contains(s, "SessionManager") || strings.Contains(s, "ConsoleKit") || strings.Contains(s, "UPower")
		method := s[strings.LastIndexByte(s, '.')+1:]
		if manager && slices.Contains([]string{"Reboot", "PowerOff", "Halt", "Suspend", "Hibernate", "HybridSleep", "SuspendThenHibernate", "KExec", "Shutdown", "Restart", "Stop", "RebootWithFlags", "PowerOffWithFlags", "TerminateSession", "TerminateUser", "KillUser", "Logout", "logout"}, method) {
			return true
		}
	}
	return false
}

// makesDevice is a device node, or firmware that is written.
func makesDevice(_ *walker, e *effect) bool {
	if e.kind != kindExec || helps(e) {
		return false
	}
	switch e.name {
	case "mknod":
		_, operands := newSpec(":::", "-m: --mode: -Z:").options(e.args)
		return len(operands) > 1 && slices.Contains([]string{"b", "c", "u"}, operands[1].text)
	case "flashrom":
		return flagged(e.args, "-w", "-E", "--write", "--erase")
	case "fwupdmgr", "fwupdtool":
		return slices.Contains([]string{"install", "update", "upgrade", "downgrade", "reinstall", "install-blob"}, bareVerb(e))
	case "afuefi", "afulnx", "afulnx_64":
		return len(e.args) > 0
	}
	return false
}
