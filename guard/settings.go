package guard

import (
	"slices"
	"sync"
)

// userSettings are commands that write settings outside the project, whatever
// their options.
var userSettings = sync.OnceValue(func() phrases {
	return phrases{
		"pip": "config+set config+unset config+edit", "pip3": "config+set config+unset config+edit", "gsettings": "set reset reset-recursively", "dconf": "write load reset", "xdg-settings": "set", "xdg-mime": "default install uninstall", "fwupdmgr": "modify-config",
		"gh": "config+set alias+set alias+delete alias+import", "glab": "config+set alias+set alias+delete", "aws": "configure+set configure+import configure+sso", "kubectl": "config+delete-* config+unset config+rename-context", "oc": "config+delete-* config+unset",
		"kwriteconfig5": "", "kwriteconfig6": "", "xfconf-query": "", "gconftool-2": "", "brew": "analytics+*", "update-desktop-database": "",
	}
})

func changesSettings(_ *walker, e *effect) bool {
	if e.kind != kindExec || helps(e) {
		return false
	}
	if g, ok := gitOf(e); ok {
		return configuresGit(&g)
	}
	if userSettings()[e.name] != "" || !configurable.has(e.name) {
		return userSettings().match(e)
	}
	words := e.words()
	switch e.name {
	case "npm", "pnpm":
		return configuresNode(e)
	case "yarn":
		return begins(words, []string{"config", "set"}) && flagged(e.args, "-H", "--home", "-g", "--global")
	case "go":
		return begins(words, []string{"env"}) && flagged(e.args, "-w", "-u")
	case "poetry":
		return len(words) > 2 && words[0] == "config" && !flagged(e.args, "--local", "--list") || begins(words, []string{"config"}) && flagged(e.args, "--unset") && !flagged(e.args, "--local")
	case "bundle", "bundler":
		return begins(words, []string{"config"}) && flagged(e.args, "--global") && len(words) > 2
	case "composer":
		return begins(words, []string{"config"}) && flagged(e.args, "-g", "--global") && (len(words) > 2 || flagged(e.args, "--unset"))
	case "conda", "mamba", "micromamba":
		return begins(words, []string{"config"}) && flagged(e.args, "--add", "--set", "--append", "--prepend", "--remove", "--remove-key") && !flagged(e.args, "--env", "--file")
	case "jj":
		return begins(words, []string{"config", "set"}) && flagged(e.args, "--user") || begins(words, []string{"config", "unset"}) && flagged(e.args, "--user")
	case "pyenv", "rbenv", "nodenv", "goenv", "jenv", "asdf":
		return begins(words, []string{"global"}) && len(words) > 1
	case "mise":
		return begins(words, []string{"use"}) && flagged(e.args, "-g", "--global")
	case "gem":
		return begins(words, []string{"sources"}) && flagged(e.args, "-a", "--add", "-r", "--remove", "-c", "--clear-all")
	case "code", "code-insiders", "codium", "cursor":
		return flagged(e.args, "--install-extension", "--uninstall-extension")
	}
	return false
}

// configurable are programs whose settings are told from the project's by an
// option.
var configurable = names("npm pnpm yarn go poetry bundle bundler composer conda mamba micromamba jj pyenv rbenv nodenv goenv jenv asdf mise gem code code-insiders codium cursor")

// configuresGit is git config writing the user's or the machine's file. One
// operand alone only asks for a value.
func configuresGit(g *gitCommand) bool {
	if g.name != "config" || !g.has("--global", "--system") || g.has("--get", "--get-all", "--get-regexp", "--get-urlmatch", "--list", "-l") {
		return false
	}
	switch g.operand(0) {
	case "set", "unset", "edit", "rename-section", "remove-section":
		return true
	case "get", "list":
		return false
	}
	return len(g.operands) > 1 || g.has("--unset", "--unset-all", "--remove-section", "--rename-section", "--edit", "-e")
}

// configuresNode is npm config set and npm set, which write ~/.npmrc unless told
// that the project is meant.
func configuresNode(e *effect) bool {
	words := e.words()
	if len(words) > 0 && (words[0] == "config" || words[0] == "c") {
		words = words[1:]
	} else if e.name != "npm" || len(words) < 2 || words[0] != "set" {
		return false
	}
	if len(words) == 0 || !slices.Contains([]string{"set", "delete", "rm", "edit", "fix"}, words[0]) {
		return false
	}
	opts, _ := nodeConfig.options(e.args)
	return !slices.ContainsFunc(opts, func(o option) bool {
		return named(o, "--location", "-L") && o.value.text == "project"
	})
}

var nodeConfig = newSpec(":::", "--location: -L:")

var logins = sync.OnceValue(func() phrases {
	return phrases{
		"docker": "login logout", "podman": "login logout", "nerdctl": "login logout", "buildah": "login logout", "skopeo": "login logout", "oras": "login logout", "crane": "auth+login auth+logout", "regctl": "registry+login registry+logout", "helm": "registry+login registry+logout", "notation": "login logout", "cosign": "login",
		"npm": "login logout adduser add-user", "pnpm": "login logout", "yarn": "login logout npm+login npm+logout", "cargo": "login logout", "gem": "signin signout", "gh": "auth+login auth+logout auth+refresh auth+switch auth+setup-git", "glab": "auth+login auth+logout", "az": "acr+login", "terraform": "login logout", "tofu": "login logout", "pulumi": "login logout", "vault": "login",
	}
})

func logsIn(_ *walker, e *effect) bool { return e.kind == kindExec && !helps(e) && logins().match(e) }

var hookInstallers = sync.OnceValue(func() phrases {
	return phrases{
		"pre-commit": "install uninstall init-templatedir", "prek": "install uninstall", "husky": "init install uninstall", "lefthook": "install uninstall", "git": "lfs+install lfs+uninstall maintenance+start maintenance+register", "git-lfs": "install uninstall", "direnv": "allow permit grant", "mise": "trust", "simple-git-hooks": "",
		"captainhook": "install", "nbdime": "config-git", "yorkie": "", "git-maintenance": "start",
	}
})

func installsHooks(_ *walker, e *effect) bool {
	if e.kind != kindExec || helps(e) {
		return false
	}
	name, args := launched(e.name, e.args)
	switch name {
	case "husky":
		if len(args) == 0 { // since its ninth version
			return true
		}
	case "overcommit":
		return flagged(args, "-i", "--install", "-u", "--uninstall", "--sign")
	case "nbstripout":
		return flagged(args, "--install", "--uninstall")
	case "git":
		if g, ok := gitOf(e); ok && g.name == "secrets" {
			return anyOption(g.opts, "--install", "--register-aws")
		}
	}
	return hookInstallers().match(e)
}
