package guard

import (
	"slices"
	"strings"
)

func killsByName(_ *walker, e *effect) bool {
	if e.kind != kindExec {
		return false
	}
	switch e.name {
	case "killall", "pkill", "skill", "xkill":
		return !flagged(e.args, "-0", "-l", "-P", "-V", "--parent", "--list", "--version", "--help")
	case "kill":
		return slices.ContainsFunc(e.args, func(a arg) bool {
			return slices.ContainsFunc(a.from, func(p string) bool { return p == "pgrep" || p == "pidof" || p == "ps" })
		}) && !flagged(e.args, "-0")
	case "wmic":
		return anyFold(e.args, "process") && anyFold(e.args, "delete", "terminate")
	case "tskill":
		return anyText(e.args, func(s string) bool { return !strings.HasPrefix(s, "/") && strings.Trim(s, "0123456789") != "" })
	case "taskkill":
		return anyFold(e.args, "/im", "-im", "//im") || anyFold(e.args, "/fi")
	case "stop-process":
		return !anyFold(e.args, "-id") && anyText(e.args, func(s string) bool {
			return !strings.HasPrefix(s, "-") && !strings.Contains(s, unknown) && strings.Trim(s, "0123456789") != ""
		})
	case "pm2":
		words := e.words()
		return begins(words, []string{"kill"}) || len(words) > 1 && words[1] == "all" && slices.Contains([]string{"stop", "delete", "del", "restart", "reload"}, words[0])
	case "tmux":
		return bareVerb(e) == "kill-server"
	case "wsl":
		return anyText(e.args, func(s string) bool { return s == "--shutdown" || s == "--unregister" })
	}
	return false
}

var attackTools = []string{
	"xmrig", "minerd", "cpuminer", "ethminer", "nbminer", "cgminer", "bfgminer", "lolMiner", "masscan", "hydra", "medusa", "sqlmap", "nikto", "msfconsole", "msfvenom", "aircrack-ng", "ettercap", "bettercap",
	"responder", "wpscan", "gobuster", "dirb", "john", "hashcat", "mimikatz", "linpeas.sh", "gcore", "dsniff", "arpspoof", "slowloris", "hping3",
}

func attackTool(_ *walker, e *effect) bool {
	if e.kind != kindExec || helps(e) {
		return false
	}
	if e.name == "nmap" {
		_, operands := bareSpec.options(e.args)
		return len(operands) > 0 && !localHost(operands[len(operands)-1].text)
	}
	return slices.Contains(attackTools, e.name)
}
