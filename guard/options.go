package guard

import (
	"slices"
	"strings"
	"sync"
)

// optionTable lists options whose value is a program or code: names of programs,
// then rows "options=kind". Kinds are those of helpers; "deny" is never ordinary,
// "path" a file that is loaded as code. The words after ! are other options that
// an abbreviation must not be taken from.
var optionTable = [...][2]string{
	{"tar bsdtar gtar", "-I,--use-compress-program=filter -F,--info-script,--new-volume-script=none --to-command=open --rsh-command=ssh --rmt-command=none --checkpoint-action=checkpoint !--checkpoint"},
	{"sort gsort", "--compress-program=filter"},
	{"rg", "--pre=reader --hostname-bin=none !--pre-glob"},
	{"man", "-P,--pager=pager -H,--html=none -C,--config-file=path --preprocessor=none"},
	{"rsync", "-e,--rsh=ssh --rsync-path=remote"},
	{"scp sftp", "-S=ssh -o=sshopt -F=plugin -D=none"},
	{"ssh", "-o=sshopt -F=plugin -I=plugin"},
	{"ssh-keygen ssh-add ssh-agent", "-D=plugin -s=path -P=path"},
	{"wget", "--use-askpass=secret -e,--execute=wgetrc --config=path"},
	{"zip", "-TT,--unzip-command=none"},
	{"split gsplit", "--filter=open"},
	{"go", "-exec,--exec=tool -toolexec,--toolexec=tool -vettool,--vettool=open"},
	{"cargo", "--config=cargo"},
	{"gcc g++ cc c++ clang clang++", "-wrapper=wrapper -fplugin=plugin -B=plugin"},
	{"tcpdump", "-z=filter"},
	{"strace ltrace", "-o=pipe"},
	{"bash rbash", "--rcfile,--init-file=path"},
	{"nmap", "--script=nmap"},
	{"npm pnpm yarn npx", "--script-shell=none --node-options=nodeopt --scripts-prepend-node-path=none --shell=none"},
	{"less more", "--lesskey-src=path"},
	{"nvim vim vi view ex vimdiff gvim rvim nvimdiff", "-c,--cmd=vim -S,-u=path"},
	{"gdb lldb gdb-multiarch", "-ex,--ex,-eval-command,--eval-command,-iex,--init-eval-command,-o,-O,--one-line=gdb -x,--command,--source,-s=path !--command-line"},
	{"psql pgcli", "-c,--command=psql"},
	{"mysql mariadb mycli", "-e,--execute=mysql --pager=pager"},
	{"duckdb", "-c,-cmd,-s=sqlite -init=path"},
	{"lftp", "-c,-e=bang"},
	{"sqlite3 sqlite litecli", "-cmd,--cmd=sqlite -init,--init=path"},
	{"emacs emacsclient", "-eval,--eval,--execute,-e=elisp -f,--funcall=none -l,--load,--script=path"},
	{"make gmake", "-E,--eval=make !--environment-overrides"},
	{"journalctl systemctl", "--pager=pager"},
	{"restic rclone borg", "--password-command=secret --rsh=ssh -o=none"},
	{"fzf", "--preview=open --execute=open --bind=fzf"},
	{"entr", "-s=open"},
	{"hyperfine", "-p,--prepare,-s,--setup,-c,--cleanup,--conclude=open"},
	{"fish", "--command,-C,--init-command=open"},
	{"watchexec", "--shell=none"},
	{"nodemon", "-x,--exec=open"},
	{"parallel", "--rsh,--ssh=ssh --pipe=none !--pipe-part"},
	{"dc", "-e,--expression=bang"},
	{"openssl", "-engine=plugin -provider-path=plugin -pre,-post=plugin"},
	{"java javaw", "-javaagent,-agentpath=plugin"},
	{"pytest py.test", "-p=module"},
	{"ssh-copy-id", "-o=sshopt"},
	{"logrotate", "-m,--mail=none"},
	{"apt apt-get", "-o,--option=aptopt"},
	{"xterm gnome-terminal konsole alacritty kitty xfce4-terminal", "-e=open"},
	{"ag ack delta glow", "--pager=pager"},
	{"bat batcat", "--pager=batpager !--paging"},
	{"gradle gradlew", "-I,--init-script=plugin"},
	{"pandoc", "-L,--lua-filter=plugin -F,--filter=plugin --pdf-engine=build"},
	{"curl", "-K,--config=plugin"},
	{"nix-shell", "--run,--command=open"},
	{"chokidar", "-c,--command=open"},
	{"sg", "-c=open"},
	{"kubectl helm k9s oc flux istioctl", "--kubeconfig=kubeconfig"},
	{"ctags", "--options=plugin"},
	{"wireshark tshark", "-X=plugin"},
	{"asciidoctor", "-r=plugin"},
	{"mypy", "--config-file=plugin"},
	{"eslint", "--rulesdir=plugin --resolve-plugins-relative-to=plugin"},
}

// hookSpec is the options of one program that run other programs.
type hookSpec struct {
	options map[string]string
	others  []string
	spec    *spec // arities of the program's other options
	words   bool  // -ex is one option, not two
}

var hookSpecs = sync.OnceValue(func() map[string]*hookSpec {
	m := map[string]*hookSpec{}
	for _, row := range optionTable {
		h := &hookSpec{options: map[string]string{}}
		for word := range strings.FieldsSeq(row[1]) {
			if other, ok := strings.CutPrefix(word, "!"); ok {
				h.others = append(h.others, other)
				continue
			}
			names, kind, _ := strings.Cut(word, "=")
			for name := range strings.SplitSeq(names, ",") {
				h.options[name] = kind
				h.words = h.words || strings.Trim(name, "-")[1:] != "" && name[1] != '-' && kind != "sqlite" && name != "-TT"
			}
		}
		for name := range strings.FieldsSeq(row[0]) {
			own := *h
			own.spec = specs()[name]
			m[name] = &own
		}
	}
	return m
})

// hooks judges everything by which a program's arguments or input make it run
// other programs.
func (w *walker) hooks(st *state, name string, args []arg, in stream) {
	w.hookOptions(st, name, args)
	w.hookOperands(st, name, args)
	w.npmConfig(st, name, args)
	w.urlPackages(name, args)
	w.localPackages(st, name, args)
	w.texShell(st, name, args)
	w.absoluteNames(name, args)
	w.ownHome(st, name)
	w.hookInput(st, name, args, in)
}

// hookOptions judges the options of a program that run other programs.
func (w *walker) hookOptions(st *state, name string, args []arg) {
	h, ok := hookSpecs()[name]
	if !ok {
		return
	}
	if strings.HasSuffix(name, "tar") && len(args) > 0 && !strings.HasPrefix(args[0].text, "-") {
		if !w.spend(len(args[0].text) / 16) {
			return
		}
		args = dashed(args)
	}
	for i := 0; i < len(args); i++ {
		a := args[i]
		if a.text == "--" || w.stopped {
			return
		}
		if len(a.text) < 2 || a.text[0] != '-' {
			if name == "ssh" || name == "watchexec" || name == "entr" || strings.HasSuffix(name, "trace") || name == "go" && a.text == "--" {
				return // what follows is the command
			}
			continue
		}
		option, kind, value, next := h.option(a, args[i+1:])
		if next {
			i++
		}
		if kind != "" {
			w.hookValue(st, name+" "+option, kind, value)
		}
	}
}

// dashed reads tar's old style, in which `tar cIf prog out` has the values of
// its letters in their order.
func dashed(args []arg) []arg {
	out := []arg{}
	rest := args[1:]
	for _, c := range args[0].text {
		a := args[0]
		a.text, a.exact = "-"+string(c), false
		out = append(out, a)
		if strings.ContainsRune("fICTXbgKNVHF", c) && len(rest) > 0 {
			out, rest = append(out, rest[0]), rest[1:]
		}
	}
	return append(out, rest...)
}

// option reads one option word: its name, the kind and text of its value when
// that is code, and whether the value is the next argument.
func (h *hookSpec) option(a arg, rest []arg) (name, kind string, value arg, next bool) {
	name, text, joined := strings.Cut(a.text, "=")
	if kind = h.long(name); kind != "" {
		if joined {
			a.text, a.exact = text, false
			return name, kind, a, false
		}
		if strings.HasPrefix(name, "-agentpath") || strings.HasPrefix(name, "-javaagent") || len(rest) == 0 {
			return name, "", a, false
		}
		return name, kind, rest[0], true
	}
	if text, ok := strings.CutPrefix(a.text, "-B"); ok && h.options["-B"] != "" && text != "" { // gcc -B/dir
		return "-B", h.options["-B"], a.tail(text), false
	}
	if strings.HasPrefix(a.text, "--") || h.spec != nil && h.spec.read().flags[name] != 0 {
		_, next = h.takes(a, rest)
		return name, "", a, next
	}
	for i := 1; i < len(a.text) && !h.words; i++ {
		short, tail := "-"+a.text[i:i+1], a.text[i+1:]
		if kind := h.options[short]; kind != "" {
			if tail != "" {
				a.text, a.exact = strings.TrimPrefix(tail, "="), false
				return short, kind, a, false
			}
			if len(rest) == 0 {
				return short, "", a, false
			}
			return short, kind, rest[0], true
		}
		if h.spec != nil && h.spec.read().flags[short] != 0 {
			return short, "", a, tail == "" && len(rest) > 0
		}
	}
	for prefix, kind := range h.options { // gcc -B/dir, java -javaagent:x.jar
		if text, ok := strings.CutPrefix(a.text, prefix); ok && len(prefix) > 3 {
			a.text, a.exact = strings.TrimLeft(text, ":="), false
			return prefix, kind, a, false
		}
	}
	return name, "", a, false
}

func (h *hookSpec) takes(a arg, rest []arg) (arg, bool) {
	if h.spec == nil {
		return a, false
	}
	v, next := h.spec.option(a, rest)
	return v.arg, next
}

// long finds a long option, also by an abbreviation of it: --compress-prog.
func (h *hookSpec) long(name string) string {
	if kind, ok := h.options[name]; ok {
		return kind
	}
	if len(name) < 5 || !strings.HasPrefix(name, "--") || slices.Contains(h.others, name) {
		return ""
	}
	if h.spec != nil && h.spec.read().flags[name] != 0 {
		return ""
	}
	for option, kind := range h.options {
		if strings.HasPrefix(option, name) {
			return kind
		}
	}
	return ""
}
