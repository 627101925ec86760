package guard

import (
	"strings"
)

// gitPlain is the options of hooks' own subcommands whose values are text.
var gitPlain = newSpec("???", "-m: --message: -F: -e: -b: --branch: -o:")

// gitOptionTable lists, by subcommand, options whose value runs; see optionTable.
// git takes abbreviations: --upload-pa is --upload-pack.
var gitOptionTable = [...][2]string{
	{"clone", "-u,--upload-pack=pack --template=dir -c,--config=setting"},
	{"fetch pull fetch-pack ls-remote", "--upload-pack=pack --exec=pack"},
	{"push send-pack", "--receive-pack,--exec=pack"},
	{"archive", "--exec=pack"},
	{"init", "--template=dir"},
	{"grep", "-O,--open-files-in-pager=pager"},
	{"rebase", "-x,--exec=open"},
	{"difftool mergetool", "-x,--extcmd=diff"},
	{"filter-branch", "--env-filter,--tree-filter,--index-filter,--parent-filter,--msg-filter,--commit-filter,--tag-name-filter,--setup=open"},
	{"send-email", "--smtp-server=smtp --to-cmd,--cc-cmd,--header-cmd,--sendmail-cmd=none"},
	{"instaweb", "-d,--httpd,-b,--browser=none"},
	{"submodule", "--upload-pack=pack"},
}

// gitHooks judges what a subcommand is told to run.
func (w *walker) gitHooks(st *state, rest []arg) {
	verb, args := rest[0].text, rest[1:]
	for _, a := range args {
		if strings.HasPrefix(a.text, "ext::") || strings.HasPrefix(a.text, "fd::") && len(a.text) > 5 || strings.Contains(a.text, "://-") {
			w.emitAt(a, effect{kind: kindHook, name: "git " + verb, text: a.text})
		}
	}
	for _, row := range gitOptionTable {
		for name := range strings.FieldsSeq(row[0]) {
			if name == verb {
				w.gitOptions(st, verb, row[1], args)
			}
		}
	}
	switch {
	case verb == "bisect" && len(args) > 1 && args[0].text == "run":
		w.gitArgv(st, "git bisect run", args[1:])
	case verb == "submodule":
		for i, a := range args {
			if a.text == "foreach" {
				w.gitForeach(st, args[i+1:])
				break
			}
		}
	case verb == "config":
		w.gitConfig(st, args)
	}
}

func (w *walker) gitOptions(st *state, verb, row string, args []arg) {
	h := &hookSpec{options: map[string]string{}, spec: gitText}
	for word := range strings.FieldsSeq(row) {
		names, kind, _ := strings.Cut(word, "=")
		for name := range strings.SplitSeq(names, ",") {
			h.options[name] = kind
		}
	}
	h.spec = gitPlain
	for i := 0; i < len(args) && w.spend(1); i++ {
		a := args[i]
		if a.text == "--" {
			return
		}
		if len(a.text) < 2 || a.text[0] != '-' {
			continue
		}
		if verb == "grep" && (a.text == "-O" || a.text == "--open-files-in-pager") {
			continue // alone it is the user's own pager
		}
		option, kind, value, next := h.option(a, args[i+1:])
		if next {
			i++
		}
		construct := "git " + verb + " " + option
		switch kind {
		case "setting":
			name, text, _ := strings.Cut(value.text, "=")
			w.gitSetting(st, construct+" "+name, gitSettingKind(name), value.tail(text))
		case "":
		default:
			w.gitSetting(st, construct, kind, value)
		}
	}
}

// gitArgv is a command as words: git bisect run npm test.
func (w *walker) gitArgv(st *state, construct string, argv []arg) {
	if len(argv) == 0 || !w.deeper() {
		return
	}
	defer func() { w.nested-- }()
	defer w.enter(construct, summary(argv), argv[0].span)()
	w.run(st.clone(), argv, stream{})
}

// gitForeach is git submodule foreach: one word is shell text, more are a command.
func (w *walker) gitForeach(st *state, argv []arg) {
	for len(argv) > 0 && strings.HasPrefix(argv[0].text, "-") {
		argv = argv[1:]
	}
	if len(argv) == 1 {
		w.code(st.clone(), "git submodule foreach", argv[0], w.lang, stream{})
		return
	}
	w.gitArgv(st, "git submodule foreach", argv)
}

// gitConfig is a setting that stays: whatever runs git later runs it too.
func (w *walker) gitConfig(st *state, args []arg) {
	var operands []arg
	for i := 0; i < len(args); i++ {
		switch a := args[i]; {
		case a.text == "-f" || a.text == "--file" || a.text == "--blob" || a.text == "--type" || a.text == "--default":
			if i++; i < len(args) && strings.HasSuffix(a.text, "f") || a.text == "--file" {
				w.path(st, kindWrite, args[min(i, len(args)-1)])
			}
		case strings.HasPrefix(a.text, "--file="):
			w.path(st, kindWrite, a.cut("--file="))
		case strings.HasPrefix(a.text, "--get") || a.text == "--unset" || a.text == "--unset-all" || a.text == "-l" || a.text == "--list" || a.text == "--remove-section" || a.text == "--rename-section":
			return
		case strings.HasPrefix(a.text, "-"):
		case len(operands) == 0 && (a.text == "set" || a.text == "get" || a.text == "unset" || a.text == "list" || a.text == "edit"):
			if a.text != "set" {
				return
			}
		default:
			operands = append(operands, a)
		}
	}
	if len(operands) < 2 {
		return
	}
	name := operands[0].text
	kind := gitSettingKind(name)
	value := operands[1].tail(operands[1].text)
	if kind == "alias" { // git config alias.x '!make test' is everyday work; what it runs is judged
		if cmd, ok := strings.CutPrefix(value.text, "!"); ok {
			w.hook(st, helpers()["open"], "git config "+name, value.tail(cmd))
		}
		return
	}
	w.gitSetting(st, "git config "+name, kind, value)
}
