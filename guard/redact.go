package guard

import (
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/pillion-sidecar/pillion/guard/argv"
	"github.com/pillion-sidecar/pillion/guard/place"
)

// Redacted replaces a secret.
const Redacted = "[redacted]"

// maxSecret is longer than any; a longer value may hide a command.
const maxSecret = 4096

// Redact is text, a command or a message about one, for a log: what is a secret by its
// name, its place or its form is left out. A variable stays, because it names a secret and
// holds none; so does a command whose output is the value, for a log must not be where an
// attacker hides one. A password among the words of a sentence is not found.
func Redact(text string) string {
	for _, p := range redactions() {
		if slices.ContainsFunc(p.hints, func(h string) bool { return strings.Contains(text, h) }) {
			text = p.redact(text)
		}
	}
	// What has the form of a known service's tokens is left out, too.
	if !slices.ContainsFunc(tokenHints, func(h string) bool { return strings.Contains(text, h) }) {
		return text
	}
	return formed().ReplaceAllLiteralString(text, Redacted)
}

// RedactArgv is Redact for words that no shell has quoted: one that is named by
// the word before it, or by its own beginning, is a secret as a whole, unless it
// could be the text of a script.
func RedactArgv(argv []string) []string {
	out := make([]string, len(argv))
	for i, word := range argv {
		name, _, assigned := strings.Cut(word, "=")
		header, _, titled := strings.Cut(word, ":")
		switch {
		case strings.ContainsAny(word, ";|&(`\n"), i > 0 && strings.HasPrefix(argv[i-1], "-") &&
			strings.HasSuffix(argv[i-1], "c"):
			out[i] = Redact(word)
		case assigned && redactedName(strings.TrimLeft(name, "-")):
			out[i] = name + "=" + Redacted
		case titled && redactedName(header):
			out[i] = header + ": " + Redacted
		case i > 0 && !assigned && namesNext(argv[i-1]) && !strings.HasPrefix(word, "-"):
			out[i] = Redacted
		case i > 0 && slices.Contains([]string{"-u", "--user", "--proxy-user"}, argv[i-1]) && titled:
			out[i] = header + ":" + Redacted
		default:
			out[i] = Redact(word)
		}
	}
	return out
}

// namesNext reports an option whose value is the next word.
func namesNext(word string) bool {
	return strings.HasPrefix(word, "--") && !strings.Contains(word, "=") && redactedName(word[2:])
}

// redaction is one way to tell a secret in text: by what stands before it.
type redaction struct {
	hints  []string              // one of them must be in the text; looking for them is cheap
	before func() *regexp.Regexp // its first group is a name that decides, if it has one
	secret func() *regexp.Regexp // anchored
	after  string                // what must follow
}

// redact goes on behind what was no secret's name, not behind its value: in
// --opt=token=abc the second name is the one that counts.
func (p redaction) redact(text string) string {
	var b strings.Builder
	before, secret := p.before(), p.secret()
	for {
		at := before.FindStringSubmatchIndex(text)
		if at == nil {
			break
		}
		named := len(at) == 2 || redactedName(text[at[2]:at[3]])
		b.WriteString(text[:at[1]])
		text = text[at[1]:]
		if !named {
			continue
		}
		if n := len(secret.FindString(text[:min(len(text), maxSecret)])); isSecret(text[:n]) &&
			strings.HasPrefix(text[n:], p.after) {
			b.WriteString(Redacted)
			text = text[n:]
		}
	}
	b.WriteString(text)
	return b.String()
}

func isSecret(value string) bool {
	bare := strings.TrimLeft(value, `"'\`)
	return bare != "" && bare[0] != '$' && bare != "git" && !strings.HasPrefix(value, strings.TrimSuffix(Redacted, "]")) &&
		!strings.Contains(value, "$(") && !strings.Contains(value, "`")
}

var redactions = sync.OnceValue(func() []redaction {
	// A word of a shell, with its quotes, also where those are not closed. An option's
	// value does not begin like an option.
	const quoted, bare = `'[^']*(?:'|$)|"(?:\\.|[^"\\])*(?:"|$)|\\.|`, `[^\s'"\\;&|<>(),}\]`
	word := argv.Pattern(`^(?:` + quoted + bare + `])+`)
	value := argv.Pattern(`^(?:` + quoted + bare + `-])(?:` + quoted + bare + `])*`)
	// To the end of a header in quotes; a cookie goes on after a semicolon, as a command
	// in the text of bash -c does, but by a name.
	line := argv.Pattern(`^[^'"\n;|&]+(?:; *[\w-]+=[^'"\n;|&\s]*)*`)
	return []redaction{
		{
			[]string{"PRIVATE KEY"},
			argv.Pattern(`-----BEGIN [A-Z ]*PRIVATE KEY-----`),
			argv.Pattern(`^(?:(?:\s|\\n)*[A-Za-z0-9+/=]{20,})+(?:(?:\s|\\n)*[A-Za-z0-9+/=]+(?:\s|\\n)*-)?`), "",
		},
		{[]string{"://"}, argv.Pattern(`[A-Za-z][A-Za-z0-9+.-]*://`), argv.Pattern(`^[^\s/?#'"@]+`), "@"},
		{[]string{":"}, argv.Pattern(`(?i)['"](?:authorization|cookie|[a-z-]*(?:token|api-?key|secret)) *: *`), line, ""},
		{
			[]string{"earer ", "asic ", "EARER ", "ASIC "},
			argv.Pattern(`(?i)\b(?:bearer|basic) +`),
			argv.Pattern(`^[A-Za-z0-9+/._~=-]{8,}`), "",
		},
		{
			[]string{"-u", "--user", "--proxy-user"},
			argv.Pattern(`(?:^|\s)(?:-u|--user|--proxy-user)(?:\s+|=|)['"]?[\w.@-]+:`),
			word, "",
		},
		{[]string{"mysql", "maria"}, argv.Pattern(`\b(?:mysql|maria)[\w-]*\b[^;|&\n]{0,256}?\s-p`), value, ""},
		{[]string{"sshpass"}, argv.Pattern(`\bsshpass\s+-p\s*`), word, ""},
		{[]string{"redis-cli"}, argv.Pattern(`\bredis-cli\b[^;|&\n]{0,256}?\s-a\s+`), word, ""},
		{[]string{"--"}, argv.Pattern(`--([A-Za-z][\w-]*)\s+`), value, ""},
		{[]string{"="}, argv.Pattern(`([A-Za-z_][\w.-]*)(?:\\?["'])?(?:=|[ \t]+=[ \t]+)`), word, ""},
		{[]string{":"}, argv.Pattern(`([A-Za-z_][\w.-]*)(?:\\?["'])?[ \t]*:[ \t]*`), word, ""},
	}
})

var formed = argv.Pattern(`\b(?:` + tokenForms + `)`)

// tokenForms are how services write theirs, so that they are found when leaked.
const tokenForms = `gh[pousr]_[A-Za-z0-9]{16,}|github_pat_\w{20,}|glpat-[\w-]{16,}|xox[abeprs]-[\w-]{10,}|` +
	`(?:AKIA|ASIA)[A-Z0-9]{16}|AIza[\w-]{30,}|ya29\.[\w.-]{16,}|sk-[\w-]{16,}|[spr]k_(?:live|test)_\w{10,}|` +
	`npm_[A-Za-z0-9]{30,}|` +
	`pypi-[\w-]{16,}|hf_[A-Za-z0-9]{20,}|dop_v1_\w{16,}|dckr_pat_[\w-]{16,}|SG\.[\w-]{16,}\.[\w-]{16,}|` +
	`shp(?:at|ss|ca|pa)_\w{16,}|` +
	`glsa_\w{16,}|hvs\.[\w-]{16,}|AGE-SECRET-KEY-1\w{16,}|eyJ[\w-]{8,}\.[\w-]{4,}(?:\.[\w-]*)?`

var tokenHints = []string{
	"gh", "glpat-", "xox", "AKIA", "ASIA", "AIza", "ya29.", "sk-", "k_live_", "k_test_", "npm_", "pypi-", "hf_",
	"dop_v1_", "dckr_pat_", "SG.",
	"shpat_", "shpss_", "shpca_", "shppa_", "glsa_", "hvs.", "AGE-SECRET-KEY-1", "eyJ",
}

// aboutSecrets are the last words of names that say where a secret is or how it
// comes, and lookalikes hold a word of secrets and mean something else.
var (
	aboutSecrets = []string{"FILE", "PATH", "STDIN", "PROMPT", "TTL", "COUNT", "LENGTH", "TYPE", "NAME", "ID"}
	lookalikes   = strings.NewReplacer("AUTHORIZATION", "AUTH", "AUTHOR", "", "TOKENIZER", "", "KEYBOARD", "", "KEYMAP",
		"", "KEYWORD", "", "BYPASS", "", "COMPASS", "", "PASSIVE", "", "KEYSERVER", "")
)

// redactedName reports the name of a variable, an option, a header or a member
// that holds a secret. A log may say too little about a harmless one; "key" alone
// is mostly that of a sort.
func redactedName(name string) bool {
	name = lookalikes.Replace(strings.ToUpper(strings.NewReplacer("-", "_", ".", "_").Replace(name)))
	words := strings.Split(name, "_")
	if name == "KEY" || slices.Contains(aboutSecrets, words[len(words)-1]) {
		return false
	}
	return place.SecretVariable(name) || place.SecretOnceLoaded(name)
}
