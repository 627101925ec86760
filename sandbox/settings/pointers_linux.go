package settings

import (
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/sys/unix"

	"github.com/pillion-sidecar/pillion/sandbox/files"
	"github.com/pillion-sidecar/pillion/sandbox/protect"
)

// pointers collects what is pointed to below a root.
type pointers struct {
	root, Top string
	home      string          // what ~ is
	Files     map[string]bool // what says so
	Found     map[string]bool
	relative  []string // what a setting points to from its own place, also beyond the root
}

// New collects below root; top is the work tree there, home what ~ is.
func New(root, top, home string) *pointers {
	return &pointers{root: root, Top: top, home: home, Files: map[string]bool{root: true}, Found: map[string]bool{}}
}

// LeadOut says that settings of a work tree name something beyond a directory that holds
// it, by a way from where they are: moved, they would name something else.
func LeadOut(dir, top, home string) bool {
	s := New(dir, top, home)
	s.nested()
	return slices.ContainsFunc(s.relative, func(p string) bool { return !strings.HasPrefix(p, dir+"/") })
}

// Nested is what the settings of a work tree below a root point to, as its files
// say it: the user's git is not asked.
func Nested(root, top, home string) map[string]bool {
	s := New(root, top, home)
	s.nested()
	return s.Found
}

func (s *pointers) nested() {
	git := s.Top + "/" + protect.DotGit
	if text, _, err := files.Read(unix.AT_FDCWD, git, protect.MaxConfig); err == nil {
		if git, err = protect.PointerTarget(text, s.Top); err != nil {
			return
		}
	}
	common := git
	if text, _, err := files.Read(unix.AT_FDCWD, git+"/commondir", protect.MaxConfig); err == nil {
		common = filepath.Join(git, strings.TrimSuffix(text, "\n"))
	}
	if text, _, err := files.Read(unix.AT_FDCWD, common+"/config", maxSettings); err == nil {
		for _, set := range protect.ListConfig(text) {
			if set.String() == "core.worktree" {
				s.Top = s.from(common, set.Value)
			}
		}
	}
	s.Hooks(common + "/hooks")
	for _, file := range []string{common + "/config", git + "/config.worktree"} {
		s.readSettings(file, maxIncluded)
	}
	s.Links(s.Top)
}

// Tops are the work trees near below a root. Not all of a workspace is walked through:
// others are found when a command comes to them.
func Tops(root string) (tops []string) {
	left, level := maxNear, []string{root}
	for range 2 {
		var next []string
		for _, dir := range level {
			entries, _ := os.ReadDir(dir)
			for _, e := range entries {
				if left--; left < 0 {
					return tops
				}
				if !e.IsDir() || e.Name() == protect.DotGit {
					continue
				}
				below := filepath.Join(dir, e.Name())
				next = append(next, below)
				if files.Exists(unix.AT_FDCWD, below+"/"+protect.DotGit) {
					tops = append(tops, below)
				}
			}
		}
		level = next
	}
	return tops
}

// atHome resolves a leading ~, as git does, and as the shell does what is written for it.
func (s *pointers) atHome(value string) string {
	for _, home := range []string{"~/", "$HOME/", "${HOME}/"} {
		if rest, ok := strings.CutPrefix(value, home); ok {
			return filepath.Join(s.home, rest)
		}
	}
	return value
}

// everywhere notes a relative path: it means one in every work tree.
func (s *pointers) everywhere(rel string) {
	rel = filepath.Clean(rel)
	if rel != "." && !filepath.IsAbs(rel) && !strings.HasPrefix(rel, "..") && !strings.HasPrefix(rel, protect.DotGit+"/") {
		s.Found[rel] = true
	}
}

// add notes a path, and where it leads if it is a link.
func (s *pointers) add(path string) {
	path = filepath.Clean(path)
	to := path
	if text, err := files.LinkText(unix.AT_FDCWD, path); err == nil {
		to = s.from(filepath.Dir(path), text) // there may be nothing yet
	}
	if real, err := files.Real(path); err == nil {
		to = real
	}
	for _, p := range []string{path, to} {
		if rel, below := strings.CutPrefix(p, s.root+"/"); below {
			if z := protect.Locate(rel); z.Free() || z.Data() || rel == protect.DotEnv { // else its name protects it
				s.Found[p] = true
			}
		}
	}
}

// Hooks notes a directory of hooks, and what the links in it lead to. Husky's has only
// scripts that call those of the directory above it.
func (s *pointers) Hooks(dir string) {
	s.Files[dir] = true
	s.add(dir)
	if filepath.Base(dir) == "_" {
		s.add(filepath.Dir(dir))
	}
	entries, _ := os.ReadDir(dir)
	for _, e := range entries {
		if e.Type()&os.ModeSymlink != 0 {
			s.add(filepath.Join(dir, e.Name()))
		}
		s.sourced(filepath.Join(dir, e.Name()), s.Top)
	}
}

// Settings reads git's list: origin and setting by turns, each ended by NUL.
func (s *pointers) Settings(list string) {
	fields := strings.Split(list, "\x00")
	for i := 0; i+1 < len(fields); i += 2 {
		origin := strings.TrimPrefix(fields[i], "file:")
		if !filepath.IsAbs(origin) {
			origin = filepath.Join(s.Top, origin) // where git has gone to
		}
		s.Files[origin] = true
		key, value, _ := strings.Cut(fields[i+1], "\n")
		s.setting(origin, key, value)
	}
}

// setting notes what a value names below the root: a path, a program with its arguments,
// or a line for the shell.
func (s *pointers) setting(origin, key, value string) {
	section, _, _ := strings.Cut(key, ".")
	switch key[strings.LastIndexByte(key, '.')+1:] {
	case "uploadpack", "receivepack", "update": // programs in sections without others
	default:
		switch section {
		case "remote", "branch", "submodule", "url", "user", "safe", "extensions":
			return
		}
	}
	switch isPath := strings.HasSuffix(key, "path") || strings.HasSuffix(key, "file") || strings.HasSuffix(key, "dir"); {
	case key == "core.worktree":
		s.from(filepath.Dir(origin), value)
	case key == "core.hookspath":
		value = s.atHome(value)
		s.Hooks(s.from(s.Top, value))
		s.everywhere(strings.TrimSuffix(value, "/_"))
	case section == "include" || section == "includeif":
		s.add(s.from(filepath.Dir(origin), value))
	case isPath:
		s.everywhere(s.atHome(value))
		s.add(s.from(s.Top, value))
	default:
		s.program(value, section != "alias", section != "alias" || strings.HasPrefix(value, "!"))
	}
}

// from resolves a path as seen from a directory.
func (s *pointers) from(dir, value string) string {
	if value = s.atHome(value); filepath.IsAbs(value) {
		return value
	}
	value = filepath.Join(dir, value)
	s.relative = append(s.relative, value)
	return value
}

// Links notes where a name in a directory leads that is obeyed and is a link, and what
// files with such names take in. An .envrc may: direnv's takes in what a command builds.
func (s *pointers) Links(dir string) {
	entries, _ := os.ReadDir(dir)
	for _, e := range entries {
		sealed := protect.SealedName(protect.Canonical(e.Name())) != ""
		switch path := filepath.Join(dir, e.Name()); {
		case e.Type()&os.ModeSymlink != 0 && (sealed || protect.PlainNames[e.Name()]):
			s.add(path)
		case sealed && e.IsDir():
			s.linksBelow(path)
		case sealed && !strings.HasPrefix(e.Name(), ".envrc"):
			s.sourced(path, dir)
		}
	}
}

// linksBelow notes where all links lead in a directory that is obeyed.
func (s *pointers) linksBelow(dir string) {
	left := maxNear
	_ = filepath.WalkDir(dir, func(path string, e os.DirEntry, err error) error { // what can't be read is not followed
		if left--; left < 0 {
			return filepath.SkipAll
		}
		if err == nil && e.Type()&os.ModeSymlink != 0 {
			s.add(path)
		}
		return nil
	})
}

// Environment notes what variables name that programs run or obey. What builds read is left
// out, and so are lists of directories with code: commands work on both.
func (s *pointers) Environment(get func(string) string) {
	// A path may follow its option or its sign at once: -r/w/x, @/w/x.
	apart := strings.NewReplacer(":", " ", s.root+"/", " "+s.root+"/")
	for name := range strings.FieldsSeq(`GIT_EDITOR GIT_SEQUENCE_EDITOR GIT_PAGER GIT_EXTERNAL_DIFF GIT_SSH GIT_SSH_COMMAND GIT_ASKPASS
		GIT_PROXY_COMMAND EDITOR VISUAL PAGER LESSOPEN LESSCLOSE BROWSER SSH_ASKPASS SUDO_ASKPASS BASH_ENV ENV PYTHONSTARTUP
		NODE_OPTIONS PERL5OPT RUBYOPT LD_PRELOAD KUBECONFIG AWS_CONFIG_FILE`) {
		s.program(apart.Replace(get(name)), true, true)
	}
	for name := range strings.FieldsSeq(`GIT_CONFIG_PARAMETERS GIT_TEMPLATE_DIR GIT_EXEC_PATH ZDOTDIR INPUTRC PROMPT_COMMAND SHELL TERMINAL
		FCEDIT HGEDITOR CVSEDITOR SVN_EDITOR KUBE_EDITOR SYSTEMD_EDITOR PSQL_EDITOR BZR_EDITOR TEXEDIT HGMERGE CVS_RSH RSYNC_RSH SVN_SSH
		MANPAGER SYSTEMD_PAGER BAT_PAGER DELTA_PAGER GH_PAGER PSQL_PAGER AWS_PAGER LESSKEY LESSKEYIN MAILCAPS HGRCPATH
		VIMINIT GVIMINIT EXINIT MYVIMRC LUA_INIT IRBRC PRYRC PERL5DB PSQLRC SCREENRC TIGRC_USER ACKRC WGETRC CURL_HOME TASKRC
		RIPGREP_CONFIG_PATH STARSHIP_CONFIG DIRENV_CONFIG MISE_CONFIG_FILE MISE_GLOBAL_CONFIG_FILE FZF_DEFAULT_COMMAND FZF_DEFAULT_OPTS
		FZF_DEFAULT_OPTS_FILE LD_AUDIT DOTNET_STARTUP_HOOKS BUN_OPTIONS OPENSSL_CONF PHPRC PHP_INI_SCAN_DIR GDK_PIXBUF_MODULE_FILE
		R_PROFILE_USER R_ENVIRON_USER IPYTHONDIR JUPYTER_CONFIG_DIR AWS_SHARED_CREDENTIALS_FILE GNUPGHOME DOCKER_CONFIG
		CLAUDE_CONFIG_DIR CODEX_HOME VSCODE_PORTABLE`) {
		s.program(apart.Replace(get(name)), false, true) // the file alone: it has no modules beside it
	}
	for _, name := range []string{"GIT_CONFIG_GLOBAL", "GIT_CONFIG_SYSTEM", "GIT_CONFIG"} {
		if file := get(name); file != "" {
			s.add(s.from(s.Top, file))
			s.readSettings(s.from(s.Top, file), maxIncluded)
		}
	}
	for i := 0; i < maxNear && get("GIT_CONFIG_KEY_"+strconv.Itoa(i)) != ""; i++ {
		s.setting(s.Top, strings.ToLower(get("GIT_CONFIG_KEY_"+strconv.Itoa(i))), get("GIT_CONFIG_VALUE_"+strconv.Itoa(i)))
	}
}

// readSettings notes what a file's settings point to, and those of the files it includes,
// on whatever condition.
func (s *pointers) readSettings(file string, depth int) {
	text, _, err := files.Read(unix.AT_FDCWD, file, maxSettings)
	if err != nil || depth == 0 {
		return
	}
	for _, set := range protect.ListConfig(text) {
		s.setting(file, set.String(), set.Value)
		if strings.HasPrefix(set.Section, "include") && set.Key == "path" {
			s.readSettings(s.from(filepath.Dir(file), set.Value), depth-1)
		}
	}
}

const (
	maxNear     = 4000    // entries of directories
	maxIncluded = 10      // git's own limit of includes in includes
	maxSettings = 1 << 20 // of one file
)
