package guard

import (
	"slices"
	"strconv"
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
		_, inline := inlineCode("su", e.args)
		return !inline && !flagged(e.args, "-u")
	}
	if len(rest) == 0 {
		return login
	}
	name := base(rest[0].text)
	if _, sh := dialects[name]; !sh && name != "su" && name != "fish" {
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

// setsRights is chmod with a setuid bit, and setcap. A setgid directory only
// says whose group new files get.
func setsRights(_ *walker, e *effect) bool {
	switch {
	case e.runs("setcap"):
		return !flagged(e.args, "-r", "-v")
	case e.runs("install"):
		return anyText(e.args, func(s string) bool { return len(s) == 4 && s[0] >= '4' && s[0] <= '7' && octal(s) })
	case !e.runs("chmod"):
		return false
	}
	_, operands := bareSpec.options(e.args)
	if len(operands) == 0 {
		return false
	}
	for mode := range strings.SplitSeq(operands[0].text, ",") {
		if octal(mode) && len(mode) >= 4 && mode[len(mode)-4]-'0' >= 4 {
			return true
		}
		if who, perms, ok := cutAny(mode, "+="); ok && strings.Contains(perms, "s") && (who == "" || strings.ContainsAny(who, "ua")) {
			return true
		}
	}
	return false
}

func octal(s string) bool { return s != "" && strings.Trim(s, "01234567") == "" }

func cutAny(s, chars string) (before, after string, ok bool) {
	i := strings.IndexAny(s, chars)
	if i < 0 {
		return s, "", false
	}
	return s[:i], s[i+1:], true
}

func kernel(_ *walker, e *effect) bool {
	if e.kind != kindExec || flagged(e.args, "--help", "--version") {
		return false
	}
	verb := bareVerb(e)
	switch e.name {
	case "modprobe", "insmod", "rmmod", "kexec", "update-grub", "grub-install", "grub-mkconfig", "aa-teardown", "kldload", "kldunload":
		return !flagged(e.args, "-n", "--dry-run", "--show-depends")
	case "efibootmgr", "nvram":
		return flagged(e.args, "-B", "-b", "-o", "-c", "-d")
	case "swapoff":
		return true
	case "wmic":
		return anyFold(e.args, "shadowcopy") && anyFold(e.args, "delete")
	case "setenforce":
		return verb == "0" || strings.EqualFold(verb, "permissive")
	case "ufw":
		return verb == "disable" || verb == "reset" || verb == "default" || verb == "allow" || verb == "delete"
	case "iptables", "ip6tables", "iptables-legacy":
		return flagged(e.args, "-F", "--flush", "-X", "-P", "-D", "-A", "-I", "-R", "-Z", "--policy", "--append", "--insert", "--delete")
	case "nft":
		return slices.Contains([]string{"flush", "delete", "add", "insert", "destroy"}, verb)
	case "firewall-cmd":
		return !anyText(e.args, func(s string) bool {
			return strings.HasPrefix(s, "--list") || strings.HasPrefix(s, "--get") || s == "--state"
		})
	case "sysctl":
		return flagged(e.args, "-w", "--write", "-p", "--system") || strings.Contains(verb, "=")
	case "csrutil", "spctl", "fdesetup":
		return anyText(e.args, func(s string) bool { return strings.HasSuffix(s, "disable") || s == "clear" })
	case "set-mppreference", "add-mppreference", "set-netfirewallprofile", "disable-netadapter", "enable-psremoting", "disable-bitlocker":
		return true
	case "bcdedit", "bootrec":
		return len(e.args) > 0 && !anyFold(e.args, "/enum")
	case "vssadmin", "wbadmin":
		return anyFold(e.args, "delete", "resize")
	case "systemctl":
		return (verb == "stop" || verb == "disable" || verb == "mask") && anyText(e.args, func(s string) bool {
			return slices.Contains([]string{"firewalld", "ufw", "apparmor", "auditd", "nftables", "iptables", "falcon-sensor", "clamav-daemon"}, strings.TrimSuffix(s, ".service"))
		})
	}
	return false
}

var volumes = phrases{
	"lvremove": "", "vgremove": "", "pvremove": "", "lvreduce": "", "zpool": "destroy labelclear", "zfs": "destroy rollback", "btrfs": "subvolume+delete", "tmutil": "delete deletelocalsnapshots disable",
	"diskutil": "erase* partitionDisk secureErase zeroDisk randomDisk apfs+delete* reformat", "dmsetup": "remove wipe_table",
}

func destroysVolume(_ *walker, e *effect) bool {
	switch {
	case e.runs("mdadm"):
		return flagged(e.args, "--stop", "-S", "--zero-superblock", "--fail", "--remove")
	case e.runs("umount"):
		return flagged(e.args, "-a", "--all")
	}
	return volumes.match(e)
}

var packageTools = phrases{
	"apt": "install remove purge autoremove upgrade full-upgrade dist-upgrade update", "apt-get": "install remove purge autoremove upgrade dist-upgrade update", "aptitude": "install remove purge upgrade",
	"dnf": "install remove erase upgrade update autoremove reinstall downgrade group", "yum": "install remove erase upgrade update autoremove localinstall", "microdnf": "install remove update",
	"zypper": "install in remove rm update up dup", "apk": "add del upgrade", "snap": "install remove refresh", "flatpak": "install uninstall update remove", "port": "install uninstall upgrade", "emerge": "",
	"brew": "install uninstall remove rm upgrade reinstall tap untap link unlink cleanup autoremove pin bundle", "choco": "install uninstall upgrade", "winget": "install uninstall upgrade", "scoop": "install uninstall update",
	"yarn": "global+add global+remove global+upgrade", "pkg": "install delete remove upgrade", "opkg": "install remove upgrade", "xbps-install": "", "swupd": "bundle-add", "softwareupdate": "", "nix-env": "", "msiexec": "",
}

func changesPackages(_ *walker, e *effect) bool {
	if e.kind != kindExec {
		return false
	}
	verb := bareVerb(e)
	switch e.name {
	case "npm", "pnpm", "bun":
		return slices.Contains([]string{"install", "i", "add", "uninstall", "remove", "rm", "un", "update", "up", "upgrade"}, verb) && flagged(e.args, "-g", "--global", "--location")
	case "pip", "pip3", "uv":
		return (verb == "install" || verb == "uninstall" || verb == "pip") && flagged(e.args, "--break-system-packages")
	case "pacman", "yay", "paru":
		return !rehearsal(e.args) && anyText(e.args, func(s string) bool {
			return strings.HasPrefix(s, "-R") || strings.HasPrefix(s, "-U") || s == "--remove" || s == "--sync" || strings.HasPrefix(s, "-S") && !strings.ContainsAny(s, "sigl")
		})
	case "dpkg":
		return flagged(e.args, "-i", "--install", "-r", "--remove", "-P", "--purge", "--unpack") && !flagged(e.args, "-l", "--list")
	case "rpm":
		return flagged(e.args, "-i", "-U", "-F", "-e", "--install", "--upgrade", "--erase") && !flagged(e.args, "-q", "--query")
	case "install-package", "uninstall-package", "add-appxpackage", "remove-appxpackage", "enable-windowsoptionalfeature", "install-windowsfeature":
		return true
	case "install-module":
		return !anyFold(e.args, "currentuser")
	case "nix-env":
		return flagged(e.args, "-i", "-e", "-u", "--install", "--uninstall", "--upgrade")
	case "softwareupdate":
		return flagged(e.args, "-i", "--install", "-a")
	case "brew":
		if verb == "bundle" && anyText(e.args, func(s string) bool { return s == "check" || s == "list" || s == "dump" }) {
			return false
		}
	}
	return packageTools.match(e)
}

// plainSource reports packages from an address that nobody vouches for.
func plainSource(_ *walker, e *effect) bool {
	if !e.runs("pip", "pip3", "uv", "npm", "pnpm", "yarn", "bun", "gem", "cargo", "poetry", "go", "npx", "bundle", "composer") {
		return false
	}
	if e.name == "npm" && len(e.args) > 2 && anyText(e.args[:3], func(s string) bool { return s == "script-shell" }) {
		return true
	}
	return flagged(e.args, "--trusted-host") || anyText(e.args, func(s string) bool {
		_, url, ok := strings.Cut(s, "http://")
		program := e.name == "go" && bareVerb(e) == "env" && (strings.Contains(s, "-toolexec") || strings.HasPrefix(s, "GOFLAGS=") && strings.Contains(s, "exec"))
		return program || ok && installs(e) && !localHost(hostOf(url)) && !service(hostOf(url))
	})
}

// installs keeps tests that are given an address apart from installers.
func installs(e *effect) bool {
	verbs := []string{"install", "i", "add", "download", "wheel", "config", "set", "env", "get", "ci", "update", "require", "source", "sources", "pip"}
	return slices.Contains(verbs, bareVerb(e))
}

var services = phrases{
	"hostnamectl": "set-hostname hostname", "timedatectl": "set-*", "localectl": "set-*", "rfkill": "block unblock", "networksetup": "", "scutil": "", "defaults": "write delete import", "pmset": "", "hwclock": "",
	"launchctl": "unload bootout remove kickstart disable stop", "brew": "services+start services+stop services+restart", "sc": "stop delete config create start", "update-alternatives": "", "loginctl": "terminate-* kill-*",
	"systemctl": "start stop restart reload disable mask kill isolate set-default daemon-reload daemon-reexec try-restart unmask revert set-property", "rc-service": "*+stop *+restart *+start",
	"nmcli": "radio+* networking+* connection+up connection+down connection+delete connection+modify connection+add con+* device+disconnect device+connect device+wifi+connect", "vagrant": "destroy", "netsh": "",
}

func changesServices(_ *walker, e *effect) bool {
	if e.kind != kindExec || flagged(e.args, "--help", "--version", "--show", "--list") {
		return false
	}
	_, operands := bareSpec.options(e.args)
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
		return flagged(e.args, "-s", "--set")
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
	case "taskkill":
		return anyFold(e.args, "/im", "-im", "//im") || anyFold(e.args, "/fi")
	case "stop-process":
		return !anyFold(e.args, "-id") && anyText(e.args, func(s string) bool {
			return !strings.HasPrefix(s, "-") && !strings.Contains(s, unknown) && strings.Trim(s, "0123456789") != ""
		})
	case "tmux":
		return bareVerb(e) == "kill-server"
	case "wsl":
		return anyText(e.args, func(s string) bool { return s == "--shutdown" || s == "--unregister" })
	}
	return false
}

// opensAll is chmod and chown over a tree, to everyone, to nobody or to root.
func opensAll(_ *walker, e *effect) bool {
	found := slices.ContainsFunc(e.via, func(l Link) bool { return strings.HasPrefix(l.Construct, "find ") || l.Construct == "xargs" })
	if !e.runs("chmod", "chown", "chgrp") || !found && !flagged(e.args, "-R", "--recursive") {
		return false
	}
	operands := skipModes(e.args)
	if len(operands) == 0 {
		return false
	}
	if e.name != "chmod" {
		owner, _, _ := strings.Cut(operands[0], ":")
		return owner == "root" || owner == "0" || owner == "nobody"
	}
	for mode := range strings.SplitSeq(operands[0], ",") {
		if octal(mode) {
			others := mode[len(mode)-1]
			return others == '7' || others == '6' || others == '3' || others == '2' || strings.Trim(mode, "0") == ""
		}
		if who, perms, ok := cutAny(mode, "+="); ok && strings.Contains(perms, "w") && strings.ContainsAny(who, "ao") {
			return true
		}
		if who, perms, ok := cutAny(mode, "-"); ok && (who == "" || strings.Contains(who, "a") || strings.Contains(who, "u")) && strings.ContainsAny(perms, "rx") {
			return true
		}
	}
	return false
}

// skipModes is the operands of chmod: `-R`, but not the mode `-w`.
func skipModes(args []arg) []string {
	var out []string
	for _, a := range args {
		if !strings.HasPrefix(a.text, "-") || len(a.text) > 1 && strings.Trim(a.text[1:], "rwxXst") == "" {
			out = append(out, a.text)
		}
	}
	return out
}

var attackTools = []string{
	"xmrig", "minerd", "cpuminer", "ethminer", "nbminer", "cgminer", "bfgminer", "lolMiner", "masscan", "hydra", "medusa", "sqlmap", "nikto", "msfconsole", "msfvenom", "aircrack-ng", "ettercap", "bettercap",
	"responder", "wpscan", "gobuster", "dirb", "john", "hashcat", "mimikatz", "linpeas.sh", "tcpdump", "gcore", "dsniff", "arpspoof", "slowloris", "hping3",
}

func attackTool(_ *walker, e *effect) bool {
	if e.kind != kindExec || flagged(e.args, "--help", "--version") {
		return false
	}
	if e.name == "nmap" {
		_, operands := bareSpec.options(e.args)
		return len(operands) > 0 && !localHost(operands[len(operands)-1].text)
	}
	return slices.Contains(attackTools, e.name)
}

// floods is writing without an end, or beyond maxFile.
func floods(_ *walker, e *effect) bool {
	if e.kind == kindBomb && e.name == endlessWrite {
		return true
	}
	switch {
	case e.runs("dd"):
		return ddFloods(e.args)
	case e.runs("fallocate", "truncate", "mkfile"):
		opts, operands := sizeSpec.options(e.args)
		limit := int64(maxFile)
		if e.name == "truncate" { // it makes a file with a hole, which takes no room
			limit *= 100
		}
		for _, o := range opts {
			if named(o, "-l", "--length", "-s", "--size") && size(o.value.text) > limit {
				return true
			}
		}
		return e.name == "mkfile" && len(operands) > 0 && size(operands[0].text) > limit
	case e.runs("head"):
		opts, operands := sizeSpec.options(e.args)
		endless := anyText(operands, endlessDevice)
		return endless && slices.ContainsFunc(opts, func(o option) bool { return named(o, "-c", "--bytes") && size(o.value.text) > maxFile })
	}
	return false
}

var sizeSpec = newSpec(":::", "-l: --length: -s: --size: -c: --bytes: -n: --lines:")

// maxFile is the largest file that a test needs.
const maxFile = 64 << 30

func endlessDevice(p string) bool {
	return p == "/dev/zero" || p == "/dev/urandom" || p == "/dev/random" || p == "/dev/full"
}

func ddFloods(args []arg) bool {
	from, block, count, file := "", int64(512), int64(-1), false
	for _, a := range args {
		switch key, value, _ := strings.Cut(a.text, "="); key {
		case "if":
			from = value
		case "of":
			file = value != "/dev/null" && value != "/dev/stdout"
		case "bs", "obs", "ibs":
			block = size(value)
		case "count":
			count = size(value)
		}
	}
	if !endlessDevice(from) || !file {
		return false
	}
	return count < 0 || block > 0 && count > maxFile/block
}

// size reads 10M, 2G, 4kB; 0 when it is none, or only known at run time.
func size(s string) int64 {
	digits := strings.TrimLeft(s, "0123456789")
	n, err := strconv.ParseInt(s[:len(s)-len(digits)], 10, 64)
	if err != nil {
		return 0
	}
	shift := 0
	if digits != "" {
		shift = 10 * (1 + strings.IndexByte("KMGTPE", strings.ToUpper(digits)[0]))
	}
	if shift > 0 && n > 1<<62>>shift {
		return 1 << 62
	}
	return n << shift
}
