package place

import (
	"cmp"
	_ "embed"
	"path"
	"slices"
	"strings"
	"sync"

	"github.com/pillion-sidecar/pillion/guard/argv"
	"github.com/pillion-sidecar/pillion/guard/effect"
)

// namesText has the names of places, files and variables.
//
//go:embed names.txt
var namesText string

var lists = sync.OnceValue(func() map[string][]string {
	all := argv.Lists(namesText, "list")
	for _, words := range all {
		for i, word := range words {
			words[i] = strings.ReplaceAll(word, "␣", " ")
		}
	}
	return all
})

// Listed are the names of one kind.
func Listed(kind string) []string { return lists()[kind] }

// NamesSecret reports a secret file among arguments, in the ways programs name one.
func NamesSecret(args []effect.Arg) bool {
	return slices.ContainsFunc(args, func(a effect.Arg) bool { return SecretArg(a.Text) })
}

// SecretArg is secretPath for a word that may not be a path at all, and for the
// git and curl ways to name one: HEAD:.env, file=@.env.
func SecretArg(text string) bool {
	if strings.HasPrefix(text, "-") && !strings.Contains(text, "=") || strings.ContainsAny(text, " \n") ||
		strings.Contains(text, "://") {
		return false
	}
	if i := strings.LastIndexAny(text, ":=@"); i >= 0 {
		text = text[i+1:]
	}
	text = strings.ReplaceAll(text, effect.Unknown, "*")
	return strings.ContainsAny(text, "./_") && SecretPath(text)
}

// Secret reports a path whose name says that a credential is in it.
func Secret(e *effect.Effect) bool {
	if e.Unknown && slices.Contains(e.From, effect.SecretNames) {
		return true
	}
	return SecretPath(strings.ReplaceAll(cmp.Or(e.Path, e.Text), effect.Unknown, "*"))
}

// SecretPath recognises credentials by their place and name.
func SecretPath(p string) bool {
	dir, name := path.Split(strings.ToLower(strings.ReplaceAll(p, `\`, "/")))
	dirs := strings.Split(dir, "/")
	if effect.Ends(name, ".example .sample .template .tmpl") {
		return false
	}
	if name == "environ" && strings.HasPrefix(dir, "/proc/") || secretPlace(dirs, name) {
		return true
	}
	return secretFile(name) || secretEnv(name) || !sample(dirs) && (privateKey(name) || secretData(name))
}

// secretPlace is the directories that programs keep credentials in.
func secretPlace(dirs []string, name string) bool {
	in := func(dir string) bool { return slices.Contains(dirs, dir) }
	switch {
	case in(".ssh"):
		return !strings.HasSuffix(name, ".pub") && name != "known_hosts" && name != "config" && name != ""
	case in(".gnupg"), in(".password-store"), in("keychains"), in(".aws") && name != "config":
		return name != ""
	case strings.HasPrefix(name, "agent."): // /tmp/ssh-XXXX/agent.PID signs with the user's keys
		return slices.ContainsFunc(dirs, func(dir string) bool { return strings.HasPrefix(dir, "ssh-") })
	case in(".kube"):
		return name == "config"
	case in(".docker"):
		return name == "config.json"
	case in("gh"), in("glab-cli"):
		return in(".config") && (name == "hosts.yml" || name == "config.yml")
	case in("secrets") && in("run"): // where containers are given them
		return name != "" && name != "namespace" && name != "ca.crt"
	case in("gcloud"), in(".azure"):
		return in(".config") || in(".azure")
	}
	return false
}

func secretFile(name string) bool {
	if slices.Contains(Listed("secrets"), name) {
		return true
	}
	if !strings.ContainsAny(name, "*?[") || !strings.HasPrefix(name, ".") {
		return false
	}
	// A glob like .e* or .[e]nv is another way to write the name.
	hidden := []string{".env", ".env.local", ".netrc", ".pgpass", ".git-credentials"}
	return slices.ContainsFunc(hidden, func(f string) bool {
		ok, err := path.Match(name, f)
		return ok && err == nil
	})
}

// secretEnv is .env, .env.production and prod.env, but not the file that shows which
// variables there are, and not code that happens to have that name.
func secretEnv(name string) bool {
	rest, ok := strings.CutPrefix(name, ".env")
	switch {
	case ok && rest == "":
		return true
	case ok && strings.IndexByte(".*?[-_~", rest[0]) >= 0:
	case strings.HasSuffix(name, ".env"):
		rest = "." + strings.TrimSuffix(name, ".env")
	default:
		return false
	}
	return !slices.ContainsFunc(parts(rest), func(s string) bool { return slices.Contains(Listed("harmless"), s) })
}

// parts cuts a name at the characters that join words in names.
func parts(name string) []string {
	return strings.FieldsFunc(name, func(r rune) bool { return r == '.' || r == '-' || r == '_' })
}

// sample reports directories whose keys and passwords open nothing.
func sample(dirs []string) bool {
	return slices.ContainsFunc(dirs, func(d string) bool {
		return effect.Among(d, `testdata test tests __tests__ fixtures __fixtures__ spec mocks __mocks__ examples
			templates locales i18n node_modules vendor`)
	})
}

// privateKey is key material by its extension, or by the name ssh-keygen gives.
func privateKey(name string) bool {
	ext := path.Ext(name)
	words := parts(strings.TrimSuffix(name, ext))
	public := slices.ContainsFunc(words, func(s string) bool { return slices.Contains(Listed("public-half"), s) })
	switch ext {
	case ".p12", ".pfx", ".jks", ".keystore", ".kdbx", ".kdb", ".ppk", ".p8", ".ovpn", ".agekey":
		return true
	case ".pem":
		private := slices.ContainsFunc(words, func(s string) bool { return s == "key" || strings.HasPrefix(s, "priv") })
		return !public || private
	case ".key":
		// x.gpg.key is what a package archive is checked with.
		return !slices.Contains(words, "public") && !slices.Contains(words, "pub") && !slices.Contains(words, "gpg")
	case ".pub":
		return false
	}
	for _, kind := range [...]string{"rsa", "dsa", "ecdsa", "ed25519"} {
		if strings.HasPrefix(name, "id_"+kind) || ext == "" && strings.HasSuffix(name, "_"+kind) {
			return true
		}
	}
	return strings.HasPrefix(name, "id_") && strings.ContainsAny(name, "*?[") || strings.HasPrefix(name, "ssh_host_") &&
		ext == "" || name == "deploy_key"
}

// secretData is secrets.yml, credentials.json, client_secret_42.json.
func secretData(name string) bool {
	ext := path.Ext(name)
	if !effect.Among(ext, `.json .yml .yaml .toml .ini .properties .txt .cfg .conf .xml .tfvars .csv`) {
		return false
	}
	stem := strings.TrimSuffix(name, ext)
	words := parts(stem)
	if len(words) == 0 || slices.ContainsFunc(words, func(s string) bool {
		return slices.Contains(Listed("harmless"), s) || s == "test" || s == "sealed" || s == "external"
	}) {
		return false
	}
	return slices.Contains(Listed("stems"), stem) || slices.Contains([]string{"secrets", "credentials"}, words[0]) &&
		strings.HasPrefix(stem, words[0]+".") ||
		strings.HasPrefix(stem, "client_secret") || strings.HasPrefix(stem, "service-account") ||
		strings.Contains(stem, "firebase-adminsdk") ||
		len(words) > 1 && slices.Contains([]string{"credentials", "secrets"}, words[len(words)-1])
}

// SecretVariable reports a variable whose name says that it holds a credential.
func SecretVariable(name string) bool {
	name = strings.ToUpper(name)
	is := func(end string) bool { return strings.HasSuffix(name, end) }
	has := func(word string) bool { return strings.Contains(name, word) }
	return name == "DATABASE_URL" ||
		!slices.ContainsFunc(Listed("about"), is) && slices.ContainsFunc(Listed("credentials"), has)
}

// SecretOnceLoaded is secretVariable after a file of secrets was read in: then STRIPE_KEY
// is not the key of a cache.
func SecretOnceLoaded(name string) bool {
	return effect.Holds(strings.ToUpper(name), "KEY PASS PWD AUTH DSN CRED SALT SIGNING") &&
		!strings.Contains(name, "PUBLIC") && name != "PWD" && name != "OLDPWD"
}
