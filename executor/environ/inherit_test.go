package environ

import (
	"strings"
	"testing"
)

// What "all" leaves out, each name as people have it in their environment.
func TestAllInheritsNoSecret(t *testing.T) {
	for name := range strings.FieldsSeq(`
		GITHUB_TOKEN GH_TOKEN NPM_TOKEN NODE_AUTH_TOKEN CI_JOB_TOKEN HF_TOKEN token VAULT_TOKEN
		AWS_SECRET_ACCESS_KEY AWS_ACCESS_KEY_ID AWS_SESSION_TOKEN AWS_CREDENTIAL_FILE GOOGLE_APPLICATION_CREDENTIALS
		OPENAI_API_KEY ANTHROPIC_API_KEY APIKEY OPENAIKEY STRIPE_KEY SSH_PRIVATE_KEY ENCRYPTION_KEY_2 age-key SIGNING_KEYS
		DB_PASSWORD PGPASSWORD MYSQL_PWD DB_PASS SMB_PASSWD GPG_PASSPHRASE SNYK_PAT SENTRY_DSN
		SSH_AUTH_SOCK XAUTHORITY NETRC HTTP_COOKIE DBUS_SESSION_BUS_ADDRESS SESSION_MANAGER npm_config__auth BASIC_AUTH
	`) {
		if Inherits("all", name, "x") {
			t.Errorf("%s is inherited", name)
		}
	}
}

func TestAllInheritsNoAddressWithAPassword(t *testing.T) {
	for value, secret := range map[string]bool{
		"postgres://u:p@db/x": true, "https://ghp_x@github.com": true, "http://a,https://u:p@b": true, "redis://:p@h:1": true,
		"https://example.org/a@b": false, "git@github.com:a/b": false, "file:///home/a": false, "https://x?y=a@b": false, "": false, "a@b": false,
	} {
		if Inherits("all", "SOME_URL", value) == secret {
			t.Errorf("%q is inherited: %v", value, !secret)
		}
	}
}

// Check 58: what would put code into every command.
func TestAllInheritsNoCode(t *testing.T) {
	for name := range strings.FieldsSeq(`
		LD_PRELOAD LD_LIBRARY_PATH LD_AUDIT LD_BIND_NOW DYLD_INSERT_LIBRARIES BASH_ENV ENV BASH_FUNC_x%% PROMPT_COMMAND
		NODE_OPTIONS NODE_PATH PYTHONSTARTUP PYTHONPATH PYTHONHOME PERL5OPT PERL5LIB RUBYOPT RUBYLIB
		JAVA_TOOL_OPTIONS _JAVA_OPTIONS JDK_JAVA_OPTIONS MAVEN_OPTS GRADLE_OPTS CLASSPATH
		GIT_DIR GIT_CONFIG_COUNT GIT_CONFIG_KEY_0 GIT_SSH_COMMAND GIT_EXTERNAL_DIFF GIT_ASKPASS GIT_TEMPLATE_DIR GIT_EXEC_PATH GIT_TRACE
		GCONV_PATH LOCPATH GLIBC_TUNABLES NLSPATH SHELLOPTS BASHOPTS PS4 IFS CDPATH ZDOTDIR
		EDITOR VISUAL PAGER MANPAGER BROWSER LESSOPEN LESSCLOSE SSH_ASKPASS GIT_PAGER
		GOFLAGS GOENV RUSTC_WRAPPER RUSTFLAGS CARGO_TARGET_X86_64_UNKNOWN_LINUX_GNU_RUNNER CARGO_BUILD_RUSTC MAKEFLAGS MAKEFILES TAR_OPTIONS
		npm_config_script_shell NPM_CONFIG_SCRIPT_SHELL npm_config_node_options NPM_CONFIG_USERCONFIG
		VIMINIT RIPGREP_CONFIG_PATH OPENSSL_CONF TERMCAP LUA_INIT_5_4 ERL_FLAGS DOTNET_STARTUP_HOOKS PHPRC
		VSCODE_IPC_HOOK_CLI VSCODE_GIT_IPC_HANDLE NVIM TMUX DOCKER_HOST
	`) {
		if Inherits("all", name, "x") {
			t.Errorf("%s is inherited", name)
		}
	}
	if Inherits("all", "innocent", "() { :; }; x") || Inherits("core", "LC_X", "() { x; }") {
		t.Error("a function is inherited")
	}
}

func TestAllInheritsTheRest(t *testing.T) {
	for name := range strings.FieldsSeq(`
		PATH HOME LANG LC_ALL TZ EDITOR_THEME KEYBOARD XKB_KEYMAP KEYBOARD_LAYOUT PWD OLDPWD DISPLAY CC CXX AR PKG_CONFIG_PATH
		GIT_AUTHOR_NAME GIT_AUTHOR_EMAIL GIT_AUTHOR_DATE GIT_COMMITTER_NAME GIT_COMMITTER_EMAIL GIT_COMMITTER_DATE
		AUTHOR TOKENIZERS_PARALLELISM JAVA_HOME GOPATH GOPROXY GOOS CGO_ENABLED npm_config_registry NPM_CONFIG_LOGLEVEL NODE_ENV RUST_BACKTRACE RUST_LOG
		VIRTUAL_ENV CONDA_PREFIX DEBUG CI PORT HTTPS_PROXY NO_PROXY SSL_CERT_FILE NODE_EXTRA_CA_CERTS PIP_INDEX_URL MONKEYS DATABASE_URL
		PYTHONUNBUFFERED PYTHONDONTWRITEBYTECODE PASSENGER_APP_ENV COMPASS OPINION PATTERN
	`) {
		if !Inherits("all", name, "https://example.org/x") {
			t.Errorf("%s is not inherited", name)
		}
	}
}

func TestCoreAndNone(t *testing.T) {
	for name, core := range map[string]bool{
		"PATH": true, "LC_TIME": true, "HOME": true, "JAVA_HOME": true, "VIRTUAL_ENV": true, "GITHUB_TOKEN": false, "GOFLAGS": false, "DISPLAY": false, "LANGX": false,
	} {
		if Inherits("core", name, "x") != core || Inherits("", name, "x") != core {
			t.Errorf("%s is inherited: %v", name, !core)
		}
		if Inherits("none", name, "x") {
			t.Errorf("%s is inherited by none", name)
		}
	}
}

func TestPath(t *testing.T) {
	hidden := func(dir string) bool {
		return strings.HasPrefix(dir, "/home/u") && !strings.HasPrefix(dir, "/home/u/ws")
	}
	for name, c := range map[string]struct {
		path  string
		first []string
		want  string
	}{
		"the editor's own, in its order":       {"/usr/local/bin:/usr/bin", nil, "/usr/local/bin:/usr/bin"},
		"empty entries are the cwd":            {":/usr/bin::/bin:", nil, "/usr/bin:/bin"},
		"relative entries, too":                {".:node_modules/.bin:/bin:../x:~/bin", nil, "/bin"},
		"once each":                            {"/bin:/usr/bin:/bin", nil, "/bin:/usr/bin"},
		"the workspace's own stay":             {"/home/u/ws/node_modules/.bin:/home/u/ws/.venv/bin:/bin", nil, "/home/u/ws/node_modules/.bin:/home/u/ws/.venv/bin:/bin"},
		"what can't be read hides nothing":     {"/home/u/bin:/bin:/home/u/x/../y", nil, "/bin"},
		"what the user names comes first":      {"/bin", []string{"/opt/x/bin", "/bin"}, "/opt/x/bin:/bin"},
		"what the user names must be readable": {"/bin", []string{"/home/u/bin"}, "/bin"},
		"nothing":                              {"", nil, ""},
	} {
		if got := Path(c.path, c.first, hidden); got != c.want {
			t.Errorf("%s: %q, want %q", name, got, c.want)
		}
	}
}

// Every variable that the guard takes for code is dropped, or is in the list that
// says why not.
func TestTheGuardsTableIsHeld(t *testing.T) {
	for _, name := range []string{"HG_SSH", "R_PROFILE", "GUILE_LOAD_PATH", "KUBE_EDITOR", "NODE_REPL_EXTERNAL_MODULE"} {
		if !carriesCode(name, "x") {
			t.Errorf("%s", name)
		}
	}
	for _, name := range plainNames {
		if !Inherits("all", name, "x") {
			t.Errorf("%s is named as plain and dropped", name)
		}
	}
}
