package guard

import (
	"strings"
	"sync"
)

// variableTable lists variables that carry code: names, and the kind of value.
// Kinds are those of helpers and options; "deny" is never ordinary, "search" is a
// list of directories from which code is loaded, "file" one file that is.
var variableTable = [...][2]string{
	{"LD_PRELOAD LD_AUDIT DYLD_INSERT_LIBRARIES BASH_ENV PROMPT_COMMAND GCONV_PATH LD_ORIGIN_PATH PERL5DB SHELLOPTS BASHOPTS GIT_PROXY_COMMAND RUBYSHELL", "deny"},
	{"LD_LIBRARY_PATH DYLD_LIBRARY_PATH DYLD_FRAMEWORK_PATH PERL5LIB PERLLIB PYTHONPATH PYTHONHOME RUBYLIB NODE_PATH LUA_PATH LUA_CPATH CLASSPATH FPATH GIT_EXEC_PATH GIT_TEMPLATE_DIR TCLLIBPATH GEM_PATH R_LIBS GUILE_LOAD_PATH LOCPATH TERMINFO NLSPATH ZDOTDIR OPENSSL_MODULES OPENSSL_ENGINES QT_PLUGIN_PATH GTK_MODULES GIO_MODULE_DIR VIMRUNTIME VIM", "search"},
	{"PYTHONSTARTUP R_PROFILE R_PROFILE_USER R_ENVIRON GIT_CONFIG_GLOBAL GIT_CONFIG_SYSTEM GIT_CONFIG INPUTRC WGETRC OPENSSL_CONF CURL_HOME NPM_CONFIG_USERCONFIG npm_config_userconfig npm_config_globalconfig RIPGREP_CONFIG_PATH PIP_CONFIG_FILE MAKEFILES NODE_REPL_EXTERNAL_MODULE PYTHONPLATLIBDIR", "file"},
	{"ENV", "shenv"},
	{"PS0 PS1 PS2 PS4 PROMPT", "prompt"},
	{"GIT_SSH GIT_SSH_COMMAND RSYNC_RSH CVS_RSH SVN_SSH HG_SSH BORG_RSH RSH SCP_SSH", "ssh"},
	{"GIT_ASKPASS SSH_ASKPASS SUDO_ASKPASS BORG_PASSCOMMAND RESTIC_PASSWORD_COMMAND AWS_CREDENTIAL_PROCESS", "secret"},
	{"GIT_EDITOR GIT_SEQUENCE_EDITOR EDITOR VISUAL FCEDIT KUBE_EDITOR SUDO_EDITOR SYSTEMD_EDITOR HGEDITOR SVN_EDITOR CRONTAB_EDITOR", "editor"},
	{"BROWSER", "viewer"},
	{"PAGER GIT_PAGER MANPAGER SYSTEMD_PAGER AWS_PAGER GH_PAGER PSQL_PAGER BAT_PAGER DELTA_PAGER HGPAGER MERCURIAL_PAGER", "pager"},
	{"LESSOPEN LESSCLOSE LESSEDIT", "reader"},
	{"GIT_EXTERNAL_DIFF", "diff"},
	{"NODE_OPTIONS npm_config_node_options NPM_CONFIG_NODE_OPTIONS BUN_OPTIONS", "nodeopt"},
	{"npm_config_script_shell NPM_CONFIG_SCRIPT_SHELL npm_config_shell npm_config_git npm_config_python CONFIG_SHELL", "shell"},
	{"RUSTC_WRAPPER RUSTC_WORKSPACE_WRAPPER RUSTC RUSTDOC CARGO_BUILD_RUSTC_WRAPPER CARGO_BUILD_RUSTC CC CXX CPP LD AR AS FC LINKER HOSTCC CMAKE_C_COMPILER_LAUNCHER CMAKE_CXX_COMPILER_LAUNCHER CCACHE_PREFIX PKG_CONFIG LIBTOOL", "build"},
	{"PERL5OPT", "perlopt"},
	{"RUBYOPT", "rubyopt"},
	{"JAVA_TOOL_OPTIONS _JAVA_OPTIONS JDK_JAVA_OPTIONS JAVA_OPTS MAVEN_OPTS GRADLE_OPTS SBT_OPTS ANT_OPTS", "javaopt"},
	{"MAKEFLAGS MFLAGS GNUMAKEFLAGS", "makeopt"},
	{"GOFLAGS", "goflags"},
	{"TAR_OPTIONS", "taropt"},
	{"PATH", "programs"},
	{"GIT_CONFIG_PARAMETERS", "gitparameters"},
	{"GIT_DIR GIT_WORK_TREE GIT_COMMON_DIR GIT_INDEX_FILE GIT_OBJECT_DIRECTORY", "path"},
	{"NPM_CONFIG_REGISTRY npm_config_registry YARN_REGISTRY YARN_NPM_REGISTRY_SERVER PIP_INDEX_URL PIP_EXTRA_INDEX_URL UV_INDEX_URL UV_DEFAULT_INDEX UV_EXTRA_INDEX_URL GOPROXY BUNDLE_MIRROR__ALL CARGO_REGISTRY_INDEX RUSTUP_DIST_SERVER", "registry"},
}

var variableKinds = sync.OnceValue(func() map[string]string {
	m := map[string]string{}
	for _, row := range variableTable {
		for name := range strings.FieldsSeq(row[0]) {
			m[name] = row[1]
		}
	}
	return m
})

// CarriesCode reports whether a variable's value can name code that some program
// then runs or loads, or a place that it gets code from.
func CarriesCode(name string) bool {
	return variableKinds()[name] != "" || patternKind(name) != ""
}

// variable judges the value of a variable that is set for some program.
func (w *walker) variable(e *effect) {
	kind := variableKinds()[e.name]
	if kind == "" {
		kind = patternKind(e.name)
	}
	if kind == "" || e.text == "" || !w.deeper() {
		return
	}
	defer func() { w.nested-- }()
	st := &state{cwds: w.dirs}
	a := arg{text: e.text, index: e.source.Index, span: e.span}
	if e.source.Field == "env" { // code is told in its own field
		at := w.at
		w.at = origin{field: "env", whole: e.span, name: e.source.Name}
		defer func() { w.at = at }()
	}
	defer w.enter(e.name+"=…", e.text, e.span)()
	w.variableValue(st, kind, e.name, a)
}

// patternKind is for families of variables.
func patternKind(name string) string {
	switch {
	case strings.HasPrefix(name, "CARGO_TARGET_") && (strings.HasSuffix(name, "_RUNNER") || strings.HasSuffix(name, "_LINKER")):
		return "build"
	case strings.HasPrefix(name, "GIT_CONFIG_KEY_"):
		return "gitkey"
	case strings.HasPrefix(name, "BASH_FUNC_"):
		return "deny"
	}
	return ""
}

func (w *walker) variableValue(st *state, kind, name string, a arg) {
	deny := func() { w.emitAt(a, effect{kind: kindHook, name: name, text: name + "=" + a.text}) }
	switch kind {
	case "deny":
		if !loaders()[name] {
			deny()
		}
	case "search":
		w.searchPath(st, name, a)
	case "file":
		if a.text != "/dev/null" {
			w.loaded(st, name, a)
		}
	case "shenv":
		// Many programs call their stage ENV; only a shell takes it for a file.
		if strings.HasPrefix(a.text, "/") || strings.HasPrefix(a.text, ".") || strings.ContainsAny(a.text, "$`") {
			deny()
		}
	case "prompt":
		if strings.ContainsAny(a.text, "`") || strings.Contains(a.text, "$(") {
			deny()
		}
	case "shell":
		if _, ok := dialects()[base(a.text)]; !ok || strings.HasPrefix(a.text, ".") || strings.Contains(a.text, " ") {
			deny()
		}
	case "reader":
		w.hook(st, helpers()["reader"], name, a.tail(strings.ReplaceAll(strings.TrimLeft(a.text, "|-"), "%s", "x")))
	case "gitkey":
		if gitSettingKind(a.text) != "" {
			deny()
		}
	case "programs":
		w.programDirs(st, a)
	default:
		w.optionVariable(st, kind, name, a)
	}
}

// optionVariable is a variable that holds options of a program.
func (w *walker) optionVariable(st *state, kind, name string, a arg) {
	words := strings.Fields(a.text)
	has := func(beginnings ...string) bool {
		for _, word := range words {
			for _, b := range beginnings {
				if strings.HasPrefix(word, b) {
					return true
				}
			}
		}
		return false
	}
	bad := false
	switch kind {
	case "perlopt":
		bad = has("-M", "-m", "-d", "-I/", "-I..") && !has("-MDevel::Cover", "-Mstrict", "-Mwarnings", "-Mutf8", "-MDevel::NYTProf", "-mstrict")
	case "rubyopt":
		bad = has("-r./", "-r/", "-r../", "-e", "-I/", "-rev")
	case "javaopt":
		for _, word := range words {
			for _, option := range []string{"-javaagent:", "-agentpath:", "-agentlib:"} {
				if file, ok := strings.CutPrefix(word, option); ok && option != "-agentlib:" {
					path, _, _ := strings.Cut(file, "=")
					w.loaded(st, name, a.tail(path))
				}
			}
			bad = bad || strings.HasPrefix(word, "-XX:OnOutOfMemoryError=") || strings.HasPrefix(word, "-XX:OnError=")
		}
	case "makeopt":
		bad = has("--eval", "-E", "SHELL=", "-f/", "--file=/", "--makefile=/") || strings.Contains(a.text, "--eval")
	case "goflags", "taropt":
		program := map[string]string{"goflags": "go", "taropt": "tar"}[kind]
		var args []arg
		for _, word := range words {
			args = append(args, a.tail(word))
		}
		w.hookOptions(st, program, args)
	default:
		w.hookValue(st, name, kind, a)
	}
	if bad {
		w.emitAt(a, effect{kind: kindHook, name: name, text: name + "=" + a.text})
	}
}

// searchPath are directories code is loaded from: the workspace's and the system's
// are ordinary, other people's and world-writable ones are not.
func (w *walker) searchPath(st *state, name string, a arg) {
	for dir := range strings.SplitSeq(a.text, ":") {
		if dir == "" || strings.HasPrefix(dir, unknown) || !w.spend(1) {
			continue
		}
		p := w.locate(st, dir)
		if p.unknown || w.inFolders(p.path) || systemLibrary(p.path) || w.home != "" && !strings.HasPrefix(dir, "..") && strings.HasPrefix(p.path, w.home+"/") && !w.policyOutside(name) {
			continue
		}
		w.emitAt(a, effect{kind: kindHook, name: name, text: name + "=" + a.text})
		return
	}
}

// policyOutside reports variables for which even the home is no ordinary place.
func (w *walker) policyOutside(name string) bool { return name == "GIT_EXEC_PATH" || name == "LOCPATH" }

func systemLibrary(p string) bool {
	for _, dir := range []string{"/usr/", "/lib/", "/lib64/", "/opt/", "/nix/", "/snap/", "/Library/", "/System/", "/etc/ssl"} {
		if strings.HasPrefix(p+"/", dir) {
			return true
		}
	}
	return false
}

// programDirs is PATH: a directory anybody can write to, before the others,
// replaces every program.
func (w *walker) programDirs(st *state, a arg) {
	for dir := range strings.SplitSeq(a.text, ":") {
		if strings.Contains(dir, unknown) || !w.spend(1) {
			return
		}
		if dir == "" {
			continue
		}
		p := w.locate(st, dir)
		if p.unknown {
			return
		}
		if w.inRoots(p.path) && !w.inFolders(p.path) {
			w.emitAt(a, effect{kind: kindHook, name: "PATH", text: "PATH=" + a.text})
			return
		}
	}
}
