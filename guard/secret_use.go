package guard

import (
	"path"
	"slices"
	"strings"
	"sync"
)

func namesSecret(args []arg) bool {
	return slices.ContainsFunc(args, func(a arg) bool { return secretArg(a.text) })
}

// textFiles are the files whose text gh and glab post: a comment, a field.
func textFiles(args []arg) []arg {
	return valuesOf(args, "-F", "--body-file", "--notes-file", "--field", "--input")
}

// secretArg is secretPath for a word that may not be a path at all, and for the
// git and curl ways to name one: HEAD:.env, file=@.env.
func secretArg(text string) bool {
	if strings.HasPrefix(text, "-") && !strings.Contains(text, "=") || strings.ContainsAny(text, " \n") || strings.Contains(text, "://") {
		return false
	}
	if i := strings.LastIndexAny(text, ":=@"); i >= 0 {
		text = text[i+1:]
	}
	text = strings.ReplaceAll(text, unknown, "*")
	return strings.ContainsAny(text, "./_") && secretPath(text)
}

// copiesSecret judges where cp, mv and ln take a secret. Another secret name in
// the workspace, or the same name in another of its folders, keeps it guarded.
func copiesSecret(w *walker, e *effect) bool {
	if e.runs("gzip", "bzip2", "xz", "zstd", "lz4", "compress") {
		return namesSecret(e.args) && !flagged(e.args, "-d", "-t", "-l", "--decompress", "--test", "--list")
	}
	operands, ok := windowsCopies(e)
	var opts []option
	switch {
	case ok:
	case e.runs("cp", "mv", "ln", "install", "gcp", "gmv"):
		opts, operands = copySpec.options(e.args)
	default:
		return false
	}
	for _, o := range opts {
		if named(o, "-t", "--target-directory") && o.valued {
			operands = append(operands, o.value)
			operands[len(operands)-1].text += "/"
		}
	}
	if len(operands) < 2 {
		return false
	}
	to := operands[len(operands)-1].text
	if !namesSecret(operands[:len(operands)-1]) {
		return false
	}
	folder := strings.HasSuffix(to, "/") || to == "." || to == ".."
	kept := folder && !slices.ContainsFunc(strings.Split(path.Clean(to), "/"), published) || !folder && secretArg(to)
	return !kept || w.inRoots(path.Clean(to))
}

var copySpec = newSpec(":::", "-t: --target-directory: -m: -o: -g: -S: --suffix: --mode: --owner: --group: --backup:")

// published reports folders that servers and bundlers give to everyone.
func published(dir string) bool {
	return slices.Contains([]string{"public", "static", "www", "htdocs", "html", "dist", "build", "out", "assets"}, dir)
}

// showsSecret is git printing what a secret file holds, or held.
func showsSecret(_ *walker, e *effect) bool {
	g, ok := gitOf(e)
	if !ok || !namesSecret(g.operands) {
		return false
	}
	switch g.name {
	case "show", "cat-file", "diff", "blame", "annotate", "difftool", "archive", "grep", "hash-object":
		return !anyOption(g.opts, "--stat", "--name-only", "--name-status", "--quiet")
	case "log", "whatchanged":
		return anyOption(g.opts, "-p", "--patch", "-u", "-S", "-G", "-L")
	}
	return false
}

func stagesSecret(_ *walker, e *effect) bool {
	g, ok := gitOf(e)
	return ok && slices.Contains([]string{"add", "stage", "commit", "update-index", "stash"}, g.name) && !anyOption(g.opts, "-n", "--dry-run") && namesSecret(g.operands)
}

// stores are the commands of password stores and secret managers that print.
var stores = sync.OnceValue(func() phrases {
	return phrases{
		"security": "find-generic-password find-internet-password dump-keychain export", "secret-tool": "lookup search", "pass": "show", "gopass": "show", "keyring": "get", "keepassxc-cli": "show attachment-export", "kwallet-query": "",
		"gh": "auth+token", "glab": "auth+token", "gcloud": "auth+print-access-token auth+print-identity-token auth+application-default+print-access-token secrets+versions+access",
		"vault": "kv+get read print+token token+lookup", "op": "read item+get document+get inject", "bw": "get list export", "lpass": "show export", "doppler": "secrets", "chamber": "read export",
		"aws": "secretsmanager+get-secret-value sts+get-session-token sts+assume-role* iam+create-access-key ssm+get-parameter*", "az": "keyvault+secret+show account+get-access-token", "heroku": "config config:get",
		"sops": "decrypt", "ansible-vault": "view decrypt", "git": "credential+fill credential-store+get credential-osxkeychain+get", "kubectl": "create+token", "fly": "secrets+show auth+token", "flyctl": "auth+token", "npm": "token+create",
	}
})

func asksStore(_ *walker, e *effect) bool {
	switch {
	case e.kind != kindExec:
		return false
	case stores().match(e):
		return !localEndpoint(e.name, e.args)
	}
	switch e.name {
	case "get-storedcredential", "export-pfxcertificate":
		return true
	case "cmdkey", "vaultcmd":
		return anyText(e.args, func(s string) bool { return strings.HasPrefix(strings.ToLower(s), "/list") })
	case "netsh":
		return anyFold(e.args, "key=clear")
	case "getent":
		return slices.Contains([]string{"shadow", "gshadow"}, bareVerb(e))
	case "pass", "gopass":
		return namesEntry(e.args)
	case "gpg", "gpg2":
		return flagged(e.args, "--export-secret-keys", "--export-secret-subkeys", "--export-ssh-key")
	case "gh":
		return begins(e.words(), []string{"auth", "status"}) && flagged(e.args, "--show-token", "-t")
	case "sops":
		return flagged(e.args, "-d", "--decrypt")
	case "aws":
		words := e.words()
		return begins(words, []string{"configure", "get"}) && len(words) > 2 && secretVariable(words[2]) || begins(words, []string{"configure", "export-credentials"})
	case "npm":
		return begins(e.words(), []string{"config", "get"}) && anyText(e.args, func(s string) bool {
			return strings.Contains(strings.ToLower(s), "_auth") || strings.Contains(s, "_password")
		})
	case "kubectl", "oc":
		return clusterSecret(e)
	case "openssl":
		return printsKey(e)
	}
	return false
}

var passVerbs = names("init ls list find search grep insert add create edit generate rm remove delete mv rename cp copy git help version otp audit sync mounts recipients setup clone config completion")

// namesEntry is pass without a verb, which shows what it is given.
func namesEntry(args []arg) bool {
	words := skipOptions(args)
	return len(words) > 0 && !passVerbs.has(words[0].text) && !flagged(args, "--help", "--version")
}

// clusterSecret is kubectl printing the content of secrets, not their names.
func clusterSecret(e *effect) bool {
	opts, words := specs()["kubectl"].options(e.args)
	if len(words) > 1 && words[0].text == "config" {
		return words[1].text == "view" && anyOption(opts, "--raw")
	}
	if len(words) < 2 || words[0].text != "get" {
		return false
	}
	kindOf, _, _ := strings.Cut(words[1].text, "/")
	if !slices.Contains(strings.Split(kindOf, ","), "secret") && !slices.Contains(strings.Split(kindOf, ","), "secrets") {
		return false
	}
	return slices.ContainsFunc(opts, func(o option) bool {
		return named(o, "-o", "--output") && o.value.text != "name" && o.value.text != "wide"
	})
}

// printsKey is openssl writing a private key, or encoding a file that is one.
func printsKey(e *effect) bool {
	if len(e.args) == 0 || !namesSecret(e.args[1:]) {
		return false
	}
	to := flagged(e.args, "-out")
	has := func(words ...string) bool {
		return slices.ContainsFunc(e.args, func(a arg) bool { return slices.Contains(words, a.text) })
	}
	switch e.args[0].text {
	case "rsa", "pkey", "ec", "pkcs8":
		return !has("-pubout", "-noout", "-out") && !to
	case "pkcs12":
		return !has("-noout", "-out", "-export", "-info") && !to
	case "base64":
		return true
	case "enc":
		return has("-a", "-base64", "-none") && !slices.ContainsFunc(e.args, func(a arg) bool { return strings.HasPrefix(a.text, "-aes") })
	}
	return false
}

// dumpsEnvironment is every way to print all variables at once.
func dumpsEnvironment(_ *walker, e *effect) bool {
	if e.kind == kindSecret && e.name == "environment" {
		return !e.discreet
	}
	return !e.discreet && printsAll(e)
}

func printsAll(e *effect) bool {
	switch {
	case e.runs("printenv"):
		_, operands := bareSpec.options(e.args)
		return len(operands) == 0 && !flagged(e.args, "--help", "--version")
	case e.runs("set"):
		return len(e.args) == 0
	case e.runs("export", "declare", "typeset", "readonly"):
		opts, operands := bareSpec.options(e.args)
		return len(operands) == 0 && !anyOption(opts, "-f", "-F") // functions
	case e.runs("ps"): // without a dash, e is the environment of each process
		return len(e.args) > 0 && strings.Contains(e.args[0].text, "e") && strings.Trim(e.args[0].text, "aefhjlmrsuvwxT") == ""
	case e.runs("env", "genv"):
		return envPrints(e.args)
	}
	return false
}

// envPrints reports an env that is given no program.
func envPrints(args []arg) bool {
	values, rest := wrappers()["env"].spec.leading(args)
	for _, v := range values {
		if slices.Contains([]string{"-i", "-S", "--split-string", "--ignore-environment", "--help", "--version"}, v.text) {
			return false
		}
	}
	if _, ok := inlineCode("env", args, rest); ok {
		return false
	}
	for len(rest) > 0 && strings.Contains(rest[0].text, "=") {
		rest = rest[1:]
	}
	return len(rest) == 0 || len(rest) == 1 && rest[0].text == "-"
}

func printsSecret(e *effect) bool {
	if !e.runs("printenv") {
		return false
	}
	_, operands := bareSpec.options(e.args)
	return slices.ContainsFunc(operands, func(a arg) bool { return secretVariable(a.text) })
}
