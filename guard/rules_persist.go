package guard

import (
	"path"
	"slices"
	"strings"
)

// policyFileName is the policy of a workspace folder; package config reads it.
// Some file systems don't tell its capitals apart.
const policyFileName = ".pillion.toml"

// persistRules are about code that stays behind and runs later.
var persistRules = []Rule{
	{
		ID: "persist/policy", Title: "Change the guard's own policy", Decision: Deny, Severity: 1,
		Why:      "Who is judged must not change what is allowed.",
		Message:  "changes {what}, which says what commands may do here",
		Safer:    "edit the policy by hand, in the editor",
		Match:    []string{"rm .pillion.toml", "echo 'x' > .pillion.toml", "sed -n p x > ./.pillion.toml", "mv .pillion.toml x", "truncate -s 0 .pillion.toml", "touch .pillion.toml", "> .Pillion.toml", "cd sub && tee ../.pillion.toml < x"},
		NotMatch: []string{"cat .pillion.toml", "git add .pillion.toml", "ls .pillion.toml", "grep x .pillion.toml", "cp .pillion.toml copy.toml"},
		when: func(_ *walker, e *effect) bool {
			return writes(e) && strings.EqualFold(path.Base(e.path), policyFileName)
		},
	},
	{
		ID: "persist/schedule", Title: "Run later", Decision: Deny, Severity: 1,
		Why:      "What a scheduler or login runs outlives this session, and nobody watches it.",
		Message:  "{what} makes something run later, outside this session",
		Safer:    "run it now, or write a script the user can schedule",
		Match:    []string{"crontab jobs.txt", "crontab -r", "(crontab -l; echo '* * * * * x') | crontab -", "echo x | at now + 1 minute", "batch < x", "systemctl --user enable x.service", "systemctl --user enable --now x.timer", "launchctl load x.plist", "launchctl bootstrap gui/501 x.plist", "systemd-run --on-calendar=daily ./x", "loginctl enable-linger dev", "crontab -u dev x", "sudo systemctl enable x", "update-rc.d x defaults", "osascript -e 'tell application \"System Events\" to make login item at end'", "schtasks /create /tn x /tr y"},
		NotMatch: []string{"crontab -l", "atq", "at -l", "systemctl --user status x", "launchctl list", "systemctl list-timers", "nohup npm run dev &", "crontab --version", "schtasks /query", "systemctl is-enabled x"},
		when:     ofMachine(schedules),
	},
	{
		ID: "persist/account", Title: "Change accounts", Decision: Deny, Severity: 1,
		Why:      "A new user, group or password is a way in that stays.",
		Message:  "{what} changes who may log in",
		Match:    []string{"useradd x", "sudo adduser x", "usermod -aG sudo x", "passwd root", "echo x:y | sudo chpasswd", "visudo", "chsh -s /bin/zsh", "ssh-copy-id u@h", "groupadd x", "net user x y /add", "dscl . -create /Users/x", "gpasswd -a x docker"},
		NotMatch: []string{"id", "getent passwd", "groups", "passwd --help", "net use", "whoami", "npm adduser", "dscl . -list /Users", "net view"},
		when:     ofMachine(accounts),
	},
	{
		ID: "persist/hook", Title: "Code that git or the editor runs", Decision: Ask, Severity: 2,
		Why:      "Hooks, tasks and git's settings start programs on the user's next commit or click.",
		Message:  "writes {what}, from which git or the editor runs code",
		Safer:    "put the script in the repository and let the user enable it",
		Match:    []string{"cp hook.sh .git/hooks/pre-commit", "echo x > .git/config", "chmod +x .git/hooks/pre-push", "ln -s ../../x .git/hooks/post-checkout", "echo '{}' > .vscode/tasks.json", "cp settings.json .vscode/settings.json", "tee .git/hooks/pre-commit < x", "cd .git/hooks && cp a pre-commit", "mv x .git/hooks/"},
		NotMatch: []string{"cat .git/hooks/pre-commit", "ls .git/hooks", "echo x >> .git/info/exclude", "mkdir -p .vscode", "echo '{}' > .vscode/extensions.json", "cp x .husky/pre-commit", "chmod +x scripts/hooks.sh", "rm -f .git/index.lock", "cp x src/tasks.json"},
		when:     func(_ *walker, e *effect) bool { return e.kind == kindWrite && hook(e.path) },
	},
	{
		ID: "persist/git-config", Title: "Code in git's settings", Decision: Ask, Severity: 2,
		Why:      "With this setting git runs programs of the setter's choice.",
		Message:  "{what} makes git run another program",
		Match:    []string{"git config core.hooksPath .githooks", "git config core.hooksPath ./hooks", "git config --add include.path ../x", "git config --global init.templateDir x", "git config set protocol.ext.allow always"},
		NotMatch: []string{"git config user.name Dev", "git config --get core.hooksPath", "git config --global core.editor 'code --wait'", "git config --global init.defaultBranch main", "git config -l", "git config --global alias.st status", "git config --unset core.hooksPath", "git config credential.helper store", "git config core.pager less", "git config alias.lint '!npm run lint'", "git config credential.helper '!gh auth git-credential'"},
		when:     gitRunsCode,
	},
	{
		ID: "persist/tracks", Title: "Cover tracks", Decision: Deny, Severity: 2,
		Why:      "Nobody clears a history or a log to get work done; it hides what was run.",
		Message:  "{what} erases the record of what was run",
		Match:    []string{"history -c", "history -cw", "HISTFILE=/dev/null bash", "export HISTFILE=/dev/null", "export HISTSIZE=0", "sudo journalctl --vacuum-time=1s", "journalctl --rotate", "wevtutil cl System", "unset HISTFILE", "set +o history", "dmesg -C", "auditctl -e 0"},
		NotMatch: []string{"history", "history -a", "journalctl -u x", "export HISTSIZE=5000", "git log", "set -o pipefail", "unset FOO", "dmesg | tail", "journalctl --disk-usage", "wevtutil qe System"},
		when:     ofMachine(coversTracks),
	},
}

// helps reports a program that is only asked what it can do.
func helps(e *effect) bool {
	return flagged(e.args[:min(len(e.args), 64)], "--help", "--version")
}

// bareVerb is the first operand of a program, whatever options it has.
func bareVerb(e *effect) string {
	_, operands := bareSpec.options(e.args[:min(len(e.args), 64)])
	if len(operands) == 0 {
		return ""
	}
	return operands[0].text
}

func schedules(_ *walker, e *effect) bool {
	if e.kind != kindExec || helps(e) {
		return false
	}
	switch e.name {
	case "crontab":
		return !flagged(e.args, "-l", "-V") || flagged(e.args, "-r")
	case "at", "batch":
		return !flagged(e.args, "-l", "-V", "-c")
	case "systemctl":
		return slices.Contains([]string{"enable", "link", "reenable", "preset", "edit", "add-wants"}, bareVerb(e))
	case "osascript":
		return anyText(e.args, func(s string) bool {
			return strings.Contains(s, "make login item") || strings.Contains(s, "make new login item")
		})
	case "loginctl":
		return bareVerb(e) == "enable-linger"
	case "launchctl":
		return slices.Contains([]string{"load", "bootstrap", "submit", "enable"}, bareVerb(e))
	case "systemd-run":
		return anyText(e.args, func(s string) bool { return strings.HasPrefix(s, "--on-") || strings.HasPrefix(s, "--timer-") })
	case "update-rc.d", "rc-update", "incrontab":
		return !flagged(e.args, "-l")
	case "chkconfig":
		return anyText(e.args, func(s string) bool { return s == "on" || s == "--add" })
	case "register-scheduledtask", "set-scheduledtask", "register-scheduledjob", "new-scheduledtask":
		return true
	case "reg":
		return anyFold(e.args, "add", "import") && anyText(e.args, autorun)
	case "set-itemproperty", "new-itemproperty", "new-item":
		return anyText(e.args, autorun)
	case "schtasks":
		return anyFold(e.args, "/create", "/change", "/run")
	}
	return false
}

// autorun reports the registry keys from which Windows starts programs.
func autorun(s string) bool {
	s = strings.ToLower(s)
	return strings.Contains(s, `\currentversion\run`) || strings.Contains(s, `\winlogon`) || strings.Contains(s, `\image file execution options`)
}

// anyFold reports a word in any case, as Windows programs read them.
func anyFold(args []arg, words ...string) bool {
	return anyText(args, func(s string) bool { return slices.Contains(words, strings.ToLower(s)) })
}

func accounts(_ *walker, e *effect) bool {
	if e.kind != kindExec || helps(e) {
		return false
	}
	switch e.name {
	case "useradd", "adduser", "usermod", "userdel", "deluser", "groupadd", "groupmod", "groupdel", "addgroup", "delgroup", "gpasswd", "chpasswd", "visudo", "vipw", "vigr", "chsh", "chfn", "newusers", "ssh-copy-id", "sysadminctl", "new-localuser", "set-localuser", "remove-localuser", "enable-localuser", "add-localgroupmember":
		return true
	case "passwd":
		return !flagged(e.args, "-S", "--status")
	case "net", "net1":
		return anyFold(e.args, "user", "localgroup", "accounts") && anyFold(e.args, "/add", "/delete", "/active:yes") || anyFold(e.args, "user") && len(e.args) > 2
	case "dscl":
		return anyText(e.args, func(s string) bool {
			return slices.Contains([]string{"create", "append", "delete", "passwd", "change", "merge"}, strings.TrimLeft(s, "-"))
		})
	}
	return false
}

// hook reports files from which git and editors start programs.
func hook(p string) bool {
	dir, name := path.Split(p)
	switch {
	case strings.Contains(p, "/.git/hooks/") || strings.HasSuffix(p, "/.git/hooks"), strings.HasSuffix(p, "/.git/config"), strings.HasSuffix(p, "/.git/info/attributes"):
		return true
	case strings.HasSuffix(dir, "/.vscode/"):
		return slices.Contains([]string{"tasks.json", "settings.json", "launch.json"}, name)
	case strings.Contains(p, "/.idea/runConfigurations/"), strings.Contains(p, "/.idea/runconfigurations/"), strings.HasSuffix(p, "/.idea/workspace.xml"), strings.HasSuffix(p, ".code-workspace"):
		return true
	}
	return false
}

// gitRunsCode is git config setting where git finds programs and settings of the
// setter's choice. Values that are commands themselves are read as code.
func gitRunsCode(_ *walker, e *effect) bool {
	g, ok := gitOf(e)
	if !ok || g.name != "config" || g.has("--get", "--get-all", "--get-regexp", "-l", "--list", "--unset", "--unset-all", "--remove-section") {
		return false
	}
	words := texts(g.operands)
	if len(words) > 0 && slices.Contains([]string{"set", "get", "unset", "list"}, words[0]) {
		if words[0] != "set" {
			return false
		}
		words = words[1:]
	}
	if len(words) < 2 {
		return false
	}
	key, value := strings.ToLower(words[0]), words[1]
	if section, _, _ := strings.Cut(key, "."); section == "includeif" {
		return true
	}
	return value != "" && slices.Contains([]string{"core.hookspath", "init.templatedir", "include.path", "protocol.ext.allow"}, key)
}

func coversTracks(_ *walker, e *effect) bool {
	switch {
	case e.kind == kindEnv:
		return e.name == "HISTFILE" && (e.text == "/dev/null" || e.text == "") || (e.name == "HISTSIZE" || e.name == "HISTFILESIZE") && e.text == "0"
	case e.runs("history"):
		return flagged(e.args, "-c", "-d", "-w") && !flagged(e.args, "--help")
	case e.runs("unset"):
		return anyText(e.args, func(s string) bool { return s == "HISTFILE" })
	case e.runs("set"):
		return len(e.args) > 1 && e.args[0].text == "+o" && e.args[1].text == "history"
	case e.runs("journalctl"):
		return anyText(e.args, func(s string) bool {
			return strings.HasPrefix(s, "--vacuum-") || s == "--rotate"
		})
	case e.runs("dmesg"):
		return flagged(e.args, "-C", "-c", "--clear", "--read-clear")
	case e.runs("wevtutil"):
		return anyFold(e.args, "cl", "clear-log")
	case e.runs("clear-eventlog", "clear-history", "remove-eventlog", "limit-eventlog"):
		return true
	case e.runs("auditctl"):
		return len(e.args) > 0
	}
	return false
}
