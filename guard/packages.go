package guard

import (
	"slices"
	"strings"
	"sync"
)

var packageTools = sync.OnceValue(func() phrases {
	return phrases{
		"apt": "install remove purge autoremove upgrade full-upgrade dist-upgrade update", "apt-get": "install remove purge autoremove upgrade dist-upgrade update", "aptitude": "install remove purge upgrade",
		"dnf": "install remove erase upgrade update autoremove reinstall downgrade group", "yum": "install remove erase upgrade update autoremove localinstall", "microdnf": "install remove update",
		"zypper": "install in remove rm update up dup", "apk": "add del upgrade", "snap": "install remove refresh revert enable disable connect disconnect alias set", "flatpak": "install uninstall update remove override remote-add remote-delete", "port": "install uninstall upgrade", "emerge": "",
		"brew": "install uninstall remove rm upgrade reinstall tap untap link unlink cleanup autoremove pin bundle", "choco": "install uninstall upgrade", "winget": "install uninstall upgrade", "scoop": "install uninstall update",
		"yarn": "global+add global+remove global+upgrade", "pkg": "install delete remove upgrade autoremove add", "pkgin": "install in remove rm update up upgrade ug full-upgrade autoremove", "pkg_add": "", "pkg_delete": "", "opkg": "install remove upgrade", "ipkg": "install remove upgrade", "xbps-install": "", "xbps-remove": "", "swupd": "bundle-add bundle-remove update", "softwareupdate": "", "nix-env": "", "msiexec": "",
		"docker": "plugin+install plugin+upgrade", "helm": "plugin+install plugin+update plugin+uninstall",
		"nix": "profile+install profile+remove profile+upgrade profile+add", "guix": "install remove upgrade package pull", "eopkg": "install it remove rm upgrade up", "urpmi": "", "urpme": "", "slackpkg": "install remove upgrade upgrade-all", "installpkg": "", "removepkg": "", "upgradepkg": "", "tdnf": "install erase update remove", "rpm-ostree": "install uninstall upgrade override rebase rollback", "transactional-update": "", "mas": "install uninstall upgrade purchase", "cave": "resolve",
		"add-apt-repository": "", "apt-add-repository": "", "apt-key": "add adv del", "dpkg-reconfigure": "", "nixos-rebuild": "switch boot test", "darwin-rebuild": "switch", "home-manager": "switch", "corepack": "enable disable install prepare", "do-release-upgrade": "", "sdkmanager": "", "tlmgr": "install remove update",
	}
})

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
	case "gem":
		// By itself it installs for the user; -n and -i name a place for everyone.
		return (verb == "install" || verb == "update" || verb == "uninstall") && anyText(valuesOf(e.args, "-n", "-i", "--bindir", "--install-dir"), func(s string) bool { return strings.HasPrefix(s, "/") })
	case "rpm-ostree", "sdkmanager", "transactional-update":
		if flagged(e.args, "--list", "--list_installed", "--licenses") || verb == "status" {
			return false
		}
	case "apt-mark":
		return slices.Contains([]string{"hold", "unhold", "auto", "manual"}, verb)
	case "emerge":
		return len(e.args) > 0 && !flagged(e.args, "-p", "-s", "-S", "--pretend", "--search", "--searchdesc", "--info", "--version", "--help")
	case "nix-env":
		return flagged(e.args, "-i", "-e", "-u", "--install", "--uninstall", "--upgrade")
	case "softwareupdate":
		return flagged(e.args, "-i", "--install", "-a")
	case "brew":
		if verb == "bundle" && anyText(e.args, func(s string) bool { return s == "check" || s == "list" || s == "dump" }) {
			return false
		}
	}
	return packageTools().match(e)
}

// plainSource reports packages from an address that nobody vouches for.
func plainSource(_ *walker, e *effect) bool {
	if !e.runs("pip", "pip3", "uv", "npm", "pnpm", "yarn", "bun", "gem", "cargo", "poetry", "go", "npx", "bundle", "composer") {
		return false
	}
	return flagged(e.args, "--trusted-host") || anyText(e.args, func(s string) bool {
		_, url, ok := strings.Cut(s, "http://")
		source := installs(e) || e.name == "cargo" && strings.HasPrefix(s, "source.")
		return ok && source && !localHost(hostOf(url)) && !service(hostOf(url))
	})
}

// installs keeps tests that are given an address apart from installers.
func installs(e *effect) bool {
	verbs := []string{"install", "i", "add", "download", "wheel", "config", "set", "env", "get", "ci", "update", "require", "source", "sources", "pip"}
	return slices.Contains(verbs, bareVerb(e))
}
