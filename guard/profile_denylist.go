package guard

import (
	"path"
	"regexp"
	"slices"
	"strings"
	"sync"
)

// dangerousPattern is what this profile says, whichever family matched.
const dangerousPattern = "Command blocked by safety guard (dangerous pattern detected)"

// denylistRules are eight families of text, matched on the command as written
// in lower case, and over what it does: quotes, a backslash or a variable hide
// nothing. Text is text: the word "format" in a commit message is refused here,
// and only here.
var denylistRules = []Rule{
	{
		ID: "denylist/required", Title: "No command", Decision: Deny, Severity: 1, Verbatim: true,
		Why:     "There is nothing to run.",
		Message: "command is required",
		when: func(w *walker, e *effect) bool {
			return problem(problemInput)(w, e) && w.in.Command == "" && len(w.in.Argv) == 0
		},
	},
	family("denylist/rm", "Recursive force delete", "A forced recursive delete asks nothing and forgets everything.", "rm", `\brm\s+-(rf|fr)\b`, removes,
		[]string{"rm -rf /", "rm -fr build", "r''m -rf /", `\rm -rf x`, "rm -r -f x", "rm --recursive --force x", "X=rm; $X -rf /", "/bin/rm -Rf x", "sudo rm -rf x", "bash -c 'rm -fr x'", "echo rm -rf /", "RM -RF x"},
		[]string{"rm x", "rm -f x", "rm -r x", "git rm -r x", "npm run rmrf", "rm -- -rf", "ls rm-rf"}),
	family("denylist/del", "Windows force delete", "It deletes without asking.", "del", `\bdel\s+/[fq]\b`, options("del", "/f", "/q"),
		[]string{`del /f C:\\*`, `del /q C:\\*`, "DEL /F x", "d'el' /q x", "cmd=del; $cmd /s /q x"},
		[]string{"del x", "git branch --del x", "echo model /f", "npm run del", "del /s x"}),
	family("denylist/rmdir", "Windows recursive delete", "It deletes a directory with all that is in it.", "rmdir", `\brmdir\s+/s\b`, options("rmdir", "/s"),
		[]string{`rmdir /s C:\\Users`, "RMDIR /S x", "rmdir /s /q x", "rm''dir /s x", "rmdir /q /s x"},
		[]string{"rmdir empty", "rmdir -p a/b", "rmdir /srv/x", "echo rmdir", "mkdir /s"}),
	family("denylist/format", "Disk formatting", "A formatted disk holds nothing any more.", "format mkfs diskpart", `\b(format|mkfs|diskpart)\b`, runs("format", "mkfs", "diskpart"),
		[]string{"format C:", "mkfs", "mkfs.ext4 /dev/sdb1", "diskpart", "m'k'fs x", "X=mkfs; $X.xfs /dev/sdb", "npm run format", "git commit -m 'format code'", "/sbin/mkfs.vfat x", "sudo mkfs -t ext4 x"},
		[]string{"go fmt ./...", "ls formatters", "cat reformat.go", "npm run formatting", "mkfsx"}),
	family("denylist/dd", "Direct disk write", "dd writes past the file system.", "dd", `\bdd\s+if=`, copies,
		[]string{"dd if=/dev/zero of=/dev/sda", "dd if=a of=b", "dd bs=1M if=a of=b", "d\"\"d if=x", "sudo dd if=x of=y", "dd i'f='x"},
		[]string{"dd of=x", "git add if=x", "echo add if=1", "dd --help", "ddrescue if=x"}),
	family("denylist/device", "Write to disk device", "Writing to a disk device destroys the file systems on it.", "/dev/sd", `>\s*/dev/sd[a-z]\b`, devices,
		[]string{"echo x > /dev/sda", "echo x >/dev/sdb", "cat x >> /dev/sda", "D=/dev/sda; echo x > $D", "tee /dev/sdb < x", "echo x > /dev/'sda'", "cp x /dev/nvme0n1"},
		[]string{"echo x > /dev/null", "make 2>/dev/null", "ls /dev", "echo x > dev/sda", "cat x > sda"}),
	family("denylist/power", "System power operations", "It ends every session on this machine.", "shutdown reboot poweroff", `\b(shutdown|reboot|poweroff)\b`, powers,
		[]string{"shutdown -h now", "reboot", "poweroff", "X=reboot; $X", "re''boot", "systemctl power'off'", "/sbin/shutdown now", "git checkout -b fix/reboot", "echo SHUTDOWN", "xargs reb\"oot\""},
		[]string{"ls reboots", "npm run preshutdowns", "cat rebooting.md", "systemctl status x", "halt"}),
	family("denylist/fork-bomb", "Fork bomb pattern", "Processes that start themselves again and again stop the machine.", ":", `:\s*\(\s*\)\s*\{.*\}\s*;\s*:`, bomb,
		[]string{":(){ :|:& };:", ":() { :|:& }; :", "b() { b | b & }; b", "echo ':(){ :|:& };:'", "bash -c 'x(){ x|x& };x'"},
		[]string{"f() { ls; }; f", ": () ", "echo a:b", "true && :", "x() { :; }; x"}),
	{
		ID: "denylist/traversal", Title: "Path traversal", Decision: Deny, Severity: 3, Verbatim: true,
		Why:      "Commands are restricted to the workspace; ../ leads out of it.",
		Message:  "Command blocked by safety guard (path traversal detected)",
		Safer:    "name the path from the workspace's root",
		Match:    []string{"cat ../../etc/passwd", "cat src/../README.md", "cd ..", "ls ..", "cat '..'/x", "cat .\"./x\"", "grep -f ../x y", "cat < ../x", "D=..; cat $D/x", `cat ..\x`},
		NotMatch: []string{"go test ./...", "git log main..dev", "curl https://example.com/a/../b", "ls ...", "cat ./config.json", "git diff HEAD~3...HEAD", "ls src/...", "echo a..b", "npm test 2>/dev/null"},
		when: func(w *walker, e *effect) bool {
			return w.policy.Restrict && (e.kind == kindText && traverses(e.text) || leavesBy(e) == "traversal")
		},
	},
	{
		ID: "denylist/outside", Title: "Path outside the workspace", Decision: Deny, Severity: 4, Verbatim: true,
		Why:      "Commands are restricted to the workspace.",
		Message:  "Command blocked by safety guard (path outside working dir)",
		Safer:    "keep to paths of the workspace",
		Match:    []string{"cat /etc/passwd", "cat ~/.ssh/id_rsa", "ls /", "echo x > /tmp/x", "cp a /opt/b", "tool /data/x", "tool --config=/etc/x", "/opt/evil/x", "cat < /etc/passwd", "cat \"$HOME/.netrc\"", "cd /; ls", "find / -name x"},
		NotMatch: []string{"cat /home/dev/project/README.md", "curl https://example.com/etc/passwd", "make 2>/dev/null", "/usr/bin/env node x.js", "grep -rn '/api' src", "echo /etc/passwd", "git commit -m '/etc/x'", "head -c 8 /dev/urandom", "sed 's#/a#/b#' x"},
		when: func(w *walker, e *effect) bool {
			return w.policy.Restrict && (leavesBy(e) == "outside" || w.handsOut(e))
		},
	},
}

// family is one row of the eight: a pattern for the text as written, behind
// words of which the text must hold one, and the same over effects.
func family(id, title, why, words, pattern string, does func(*walker, *effect) bool, match, notMatch []string) Rule {
	compiled := sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`(?s)` + pattern) })
	any := strings.Fields(words)
	return Rule{
		ID: id, Title: title, Decision: Deny, Severity: 1, Verbatim: true,
		Why: why, Message: dangerousPattern, Match: match, NotMatch: notMatch,
		when: func(w *walker, e *effect) bool {
			if e.kind != kindText {
				return does(w, e)
			}
			text := strings.ToLower(e.text)
			return slices.ContainsFunc(any, func(word string) bool { return strings.Contains(text, word) }) && compiled().MatchString(text)
		},
	}
}

func runs(names ...string) func(*walker, *effect) bool {
	return func(_ *walker, e *effect) bool {
		name, _, _ := strings.Cut(strings.ToLower(e.name), ".")
		return e.kind == kindExec && slices.Contains(names, name)
	}
}

func options(name string, opts ...string) func(*walker, *effect) bool {
	return func(_ *walker, e *effect) bool {
		return e.kind == kindExec && strings.EqualFold(e.name, name) && slices.ContainsFunc(e.args, func(a arg) bool {
			return slices.Contains(opts, strings.ToLower(a.text))
		})
	}
}

// removes is rm with both flags, however they are written.
func removes(_ *walker, e *effect) bool {
	if e.kind != kindExec || e.name != "rm" {
		return false
	}
	f := rmFlags(e.args)
	return f.recursive && f.force
}

type rmOptions struct{ recursive, force, unpreserved bool }

// rmFlags reads rm's options as GNU getopt does: clusters, abbreviations of long
// names, options after operands, none after "--".
func rmFlags(args []arg) (f rmOptions) {
	for _, a := range args {
		switch opt := a.text; {
		case opt == "--":
			return f
		case strings.HasPrefix(opt, "--"):
			f.recursive = f.recursive || len(opt) > 2 && strings.HasPrefix("--recursive", opt)
			f.force = f.force || len(opt) > 2 && strings.HasPrefix("--force", opt)
			f.unpreserved = f.unpreserved || len(opt) > 4 && strings.HasPrefix("--no-preserve-root", opt)
		case strings.HasPrefix(opt, "-"):
			f.recursive = f.recursive || strings.ContainsAny(opt, "rR")
			f.force = f.force || strings.Contains(opt, "f")
		}
	}
	return f
}

func copies(_ *walker, e *effect) bool {
	return e.kind == kindExec && e.name == "dd" && slices.ContainsFunc(e.args, func(a arg) bool { return strings.HasPrefix(a.text, "if=") })
}

func devices(_ *walker, e *effect) bool { return writes(e) && blockDevice(e.path) }

func powers(w *walker, e *effect) bool {
	words := []string{"shutdown", "reboot", "poweroff"}
	return runs(words...)(w, e) || e.kind == kindExec && (e.name == "systemctl" || e.name == "loginctl") &&
		slices.ContainsFunc(e.args, func(a arg) bool { return slices.Contains(words, a.text) })
}

func bomb(_ *walker, e *effect) bool { return e.kind == kindBomb }

// urls are not paths, so what looks like a traversal in one is none.
var urls = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`\b(?:https?|wss?|ftps?|ssh|git)://[^\s"'<>|;&]*`)
})

// climbs is ../ that is not the end of an ellipsis: ".../" is a Go pattern.
var climbs = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`(?:^|[^.])\.\.[/\\]`) })

func traverses(text string) bool {
	if !strings.Contains(text, "../") && !strings.Contains(text, `..\`) {
		return false
	}
	return climbs().MatchString(urls().ReplaceAllString(text, ""))
}

// leavesBy says how a path leaves the workspace: by a relative path that climbs
// or follows a link, or as an absolute one. A program's own path is no data, but
// one from an unusual place is not the system's program either.
func leavesBy(e *effect) string {
	switch e.kind {
	case kindRead, kindWrite, kindDelete, kindExec:
	default:
		return ""
	}
	if e.inside || e.unknown {
		return ""
	}
	if strings.HasPrefix(e.text, "/") || strings.HasPrefix(e.text, "file:") || strings.HasPrefix(e.text, unknown) {
		return "outside"
	}
	return "traversal"
}

// handsOut reports an absolute path outside given to a script: what the script
// does with it nobody knows, and this profile validates every such path.
func (w *walker) handsOut(e *effect) bool {
	return e.kind == kindExec && languageOf(e.name) != nil && slices.ContainsFunc(e.args, func(a arg) bool {
		return strings.HasPrefix(a.text, "/") && !strings.ContainsAny(a.text, " \n"+unknown) && !device(a.text) && !w.inFolders(path.Clean(a.text))
	})
}
