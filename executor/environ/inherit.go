package environ

import (
	"slices"
	"strings"
	"sync"

	"github.com/pillion-sidecar/pillion/guard"
)

// coreEnv are the variables a command inherits by default. Everything else of
// the editor's environment stays out: that is where tokens live. The last three
// name directories of toolchains, without which some builds find nothing.
var coreEnv = []string{
	"PATH", "USER", "LOGNAME", "LANG", "LANGUAGE", "TZ", "SHELL",
	"JAVA_HOME", "VIRTUAL_ENV", "CONDA_PREFIX",
}

// Inherits says whether a variable of the sidecar's environment reaches the
// command. HOME does only where the sandbox has no home of its own (mode off).
func Inherits(mode, name, value string) bool {
	switch mode {
	case "all":
		return harmless(name, value)
	case "none":
		return false
	}
	core := name == "HOME" || slices.Contains(coreEnv, name) || strings.HasPrefix(name, "LC_")
	return core && !strings.HasPrefix(value, "() {")
}

// harmless is what "all" means: everything but secrets, which a command could print or
// send, and variables that make programs run code. The second would put something into
// every command that no verdict shows. A user's policy can set by name what is dropped
// wrongly.
func harmless(name, value string) bool {
	return !secretName(name) && !secretValue(value) && !carriesCode(name, value) && !reachesOut(name)
}

// secretWords mark a secret where they are a word of the name, or its end:
// OPENAI_KEY and OPENAIKEY, not KEYBOARD.
var secretWords = []string{"KEY", "KEYS", "PASS", "PWD", "PAT", "PIN", "CREDS", "DSN", "NETRC"}

// secretParts mark a secret anywhere in a name.
var secretParts = []string{
	"TOKEN", "SECRET", "PASSW", "PASSPHRASE", "APIKEY", "API_KEY", "CREDENTIAL", "AUTH", "COOKIE", "SESSION", "BEARER", "CERT_DATA",
}

// lookalikes hold such a part and mean something else.
var lookalikes = strings.NewReplacer("AUTHOR", "", "TOKENIZER", "", "KEYBOARD", "", "KEYMAP", "")

// secretName reports a name by which people call their secrets, and the two
// through which other programs act for the user: XAUTHORITY, SSH_AUTH_SOCK.
func secretName(name string) bool {
	upper := strings.ToUpper(name)
	if upper == "PWD" || upper == "OLDPWD" {
		return false
	}
	if upper == "XAUTHORITY" {
		return true
	}
	upper = lookalikes.Replace(upper)
	for _, part := range secretParts {
		if strings.Contains(upper, part) {
			return true
		}
	}
	for word := range strings.FieldsFuncSeq(upper, func(r rune) bool { return r == '_' || r == '-' || r == '.' || '0' <= r && r <= '9' }) {
		if slices.Contains(secretWords, word) || strings.HasSuffix(word, "KEY") {
			return true
		}
	}
	return false
}

// secretValue reports an address with a password in it, whatever the name is:
// DATABASE_URL, HTTPS_PROXY, PIP_INDEX_URL.
func secretValue(value string) bool {
	for rest := value; ; {
		_, after, ok := strings.Cut(rest, "://")
		if !ok {
			return false
		}
		host := after
		if end := strings.IndexAny(host, "/?# \t\n,"); end >= 0 {
			host = host[:end]
		}
		if strings.Contains(host, "@") {
			return true
		}
		rest = after
	}
}

// codeNames carry code and are not in the guard's table, which knows what is
// seen in command lines.
var codeNames = sync.OnceValue(func() map[string]bool {
	set := map[string]bool{}
	for name := range strings.FieldsSeq(`
		CDPATH GLOBIGNORE IFS POSIXLY_CORRECT HISTFILE
		GLIBC_TUNABLES HOSTALIASES RES_OPTIONS MALLOC_TRACE GETCONF_DIR TMPPREFIX TERMCAP
		PYTHONINSPECT PYTHONBREAKPOINT PYTHONWARNINGS PYTHONUSERBASE PYTHONEXECUTABLE PYTHONPYCACHEPREFIX
		PHPRC PHP_INI_SCAN_DIR JULIA_LOAD_PATH JULIA_DEPOT_PATH GUILE_LOAD_COMPILED_PATH ELIXIR_ERL_OPTIONS
		MAVEN_ARGS MAVEN_CONFIG JVM_OPTS KOTLIN_OPTS SCALA_OPTS JDK_JAVAC_OPTIONS
		RUSTFLAGS RUSTDOCFLAGS CARGO_ENCODED_RUSTFLAGS GOENV GOTOOLDIR
		DOTNET_STARTUP_HOOKS DOTNET_ADDITIONAL_DEPS CORECLR_PROFILER CORECLR_PROFILER_PATH COR_PROFILER COR_PROFILER_PATH MSBUILDEXTENSIONSPATH
		DIFFPROG MERGETOOL GREP_OPTIONS FZF_DEFAULT_COMMAND FZF_DEFAULT_OPTS VIMINIT EXINIT GVIMINIT MYVIMRC NVIM_APPNAME
		SCREENRC PSQLRC BC_ENV_ARGS POSH_THEME BAT_CONFIG_PATH LESSKEYIN LESSKEY LESS
		GIO_EXTRA_MODULES GTK_PATH GTK3_MODULES QT_QPA_PLATFORM_PLUGIN_PATH SASL_PATH KRB5_CONFIG PKCS11_MODULE_PATH
		ELECTRON_RUN_AS_NODE ELECTRON_EXEC_PATH TS_NODE_PROJECT TS_NODE_REQUIRE
	`) {
		set[name] = true
	}
	return set
})

// codeFamilies are beginnings of names of which all carry code, or too many to
// list them.
var codeFamilies = []string{
	"LD_", "DYLD_", "BASH_FUNC_", "LUA_INIT", "LUA_PATH_", "LUA_CPATH_", "ERL_", "GIT_", "NPM_CONFIG_", "CARGO_BUILD_", "CARGO_TARGET_", "CARGO_ALIAS_", "CARGO_UNSTABLE_", "GEM_", "BUNDLE_",
}

// plainNames are in one of these families, or in the guard's table, and carry
// none: who commits, and which tools a build is to be made with. A request sets
// PATH's like, a build breaks without them.
var plainNames = strings.Fields(`
	GIT_AUTHOR_NAME GIT_AUTHOR_EMAIL GIT_AUTHOR_DATE GIT_COMMITTER_NAME GIT_COMMITTER_EMAIL GIT_COMMITTER_DATE
	PATH CC CXX CPP LD AR AS FC HOSTCC PKG_CONFIG TERMINFO
	NPM_CONFIG_REGISTRY NPM_CONFIG_PROXY NPM_CONFIG_HTTPS_PROXY NPM_CONFIG_NOPROXY NPM_CONFIG_CAFILE NPM_CONFIG_LOGLEVEL
	YARN_REGISTRY PIP_INDEX_URL PIP_EXTRA_INDEX_URL UV_INDEX_URL UV_DEFAULT_INDEX UV_EXTRA_INDEX_URL GOPROXY RUSTUP_DIST_SERVER
`)

// carriesCode reports a variable that makes some program run, load or look for
// code. A function that bash exported is known by its value.
func carriesCode(name, value string) bool {
	if strings.HasPrefix(value, "() {") {
		return true
	}
	upper := strings.ToUpper(name) // npm takes its settings in any case
	if slices.Contains(plainNames, upper) {
		return false
	}
	for _, family := range codeFamilies {
		if strings.HasPrefix(upper, family) {
			return true
		}
	}
	return codeNames()[name] || guard.CarriesCode(name)
}

// reachesOut reports names of sockets and addresses through which a command
// could have something done outside of the sandbox, were they to be reached: the
// editor's own, a multiplexer's, a container engine's.
func reachesOut(name string) bool {
	for _, family := range []string{"VSCODE_", "NVIM", "DBUS_", "DOCKER_", "CONTAINER_", "GPG_", "KRB5", "WSL"} {
		if strings.HasPrefix(name, family) {
			return true
		}
	}
	return slices.Contains([]string{"TMUX", "STY", "EMACS_SOCKET_NAME", "INSIDE_EMACS", "WAYLAND_SOCKET", "SSH_CONNECTION", "SSH_AGENT_PID"}, name)
}
