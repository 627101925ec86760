package guard

import (
	"slices"
	"strings"
	"sync"
)

// initTable are programs that print shell code for a shell to evaluate, as their
// manuals say: `eval "$(ssh-agent -s)"`. Without a word any call counts.
var initTable = sync.OnceValue(func() map[string]string {
	return map[string]string{
		"ssh-agent": "", "gpg-agent": "", "keychain": "", "dircolors": "", "resize": "", "tset": "", "lesspipe": "", "lesspipe.sh": "",
		"register-python-argcomplete": "", "thefuck": "--alias", "starship": "init", "zoxide": "init", "atuin": "init", "mcfly": "init",
		"direnv": "hook export", "pyenv": "init virtualenv-init", "rbenv": "init", "nodenv": "init", "goenv": "init", "jenv": "init", "phpenv": "init",
		"minikube": "docker-env podman-env", "docker-machine": "env", "podman-machine": "env", "brew": "shellenv", "fzf": "--bash --zsh",
		"mise": "activate hook-env env", "rtx": "activate", "fnm": "env", "opam": "env config", "luarocks": "path", "go": "env",
		"conda": "shell.bash shell.zsh shell.posix", "micromamba": "shell", "mamba": "shell", "aws": "configure", "tmux": "show-env show-environment",
		"poetry": "env", "pdm": "venv", "spack": "load", "getopt": "", "locale": "", "rustup": "completions", "devbox": "shellenv", "pkgx": "--shellcode",
		"nix": "print-dev-env", "asdf": "exec", "volta": "setup", "sheldon": "source", "oh-my-posh": "init", "carapace": "_carapace", "jump": "shell",
	}
})

// initialises reports a call whose output is meant for eval or source; any
// program may print its completions.
func initialises(name string, args []arg) bool {
	words, listed := initTable()[name]
	if listed && words == "" {
		return true
	}
	for _, a := range args {
		text := a.text
		if text == "completion" || text == "completions" || strings.HasPrefix(text, "--completion") {
			return true
		}
		for word := range strings.FieldsSeq(words) {
			if text == word {
				return true
			}
		}
	}
	return false
}

// initial marks output that is meant to be evaluated.
const initial = " (init)"

func initialised(from []string) bool {
	return !foreign(from) && slices.ContainsFunc(from, func(p string) bool { return strings.HasSuffix(p, initial) })
}

// knownOutputs are the places that tools print where nobody sets them up
// otherwise; "~/" is the user's home.
var knownOutputs = sync.OnceValue(func() map[string]string {
	return map[string]string{
		"go env GOPATH": "~/go", "go env GOBIN": "~/go/bin", "go env GOROOT": "/usr/local/go", "brew --prefix": "/opt/homebrew",
		"npm bin": "node_modules/.bin", "yarn bin": "node_modules/.bin", "pnpm bin": "node_modules/.bin", "npm root": "node_modules",
	}
})

func (w *walker) prints(name string, args []arg) (string, bool) {
	if len(args) == 0 || len(args) > 2 {
		return "", false
	}
	text, ok := knownOutputs()[name+" "+strings.Join(texts(args), " ")]
	if rest, home := strings.CutPrefix(text, "~/"); home {
		return w.home + "/" + rest + "\n", ok && w.home != ""
	}
	return text + "\n", ok
}
