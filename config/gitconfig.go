package config

import (
	"io"
	"path/filepath"
	"slices"
	"strings"
	"unicode"

	"github.com/pillion-sidecar/pillion/sandbox"
)

// Commands have a git configuration of their own, made of what the user's says
// about how to commit and nothing that names a program, a file to read, a server
// or a credential: no include, insteadOf, sshCommand, extraHeader, helper, alias,
// hooksPath, fsmonitor, editor, pager, signing (but for what HomeFiles says).

// plainGit are the settings that are taken over.
var plainGit = strings.Fields(`
	user.name user.email author.name author.email committer.name committer.email user.useconfigonly
	init.defaultbranch core.autocrlf core.eol core.safecrlf core.ignorecase core.precomposeunicode core.quotepath core.filemode core.symlinks
	core.abbrev core.longpaths core.whitespace core.commentchar core.logallrefupdates core.untrackedcache
	pull.rebase pull.ff push.default push.autosetupremote push.followtags fetch.prune branch.autosetuprebase branch.autosetupmerge
	merge.conflictstyle merge.ff merge.renames merge.renamelimit merge.log rebase.autostash rebase.autosquash rebase.updaterefs
	rerere.enabled rerere.autoupdate commit.verbose commit.cleanup commit.status status.short status.branch status.showuntrackedfiles
	diff.algorithm diff.renames diff.renamelimit diff.mnemonicprefix diff.noprefix diff.colormoved diff.colormovedws diff.context diff.indentheuristic
	log.date log.abbrevcommit log.decorate log.follow blame.date branch.sort tag.sort column.ui i18n.commitencoding i18n.logoutputencoding
	stash.showpatch submodule.recurse help.autocorrect advice.detachedhead extensions.worktreeconfig index.version feature.manyfiles safe.directory
`)

// lfsGit is what git-lfs install writes, to the letter: without it git takes pointers for
// changed files. Any other filter is a program of its own.
var lfsGit = map[string]string{
	"filter.lfs.clean": "git-lfs clean -- %f", "filter.lfs.smudge": "git-lfs smudge -- %f",
	"filter.lfs.process": "git-lfs filter-process", "filter.lfs.required": "true",
}

// plain reports a setting that may be taken over. Values are words: a name that
// is missing in a list of dangerous ones is not the last defence.
func (s gitSetting) plain() bool {
	if len(s.value) > 1024 || strings.ContainsFunc(s.value, unicode.IsControl) {
		return false
	}
	if want, ok := lfsGit[s.key()]; ok {
		return s.value == want
	}
	switch {
	case s.section == "color":
		return !strings.ContainsAny(s.value, "!$`|<>/;&")
	case s.subsection != "" || !slices.Contains(plainGit, s.key()):
		return false
	case s.section == "user" || s.section == "author" || s.section == "committer" || s.section == "safe":
		return true
	}
	return !strings.ContainsAny(s.value, "!$`|<>/;&")
}

// renderGit writes settings so that git reads back what they say.
func renderGit(all []gitSetting) string {
	quote := strings.NewReplacer(`\`, `\\`, `"`, `\"`).Replace
	var b strings.Builder
	for _, s := range all {
		b.WriteString("[" + s.section)
		if s.subsection != "" {
			b.WriteString(` "` + quote(s.subsection) + `"`)
		}
		b.WriteString("]\n\t" + s.name + ` = "` + quote(s.value) + "\"\n")
	}
	return b.String()
}

// gitSettings and gitIgnores are where in the private home git looks.
const gitSettings, gitIgnores = ".gitconfig", ".config/git/ignore"

// userGit is what the user's own files say. Files that can't be read are left out: git
// reports a mistake in them.
func userGit(env getenv, home string) (all []gitSetting) {
	configs := []string{below(xdgConfig(env, home), "git/config"), below(home, ".gitconfig")}
	if f := env("GIT_CONFIG_GLOBAL"); filepath.IsAbs(f) {
		configs = []string{f}
	}
	for _, f := range configs {
		if said, err := parseGit(readSmall(f)); err == nil {
			all = append(all, said...)
		}
	}
	return all
}

// gitFiles are git's files of the private home.
func gitFiles(env getenv, home string) (files []sandbox.HomeFile) {
	var plain []gitSetting
	ignore := below(xdgConfig(env, home), "git/ignore")
	for _, s := range userGit(env, home) {
		if s.plain() {
			plain = append(plain, s)
		}
		if s.key() == "core.excludesfile" {
			ignore = inHome(s.value, home)
		}
	}
	if len(plain) > 0 {
		files = append(files, sandbox.HomeFile{Path: gitSettings, Text: renderGit(plain)})
	}
	// Patterns only. Without them "git add -A" takes what the user's own ignores.
	if text := readSmall(ignore); text != "" {
		files = append(files, sandbox.HomeFile{Path: gitIgnores, Text: text})
	}
	return files
}

func xdgConfig(env getenv, home string) string {
	if dir := env("XDG_CONFIG_HOME"); filepath.IsAbs(dir) {
		return dir
	}
	return below(home, ".config")
}

// inHome is a path of git's, where ~/ is the home.
func inHome(path, home string) string {
	if rest, ok := strings.CutPrefix(path, "~/"); ok {
		return below(home, rest)
	}
	return path
}

// maxGitFile is more than anybody writes by hand.
const maxGitFile = 64 << 10

// readSmall is the text of a regular file, "" where there is none or too much.
func readSmall(path string) string {
	if !filepath.IsAbs(path) {
		return ""
	}
	f, err := openPlain(path)
	if err != nil {
		return ""
	}
	defer f.Close()
	if info, err := f.Stat(); err != nil || !info.Mode().IsRegular() || info.Size() > maxGitFile {
		return ""
	}
	data, err := io.ReadAll(io.LimitReader(f, maxGitFile))
	if err != nil {
		return ""
	}
	return string(data)
}
