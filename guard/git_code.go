package guard

import (
	"slices"
	"strings"
	"sync"
)

// gitSettings are the settings whose value git runs, or loads code by. A name
// that begins with a dot is the last part of any section's.
var gitSettings = sync.OnceValue(func() map[string]string {
	return map[string]string{
		"core.pager": "pager", "pager.": "pager", "interactive.difffilter": "pager",
		"core.editor": "editor", "sequence.editor": "editor",
		"core.sshcommand": "ssh", "core.gitproxy": "none", "core.askpass": "secret", "core.fsmonitor": "fsmonitor", "core.hookspath": "hooks", "core.alternaterefscommand": "none",
		"credential.helper": "credential", "credential.": "credential", "diff.external": "diff", ".textconv": "reader", ".command": "diff", ".driver": "merge", ".clean": "smudge", ".smudge": "smudge", ".process": "smudge",
		"gpg.program": "sign", ".program": "sign", ".cmd": "diff", ".path": "toolpath", ".uploadpack": "pack", ".receivepack": "pack", "uploadpack.packobjectshook": "none", ".vcs": "none",
		"init.templatedir": "dir", "include.path": "dir", ".includeif": "dir", "protocol.ext.allow": "ext", "protocol.allow": "ext", "sendemail.smtpserver": "smtp", "trailer.": "none", "browser.": "diff", "man.": "diff", "instaweb.httpd": "none", "help.browser": "diff", "web.browser": "diff",
		"sendemail.tocmd": "none", "sendemail.cccmd": "none", "gc.recentobjectshook": "none", "ssh.variant": "", "credential.usehttppath": "", "credential.username": "", "credential.helper.": "", "core.attributesfile": "readpath", "core.worktree": "readpath",
	}
})

// gitSettingKind is the kind of value a setting has, "" when it runs nothing.
func gitSettingKind(name string) string {
	name = strings.ToLower(strings.TrimSpace(name))
	if kind, ok := gitSettings()[name]; ok {
		return kind
	}
	first, last := strings.IndexByte(name, '.'), strings.LastIndexByte(name, '.')
	if first < 0 {
		return ""
	}
	section, key := name[:first], name[last:]
	switch {
	case section == "alias":
		return "alias"
	case section == "pager":
		return "pager"
	case section == "credential":
		if key == ".helper" {
			return "credential"
		}
		return ""
	case section == "includeif" && key == ".path":
		return "dir"
	case section == "trailer" && (key == ".command" || key == ".cmd"):
		return "none"
	case section == "diff" || section == "filter" || section == "merge" || section == "mergetool" || section == "difftool" || section == "remote" || section == "gpg" || section == "browser" || section == "man" || section == "guitool":
		return gitSettings()[key]
	}
	return ""
}

// gitGlobals judges -c name=value, --config-env and --exec-path before the
// subcommand. It answers the aliases set there.
func (w *walker) gitGlobals(st *state, options []arg) map[string]arg {
	var aliases map[string]arg
	for i := 0; i < len(options) && w.spend(1); i++ {
		a := options[i]
		switch {
		case a.text == "-c" && i+1 < len(options):
			i++
			a = options[i]
		case strings.HasPrefix(a.text, "--config-env="):
			name, _, _ := strings.Cut(strings.TrimPrefix(a.text, "--config-env="), "=")
			if gitSettingKind(name) != "" {
				w.emitAt(a, effect{kind: kindHook, name: "git --config-env", text: a.text})
			}
			continue
		case strings.HasPrefix(a.text, "--exec-path="):
			if p := w.locate(st, strings.TrimPrefix(a.text, "--exec-path=")); !p.unknown && !systemLibrary(p.path) {
				w.emitAt(a, effect{kind: kindHook, name: "git --exec-path", text: "git " + a.text})
			}
			continue
		case a.text == "-C" || a.text == "--git-dir" || a.text == "--work-tree" || a.text == "--namespace":
			i++
			continue
		default:
			continue
		}
		name, value, _ := strings.Cut(a.text, "=")
		kind := gitSettingKind(name)
		if kind == "alias" {
			if aliases == nil {
				aliases = map[string]arg{}
			}
			aliases[name[len("alias."):]] = a.tail(value)
			if strings.HasPrefix(strings.TrimSpace(value), "!") {
				w.gitSetting(st, "git -c "+name, kind, a.tail(value))
			}
			continue
		}
		w.gitSetting(st, "git -c "+name, kind, a.tail(value))
	}
	return aliases
}

func (w *walker) gitAlias(st *state, code arg) {
	if !strings.HasPrefix(code.text, "!") && w.deeper() {
		defer func() { w.nested-- }()
		w.run(st.clone(), append([]arg{code.tail("git")}, words(code)...), stream{})
	}
}

func words(a arg) (out []arg) {
	for _, word := range strings.Fields(a.text) {
		out = append(out, a.tail(word))
	}
	return out
}

// gitSetting judges one setting by what git would do with its value.
func (w *walker) gitSetting(st *state, construct, kind string, a arg) {
	deny := func() { w.emitAt(a, effect{kind: kindHook, name: construct, text: construct + "=" + a.text}) }
	switch kind {
	case "":
	case "alias":
		if cmd, ok := strings.CutPrefix(a.text, "!"); ok {
			w.hook(st, helpers()["none"], construct, a.tail(cmd))
		}
	case "credential":
		value := strings.TrimSpace(a.text)
		if cmd, ok := strings.CutPrefix(value, "!"); ok {
			value = cmd
		}
		w.hook(st, helpers()["secret"], construct, a.tail(value))
	case "fsmonitor":
		if !slices.Contains([]string{"true", "false", "0", "1", "", "yes", "no", "on", "off"}, a.text) && !strings.Contains(a.text, "fsmonitor-watchman") && a.text != "rs-git-fsmonitor" {
			deny()
		}
	case "hooks":
		if p := w.locate(st, a.text); a.text != "/dev/null" && a.text != "" && (p.unknown || !w.inFolders(p.path)) || strings.HasPrefix(construct, "git -c") && a.text != "/dev/null" && a.text != "" && !strings.HasPrefix(a.text, ".git/") {
			deny()
		}
	case "dir":
		if a.text != "" && a.text != "/dev/null" {
			w.loaded(st, construct, a)
		}
	case "readpath":
		w.path(st, kindRead, a)
	case "ext":
		if a.text == "always" || a.text == "user" {
			deny()
		}
	case "smtp":
		if strings.HasPrefix(a.text, "/") || strings.HasPrefix(a.text, ".") {
			deny()
		}
	case "pack":
		w.gitPack(construct, a)
	case "smudge":
		if !strings.HasPrefix(a.text, "git-lfs ") && !strings.HasPrefix(a.text, "git-crypt ") && a.text != "" {
			w.hook(st, helpers()["reader"], construct, a)
		}
	case "merge":
		if !strings.HasPrefix(a.text, "git ") && !strings.HasPrefix(a.text, "true") {
			w.hook(st, helpers()["diff"], construct, a)
		}
	case "toolpath":
		if strings.HasPrefix(a.text, ".") {
			deny()
		}
	default:
		w.hook(st, helpers()[kind], construct, a)
	}
}

// gitPack is a transport program: git's own, wherever it lies.
func (w *walker) gitPack(construct string, a arg) {
	program, _, _ := strings.Cut(strings.TrimSpace(a.text), " ")
	name := base(program)
	own := slices.Contains([]string{"git-upload-pack", "git-receive-pack", "git-upload-archive", "git"}, name) && !strings.ContainsAny(a.text, ";|&`$") && (name == program || strings.HasPrefix(program, "/usr/") || strings.HasPrefix(program, "/opt/") || strings.HasPrefix(program, "~"))
	if !own && a.text != "" {
		w.emitAt(a, effect{kind: kindHook, name: construct, text: construct + " " + a.text})
	}
}
