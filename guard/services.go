package guard

import (
	"slices"
	"strings"
)

var services = phrases{
	"hostnamectl": "set-hostname hostname", "timedatectl": "set-*", "localectl": "set-*", "rfkill": "block unblock", "networksetup": "", "scutil": "", "defaults": "write delete import", "pmset": "", "hwclock": "",
	"launchctl": "unload bootout remove kickstart disable stop", "brew": "services+start services+stop services+restart", "sc": "stop delete config create start", "update-alternatives": "", "loginctl": "terminate-* kill-*",
	"systemctl": "start stop restart reload disable mask kill isolate set-default daemon-reload daemon-reexec try-restart unmask revert set-property", "rc-service": "*+stop *+restart *+start",
	"nmcli": "radio+* networking+* connection+up connection+down connection+delete connection+modify connection+add con+* device+disconnect device+connect device+wifi+connect", "vagrant": "destroy", "netsh": "",
}

func changesServices(_ *walker, e *effect) bool {
	if e.kind != kindExec || helps(e) || flagged(e.args[:min(len(e.args), 64)], "--show", "--list") {
		return false
	}
	_, operands := bareSpec.options(e.args[:min(len(e.args), 64)])
	words := texts(operands[:min(len(operands), 16)])
	switch e.name {
	case "service":
		return len(words) > 1 && slices.Contains([]string{"start", "stop", "restart", "reload", "force-reload"}, words[1])
	case "stop-service", "start-service", "restart-service", "set-service", "new-service", "remove-service", "new-netfirewallrule", "set-date", "rename-computer", "set-timezone", "setx", "clear-recyclebin":
		return true
	case "set-executionpolicy":
		return !anyFold(e.args, "process")
	case "set-itemproperty", "new-itemproperty", "remove-itemproperty", "remove-item":
		return anyText(e.args, func(s string) bool { return registry(strings.ToLower(s)) })
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
	case "hwclock":
		return flagged(e.args, "-w", "--systohc", "--set", "-s", "--hctosys")
	case "netsh":
		return anyFold(e.args, "set", "add", "delete", "reset")
	case "systemctl":
		if strings.HasPrefix(bareVerb(e), "list") {
			return false
		}
	}
	return services.match(e)
}
