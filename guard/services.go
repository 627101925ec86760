package guard

import (
	"slices"
	"strings"
	"sync"
)

var services = sync.OnceValue(func() phrases {
	return phrases{
		"hostnamectl": "set-hostname hostname", "timedatectl": "set-*", "localectl": "set-*", "rfkill": "block unblock", "networksetup": "", "scutil": "", "defaults": "write delete import", "pmset": "", "hwclock": "",
		"launchctl": "unload bootout remove kickstart disable stop", "brew": "services+start services+stop services+restart", "sc": "stop delete config create start", "net": "stop start pause continue", "net1": "stop start pause continue", "update-alternatives": "", "loginctl": "terminate-* kill-*",
		"systemctl": "start stop restart reload disable mask kill isolate set-default daemon-reload daemon-reexec try-restart unmask revert set-property", "rc-service": "*+stop *+restart *+start",
		"nmcli": "radio+* networking+* connection+up connection+down connection+delete connection+modify connection+add con+* device+disconnect device+connect device+wifi+connect", "netsh": "", "udisksctl": "mount unmount power-off loop-setup loop-delete lock unlock", "cpupower": "frequency-set set idle-set", "security": "add-trusted-cert remove-trusted-cert delete-certificate import set-keychain-settings", "trust": "anchor", "update-ca-certificates": "", "update-ca-trust": "", "locale-gen": "", "supervisorctl": "stop restart shutdown reload start remove", "apachectl": "stop restart graceful graceful-stop", "apache2ctl": "stop restart graceful graceful-stop", "resolvectl": "dns domain revert dnssec llmnr mdns", "tc": "qdisc+add qdisc+del qdisc+replace qdisc+change", "usbip": "attach bind",
	}
})

func changesServices(_ *walker, e *effect) bool {
	if e.kind != kindExec || helps(e) || flagged(e.args[:min(len(e.args), 64)], "--show", "--list") {
		return false
	}
	_, operands := bareSpec.options(e.args[:min(len(e.args), 64)])
	words := texts(operands[:min(len(operands), 16)])
	switch e.name {
	case "service":
		return len(words) > 1 && slices.Contains([]string{"start", "stop", "restart", "reload", "force-reload"}, words[1])
	case "stop-service", "start-service", "restart-service", "set-service", "new-service", "remove-service", "suspend-service", "new-netfirewallrule", "set-dnsclientserveraddress", "set-netipaddress", "new-netipaddress", "remove-netipaddress", "enable-windowsoptionalfeature", "disable-windowsoptionalfeature", "install-windowsfeature", "uninstall-windowsfeature", "set-date", "rename-computer", "set-timezone", "setx", "clear-recyclebin":
		return true
	case "set-executionpolicy":
		return !anyFold(e.args, "process")
	case "set-itemproperty", "new-itemproperty", "remove-itemproperty", "remove-item":
		return anyText(e.args, func(s string) bool { return registry(strings.ToLower(s)) })
	case "assoc", "ftype":
		return len(e.args) > 1 || anyText(e.args, func(s string) bool { return strings.Contains(s, "=") }) // cmd takes = for a blank
	case "regedit":
		return len(e.args) > 0 && !anyFold(e.args, "/e")
	case "reg":
		return anyFold(e.args, "add", "delete", "import", "restore", "load")
	case "mount":
		return len(words) > 0 && !flagged(e.args, "-l") || flagged(e.args, "-a")
	case "umount", "swapon", "fusermount":
		return len(words) > 0
	case "date":
		return flagged(slices.DeleteFunc(slices.Clone(e.args), func(a arg) bool {
			return strings.HasPrefix(a.text, "-I") // -Iseconds is a format
		}), "-s", "--set")
	case "ip":
		return len(words) > 1 && slices.ContainsFunc(words[1:min(len(words), 3)], func(s string) bool {
			return slices.Contains([]string{"set", "add", "del", "delete", "flush", "change", "replace"}, s)
		})
	case "ifconfig":
		return len(words) > 1
	case "route":
		return len(words) > 0 && (words[0] == "add" || words[0] == "del" || words[0] == "flush")
	case "update-alternatives":
		return flagged(e.args, "--set", "--install", "--remove", "--config", "--auto")
	case "networksetup":
		return anyText(e.args, func(s string) bool { return strings.HasPrefix(s, "-set") })
	case "scutil":
		return flagged(e.args, "--set") || anyText(e.args, func(s string) bool { return s == "--set" })
	case "pmset":
		return len(words) > 0 && !flagged(e.args, "-g")
	case "nginx":
		opts, _ := newSpec(":::", "-s: -c: -p: -g: -e:").options(e.args)
		return slices.ContainsFunc(opts, func(o option) bool {
			return o.name == "-s" && (o.value.text == "stop" || o.value.text == "quit")
		})
	case "hostname":
		return len(words) > 0 && len(words) == len(e.args) || flagged(e.args, "-F", "--file", "-b", "--boot")
	case "systemsetup":
		return anyText(e.args, func(s string) bool { return strings.HasPrefix(s, "-set") })
	case "losetup":
		return len(words) > 0 || flagged(e.args, "-d", "-D", "--detach", "--detach-all")
	case "mkcert":
		return anyText(e.args, func(s string) bool { return s == "-install" || s == "-uninstall" })
	case "ldconfig":
		return !flagged(e.args, "-p", "-N", "-v", "--print-cache")
	case "setxkbmap":
		return len(words) > 0
	case "renice":
		return anyText(e.args, func(s string) bool { return strings.HasPrefix(s, "-") && len(s) > 1 && s[1] >= '0' && s[1] <= '9' })
	case "dbus-send", "busctl", "gdbus":
		return anyText(e.args, func(s string) bool {
			return slices.Contains([]string{"StopUnit", "StartUnit", "RestartUnit", "DisableUnitFiles", "EnableUnitFiles", "MaskUnitFiles", "KillUnit", "SetHostname", "SetTimezone", "SetTime"}, s[strings.LastIndexByte(s, '.')+1:])
		})
	case "hwclock":
		return flagged(e.args, "-w", "--systohc", "--set", "-s", "--hctosys")
	case "netsh":
		return anyFold(e.args, "set", "add", "delete", "reset")
	case "systemctl":
		if strings.HasPrefix(bareVerb(e), "list") {
			return false
		}
	}
	return services().match(e)
}
