package config

import (
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// asGit is what git itself reads in a file.
func asGit(t *testing.T, text string) (string, bool) {
	t.Helper()
	dir := t.TempDir()
	file := filepath.Join(dir, "config")
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command("git", "config", "--file", file, "--no-includes", "--list", "-z")
	cmd.Dir = "/"
	cmd.Env = []string{"PATH=" + os.Getenv("PATH"), "HOME=" + dir, "GIT_CONFIG_NOSYSTEM=1"}
	out, err := cmd.Output()
	return string(out), err == nil
}

func listed(all []gitSetting) string {
	var b strings.Builder
	for _, s := range all {
		b.WriteString(s.key() + "\n" + s.value + "\x00")
	}
	return b.String()
}

// The parser says what git says. What git takes for true without a value, it
// lists without one.
func TestGitFilesAreReadAsGitReadsThem(t *testing.T) {
	for _, text := range []string{
		"", "# nothing\n; here\n", "[user]\n\tname = A B\n\temail=a@b\n", "[user] name = x\n[User]Name=y",
		"[user]\nname = \"A # B\" ; c\n", "[user]\nname = a\\\n b\n", "[a]\nb = \"x  y\"  z  \n", "[a]\nb = x\\ty\\\"z\\\\ # c\n",
		"[color \"Diff.X\"]\n\tmeta = yellow bold\n", "[url \"git@h:\"]\n\tinsteadOf = https://h/\n", "[a.B]\nc = d\n", "[a \"q\\\"r\\\\s\"]\nc = d",
		"\uFEFF[a]\nb = c\n", "[a]\r\nb = c\r\n", "[a]\nb =\n", "[a]\nb = \n c = d\n", "[include]\n\tpath = ~/x\n", "[a]b=c\n[a]b=d\n", "[a]\nb = c;d\n", "[a]\n  b = \"\"\n",
		"[a]\nb = x \" y \" \n", "[user]\n\tname = \xc3\x96\n", "[a-b]\nc-d = e\n", "[a]\nb = c \\\n   d\n",
		"user.name = x\n", "[a\nb = c", "[a]\nb c\n", "[a]\nb = \"c\n", "[a]\n1b = c\n", "[a \"b\nc\"]\nd = e\n", "[a]\nb = c\\d\n", "[]\na = b\n", "[a]]\n",
	} {
		want, good := asGit(t, text)
		got, err := parseGit(text)
		if (err == nil) != good || good && listed(got) != want {
			t.Errorf("%q:\ngot  %q, %v\nwant %q, %v", text, listed(got), err, want, good)
		}
	}
}

func FuzzGitFile(f *testing.F) {
	f.Add("[user]\n\tname = \"A\\tB\" # c\n[a \"b\"]\nc\n")
	f.Fuzz(func(t *testing.T, text string) {
		all, err := parseGit(text)
		if err != nil {
			return
		}
		var plain []gitSetting
		for _, s := range all {
			if s.plain() {
				plain = append(plain, s)
			}
		}
		again, err := parseGit(renderGit(plain))
		if err != nil || !cmp.Equal(plain, again, cmp.AllowUnexported(gitSetting{})) {
			t.Errorf("%q\nbecame %q, %v", listed(plain), listed(again), err)
		}
	})
}

// Everything that names a program, a file, a server or a secret stays outside.
const hostileGit = `
[include]
	path = ~/.gitconfig-work
[includeIf "gitdir:~/w/"]
	path = w
[user]
	name = "Ann \"O'\" Ex#mple"
	email = ann@example.org
	signingKey = ABC
[url "https://ghp_SENTINEL@github.com/"]
	insteadOf = https://github.com/
[core]
	sshCommand = ssh -i SENTINEL
	editor = SENTINEL
	pager = SENTINEL
	hooksPath = /SENTINEL
	fsmonitor = /SENTINEL
	attributesFile = SENTINEL
	gitProxy = SENTINEL
	askPass = SENTINEL
	autocrlf = input
	quotePath = false
	whitespace = "!SENTINEL"
[http]
	extraHeader = "AUTHORIZATION: SENTINEL"
	cookieFile = SENTINEL
[http "https://x"]
	proxy = http://SENTINEL
[credential]
	helper = "!f() { echo SENTINEL; }; f"
[alias]
	st = "!SENTINEL"
[gpg]
	program = SENTINEL
[commit]
	gpgSign = true
	template = SENTINEL
	verbose = true
[diff]
	external = SENTINEL
	algorithm = histogram
[diff "x"]
	textconv = SENTINEL
	command = SENTINEL
[merge "x"]
	driver = SENTINEL
[filter "x"]
	clean = SENTINEL
[filter "lfs"]
	clean = git-lfs clean -- %f
	smudge = "git-lfs smudge -- %f; SENTINEL"
	required = true
[sequence]
	editor = SENTINEL
[interactive]
	diffFilter = SENTINEL
[sendemail]
	smtpPass = SENTINEL
[github]
	token = SENTINEL
[init]
	defaultBranch = trunk
	templateDir = SENTINEL
[color "diff"]
	meta = yellow bold
[color]
	ui = "!SENTINEL"
[safe]
	directory = /srv/a
	directory = /srv/b
[pull]
	rebase = true
[branch "main"]
	remote = SENTINEL
[remote "o"]
	url = https://SENTINEL
`

func TestGitSettingsOfTheSandboxArePlain(t *testing.T) {
	home := made(t, ".config/git/")
	for file, text := range map[string]string{".gitconfig": hostileGit, ".config/git/config": "[user]\nname = Old\n[push]\ndefault = simple\n", ".config/git/ignore": "*.swp\n"} {
		if err := os.WriteFile(filepath.Join(home, file), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	got := map[string]string{}
	for _, f := range gitFiles(environment(nil), home) {
		got[f.Path] = f.Text
	}
	if got[".config/git/ignore"] != "*.swp\n" || len(got) != 2 {
		t.Errorf("%q", got)
	}
	text := got[".gitconfig"]
	if strings.Contains(text, "SENTINEL") {
		t.Errorf("too much is taken over:\n%s", text)
	}
	want := "user.name\nOld\x00push.default\nsimple\x00user.name\nAnn \"O'\" Ex#mple\x00user.email\nann@example.org\x00core.autocrlf\ninput\x00core.quotepath\nfalse\x00" +
		"commit.verbose\ntrue\x00diff.algorithm\nhistogram\x00filter.lfs.clean\ngit-lfs clean -- %f\x00filter.lfs.required\ntrue\x00init.defaultbranch\ntrunk\x00" +
		"color.diff.meta\nyellow bold\x00safe.directory\n/srv/a\x00safe.directory\n/srv/b\x00pull.rebase\ntrue\x00"
	if out, ok := asGit(t, text); !ok || out != want {
		t.Errorf("got  %q\nwant %q", out, want)
	}
}

func TestWhereGitFilesAre(t *testing.T) {
	home := made(t, "elsewhere/git/", ".gitignore_global", "fifo/")
	for file, text := range map[string]string{
		".gitconfig": "[core]\nexcludesFile = ~/.gitignore_global\n[user]\nname = a\n", ".gitignore_global": "global\n",
		"other": "[user]\nname = b\n", "broken": "[user\n", "huge": "[user]\nname = c\n" + strings.Repeat("#", maxGitFile), "elsewhere/git/config": "[user]\nname = d\n",
	} {
		if err := os.WriteFile(filepath.Join(home, file), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	a, b, d := "[user]\n\tname = \"a\"\n", "[user]\n\tname = \"b\"\n", "[user]\n\tname = \"d\"\n"
	for name, c := range map[string]struct {
		env  map[string]string
		want map[string]string
	}{
		"the home's":            {nil, map[string]string{".gitconfig": a, ".config/git/ignore": "global\n"}},
		"both, in git's order":  {map[string]string{"XDG_CONFIG_HOME": home + "/elsewhere"}, map[string]string{".gitconfig": d + a, ".config/git/ignore": "global\n"}},
		"the one that is named": {map[string]string{"GIT_CONFIG_GLOBAL": home + "/other"}, map[string]string{".gitconfig": b}},
		"a broken one":          {map[string]string{"GIT_CONFIG_GLOBAL": home + "/broken"}, map[string]string{}},
		"one that is too large": {map[string]string{"GIT_CONFIG_GLOBAL": home + "/huge"}, map[string]string{}},
		"a directory":           {map[string]string{"GIT_CONFIG_GLOBAL": home + "/fifo"}, map[string]string{}},
		"none":                  {map[string]string{"GIT_CONFIG_GLOBAL": "/dev/null"}, map[string]string{}},
	} {
		got := map[string]string{}
		for _, f := range gitFiles(environment(c.env), home) {
			got[f.Path] = f.Text
		}
		if !maps.Equal(got, c.want) {
			t.Errorf("%s: %q, want %q", name, got, c.want)
		}
	}
}
