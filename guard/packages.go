package guard

import (
	"slices"
	"strings"
)

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
	return flagged(e.args, "--trusted-host") || anyText(e.args, func(s string) bool {
		_, url, ok := strings.Cut(s, "http://")
		return ok && installs(e) && !localHost(hostOf(url)) && !service(hostOf(url))
	})
}

// installs keeps tests that are given an address apart from installers.
func installs(e *effect) bool {
	verbs := []string{"install", "i", "add", "download", "wheel", "config", "set", "env", "get", "ci", "update", "require", "source", "sources", "pip"}
	return slices.Contains(verbs, bareVerb(e))
}
