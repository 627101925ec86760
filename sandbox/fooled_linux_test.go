package sandbox

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/pillion-sidecar/pillion/test/long"
	"github.com/pillion-sidecar/pillion/test/needs"
)

// fooled is a program of the user's that reads what lies about where it is started.
type fooled struct {
	program string
	user    string // what the user has there, and has done, before any command
	attack  string // what a command leaves; $E is the attacker's program
	used    string // what the user does then
	proof   string // what must come of that, or the test would prove nothing
}

// gitPrompt is git's own prompt for bash, with all it can show, in the form with colours.
const gitPrompt = `. /usr/lib/git-core/git-sh-prompt; GIT_PS1_SHOWDIRTYSTATE=1 GIT_PS1_SHOWSTASHSTATE=1 GIT_PS1_SHOWUNTRACKEDFILES=1
GIT_PS1_SHOWUPSTREAM="auto verbose name git" GIT_PS1_SHOWCOLORHINTS=1 GIT_PS1_DESCRIBE_STYLE=branch GIT_PS1_SHOWCONFLICTSTATE=yes
look() { cd "$1" && for form in "__git_ps1 a b" "__git_ps1 a b '[%s]'"; do eval "$form" && echo "${PS1@P}"; PS1='$(__git_ps1 "(%s)")'; echo "${PS1@P}"; done; cd "$OLDPWD"; }
for d in $(find . -name .git -o -name HEAD | sed 's,/[^/]*$,,' | grep -v /logs | sort -u) .; do look $d; done`

var fooledPrograms = []fooled{
	{
		program: "bash", used: "bash -c '" + strings.ReplaceAll(gitPrompt, "'", `'\''`) + "'", proof: "REBASE",
		attack: `x='$(sh $E)'; y='` + "`sh $E`" + `'; for t in merge apply; do mkdir -p .git/rebase-$t
for f in msgnum end next last head-name onto_name autostash interactive applying; do echo "$x" > .git/rebase-$t/$f; echo "$y" > z; mv z .git/rebase-$t/$f; done; done
mkdir .git/sequencer; echo "$x" > .git/sequencer/todo; echo "$x" > .git/BISECT_START; echo "$x" > .git/BISECT_LOG; echo "ref: refs/heads/$x" > .git/HEAD2
git branch '$(sh${IFS}$E)'; git tag '$(sh${IFS}$E)'; git config branch.main.remote "$x"; git config branch.main.merge "refs/heads/$x"; git config bash.showUpstream "$x"; git config svn-remote.svn.url "$x"
git init -q n; git -C n checkout -qb '$(sh${IFS}$E)'; git -C n config core.fsmonitor "sh $E"; git -C n config bash.showUpstream "$x"; git stash -q; mkdir -p m/objects m/refs; echo "ref: refs/heads/$x" > m/HEAD`,
	},
	{
		program: "vim", proof: "saved",
		user: "echo text > notes.txt; mkdir -p sub; echo text > sub/notes.txt",
		attack: `for d in . sub; do for n in .vimrc _vimrc .exrc _exrc .gvimrc .nvimrc .lvimrc; do echo "silent !sh $E" > $d/$n; echo "silent !sh $E" > z; mv z $d/$n; done
ln -s $OUT/f $d/notes.txt~; ln -s $OUT/f $d/.notes.txt.swp; ln -s $OUT/f $d/.notes.txt.un~; ln -s $OUT/f $d/.notes.txt.swo; mkdir $d/.vim; echo "silent !sh $E" > $d/.vim/vimrc; done`,
		used: `for d in . sub; do (cd $d; vim -es -N -i NONE --cmd 'set exrc nosecure backup undofile modeline' -u ../home/vimrc -c 'edit! notes.txt' -c 'normal Gosaved' -c 'write!' -c 'qa!' < /dev/null; vim -es -N -i NONE -u NONE -c 'qa!' notes.txt); cat $d/notes.txt; done`,
	},
	{
		program: "emacs", proof: "saved",
		user: "echo text > notes.txt; mkdir -p sub; echo text > sub/notes.txt",
		attack: `l="((nil . ((eval . (call-process \"sh\" nil nil nil \"$E\")))))"; for d in . sub; do for n in .dir-locals.el .dir-locals-2.el; do echo "$l" > $d/$n; echo "$l" > z; mv z $d/$n; done
ln -s $OUT/f "$d/#notes.txt#"; ln -s $OUT/f $d/notes.txt~; ln -s $OUT/f $d/.#notes.txt; ln -s $OUT/f $d/.saves; done`,
		used: `for f in notes.txt sub/notes.txt; do emacs -Q --batch --eval "(progn (setq enable-local-variables :all enable-local-eval t make-backup-files t)
(find-file \"$f\") (goto-char (point-max)) (insert \"saved\\n\") (set-visited-file-name \"$PWD/$f\" t) (auto-save-mode 1) (do-auto-save) (set-buffer-modified-p t) (write-region nil nil buffer-file-name) (save-buffer))"; cat $f; done`,
	},
	{
		program: "direnv", proof: "FROM_ENVRC",
		user: `printf 'export FROM_ENVRC=1\nsource_env_if_exists .envrc.local\nsource_env_if_exists .envrc.private\ndotenv_if_exists\n' > .envrc; direnv allow .`,
		attack: `for n in .envrc .envrc.local .envrc.private; do echo "sh $E" >> $n; echo "sh $E" > z; mv z $n; ln z $n; ln -s z $n; mkdir $n; done
echo "LD_PRELOAD=$E" > .env; echo "LD_PRELOAD=$E" > z; mv z .env; mkdir -p d; echo "sh $E" > d/.envrc; mv z d/.envrc`,
		used: `direnv export bash; cd d 2>/dev/null && direnv export bash`,
	},
}

// What a command leaves makes the user's other programs run nothing, and write nothing
// outside.
func TestNothingThatACommandLeavesFoolsOtherPrograms(t *testing.T) {
	t.Parallel()
	long.Test(t)
	everyUser(t, func(t *testing.T) {
		for _, p := range fooledPrograms {
			if !needs.Has(t, p.program) {
				continue
			}
			t.Run(p.program, func(t *testing.T) { p.judge(t) })
		}
	})
}

func (p fooled) judge(t *testing.T) {
	b := newBench(t)
	b.repositories()
	out := filepath.Join(realHome(), "pillion-"+mark()+p.program) // what the user would mind
	must(t, os.Mkdir(out, 0o700))
	defer os.RemoveAll(out)
	b.host("rm .envrc; mkdir -p ../home; : > ../home/vimrc; echo outside > " + out + "/f; echo 'echo ran >> $RAN' > evil")
	ran := filepath.Join(filepath.Dir(b.ws), "ran")
	outside := func(script string) string {
		cmd := exec.Command("/bin/sh", "-c", script)
		cmd.Dir = b.ws
		cmd.Env = []string{"PATH=/usr/bin:/bin", "HOME=" + filepath.Dir(b.ws) + "/home", "RAN=" + ran, "E=" + b.ws + "/evil", "TERM=dumb"}
		out, _ := cmd.CombinedOutput() // of attacks on them, programs complain
		return string(out)
	}
	said := outside(p.user)
	look := "cd " + out + " && ls -lA --time-style=full-iso && cat f"
	untouched := b.host(look)
	b.env = []string{"E=" + b.ws + "/evil", "OUT=" + out}
	for _, line := range []string{p.attack, "git switch -q main; " + p.attack} {
		b.sh(line)
	}
	said += outside(p.used)
	if !strings.Contains(said, p.proof) {
		t.Errorf("it does not do what it is there for: %s", said)
	}
	if text, err := os.ReadFile(ran); err == nil {
		t.Errorf("it ran something: %s\n%s", text, said)
	}
	if strings.Contains(said, "LD_PRELOAD") {
		t.Errorf("it took over an environment: %s", said)
	}
	if now := b.host(look); now != untouched {
		t.Errorf("outside: %s", hostChange(untouched, now))
	}
}
