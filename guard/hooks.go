package guard

import (
	"strings"
	"sync"
)

// helper is a kind of program that another program starts by itself: a pager, an
// editor, a transport. Its value is shell text, and is judged as that; besides,
// it must be what it claims to be.
type helper struct {
	known  *nameSet
	bare   bool // any program by name is ordinary
	script bool // one from the workspace is asked about, not refused
	open   bool // running commands is what it is for
}

const textTools = "cat tac head tail less more most grep egrep rg sed awk tr cut sort uniq wc nl fold column echo printf true false : test [ cd exit return read export local set unset"

func newHelper(known string) *helper { return &helper{known: names(known)} }

var helpers = sync.OnceValue(func() map[string]*helper {
	return map[string]*helper{
		"pager":  newHelper(textTools + " col bat batcat delta diff-so-fancy diff-highlight ydiff diffr moar moor ov riff tig colordiff vim nvim view vimpager nvimpager perl-highlight w3m lynx"),
		"ssh":    newHelper("ssh rsh plink autossh sshpass tsh gcloud aws docker podman kubectl true false echo exec lxc incus colima vagrant devpod"),
		"proxy":  newHelper("ssh nc ncat netcat socat connect connect-proxy corkscrew cloudflared aws gcloud az proxytunnel websocat tsh step none exec sh-proxy tailscale teleport sft boundary bastion"),
		"filter": newHelper(textTools + " gzip pigz gunzip zcat bzip2 bunzip2 pbzip2 lbzip2 xz unxz pixz zstd unzstd zstdmt lz4 lzip plzip lzop brotli compress 7z 7za rapidgzip igzip"),
		"reader": newHelper(textTools + " pdftotext pandoc zcat gunzip gzip xzcat bzcat zstdcat antiword catdoc docx2txt odt2txt exiftool mediainfo strings unzip tar bat jq yq iconv rga-preproc xxd hexdump od objdump nm otool sqlite3 xlsx2csv file lesspipe lesspipe.sh highlight pygmentize source-highlight src-hilite-lesspipe.sh plutil gpg gpg2 openssl nbstripout jupyter nbdime"),
		"diff":   newHelper(textTools + " diff colordiff difft difftastic delta meld vimdiff nvimdiff vim nvim icdiff ydiff kdiff3 opendiff bcompare bcomp code codium cursor wdiff dwdiff ksdiff araxis p4merge tkdiff kompare nbdiff git sdiff emacs idea smerge"),
		"secret": newHelper(textTools + " store cache osxkeychain manager manager-core manager-ghcm libsecret wincred gh glab git git-credential-store git-credential-cache git-credential-manager git-credential-libsecret git-credential-oauth oauth gcloud gcloud.sh aws az pass op bw vault ssh-askpass ksshaskpass x11-ssh-askpass gnome-ssh-askpass lxqt-openssh-askpass"),
		"sign":   newHelper("gpg gpg2 gpgsm ssh-keygen op-ssh-sign smimesign gitsign jj gpg-agent gpgtar"),
		"none":   {},
		"editor": {known: names(textTools + " vi vim nvim view nano pico emacs emacsclient ed ex micro hx helix kak code code-insiders codium cursor zed subl mate gedit kate kwrite mousepad gvim mvim idea goland pycharm webstorm notepad notepad++ joe mcedit ne jed perl python python3 node ruby cp mv tee cat touch git sh bash interactive-rebase-tool"), script: true},
		"viewer": {bare: true, script: true},
		"build":  {bare: true, script: true},
		"tool":   {bare: true, script: true, open: true},
		"open":   {bare: true, open: true},
	}
})

// hook judges a command that another program starts. Findings about what it does
// speak for themselves; the rest asks whether such a program belongs there.
func (w *walker) hook(st *state, h *helper, construct string, a arg) {
	a.text = strings.TrimSpace(a.text)
	if a.text == "" || !w.deeper() {
		return
	}
	defer func() { w.nested-- }()
	seen := len(w.effects)
	w.commandText(st, construct, a)
	verdict := hookFine
	for _, e := range w.effects[min(seen, len(w.effects)):] {
		if e.kind == kindExec && !e.unknown {
			own := e.path != "" && !w.trusted(e.text, e.path)
			if own && !w.inFolders(e.path) {
				verdict = hookDeny
			}
			verdict = max(verdict, h.judge(&e, own))
		}
	}
	if verdict != hookFine {
		w.emitAt(a, effect{kind: kindHook, name: construct, text: construct + " → " + a.text, inside: verdict == hookAsk})
	}
}

const (
	hookFine = iota
	hookAsk
	hookDeny
)

// judge says whether a program is what the helper claims to be.
func (h *helper) judge(e *effect, own bool) int {
	_, shell := dialects()[e.name]
	interpreted := languageOf(e.name) != nil
	switch {
	case own:
		if h.open && !h.script {
			return hookFine
		}
		if h.script {
			return hookAsk
		}
		return hookDeny
	case shell:
		if scripted(e.args) && (h.open || !h.bare && inlined(e.args)) {
			return hookFine // its text is judged word by word
		}
		return hookDeny
	case interpreted && !h.open && !h.known.has(e.name):
		return hookDeny
	case interpreted && len(e.args) == 0:
		return hookDeny
	case h.bare || h.known.has(e.name):
		return hookFine
	case h.script:
		return hookAsk
	}
	return hookDeny
}

func inlined(args []arg) bool {
	return len(args) > 0 && strings.HasPrefix(args[0].text, "-") && strings.Contains(args[0].text, "c")
}

// commandText judges shell text that another program runs. Where some words are
// unknown, but nothing is that a shell would read as more than a word, the others
// still tell what runs.
func (w *walker) commandText(st *state, construct string, a arg) stream {
	if strings.Contains(a.text, unknown) && a.text != unknown && !strings.ContainsAny(a.text, ";|&`$(<>\n") {
		w.runWords(st, construct, a)
		return somewhere
	}
	return w.code(st.clone(), construct, a, w.lang, stream{})
}

// runWords judges a command of which some words are unknown: the program counts.
func (w *walker) runWords(st *state, construct string, a arg) {
	defer w.enter(construct, a.text, a.span)()
	var args []arg
	for _, word := range strings.Fields(a.text) {
		args = append(args, arg{text: strings.Trim(word, `"'`), index: a.index, span: a.span})
	}
	w.run(st.clone(), args, stream{})
}
