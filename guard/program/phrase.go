package program

import (
	"slices"
	"strings"

	"github.com/pillion-sidecar/pillion/guard/argv"
	"github.com/pillion-sidecar/pillion/guard/effect"
	"github.com/pillion-sidecar/pillion/guard/place"
)

// Phrase is the words of a subcommand, then what the arguments hold (see holds); each part may
// list alternatives, as start|stop. A word may end in "*"; "." stands for no words, whatever the
// arguments; "@alone" is a program without arguments, "@loses" any verb that takes something
// away, "@changes" any that is not known to look (see Changes), "@only" no word after those
// before it, "@elsewhere" that an argument names a host of others, "%" a word after the first
// that stands for many files, and "$" an argument, but no option of a verb, that names a file of
// credentials.
type Phrase []string

func phraseOf(text string) Phrase { return strings.Split(strings.ReplaceAll(text, "␣", " "), "+") }

// Means reports that e runs a program with a verb of that meaning.
func Means(e *effect.Effect, meaning string) bool {
	if e.Kind != effect.Exec {
		return false
	}
	name, args := Launched(e.Name, e.Args)
	m := Of(name)
	return m != nil && m.says(meaning, name, args)
}

// unjoined puts together what languages join from strings: 'DR'+'OP'.
var unjoined = strings.NewReplacer(`'+'`, "", `"+"`, "", `"."`, "", `'.'`, "", `' + '`, "", `" + "`, "", `" . "`, "",
	`"*"`, "", `".."`, "", `'..'`, "", `" ++ "`, "")

// unquoted takes away what PowerShell allows within a word.
var unquoted = strings.NewReplacer("`", "", "'", "", "\"", "", "& (", "&(", "& $", "&$", ". (", ".(")

func (m *Model) says(meaning, name string, args []effect.Arg) bool {
	phrases := m.Means[meaning]
	if len(phrases) == 0 || argv.Rehearsal(args) || len(Elsewhere(name, args)) > 0 {
		return false
	}
	words := CommandWords(name, args)
	operands := args
	if m.verbs != nil {
		operands, args = m.taken(args)
		words = effect.Texts(operands)
	}
	matches := func(p Phrase) bool { return p.match(words, operands, args) }
	return slices.ContainsFunc(phrases, matches) && !slices.ContainsFunc(m.Unless[meaning], matches)
}

// Command takes a command with verbs apart: the options, and the verb with its operands.
func (m *Model) Command(args []effect.Arg) (opts []argv.Option, words []effect.Arg) {
	opts, words = m.Global.UpToOperand(args)
	if len(words) > 0 {
		s := m.verbs[words[0].Text]
		if s == nil {
			s = BareSpec
		}
		own, operands := s.Options(words[1:])
		return append(opts, own...), append(words[:1:1], operands...)
	}
	return opts, words
}

// taken is that as arguments again, the options in one spelling and before "--".
func (m *Model) taken(args []effect.Arg) (words, all []effect.Arg) {
	opts, words := m.Command(args)
	for _, o := range opts {
		text := o.Name
		if o.Valued {
			text += "=" + o.Value.Text
		}
		all = append(all, effect.Arg{Text: text})
	}
	return words, append(append(all, effect.Arg{Text: "--"}), words...)
}

func (p Phrase) match(words []string, operands, args []effect.Arg) bool {
	switch p[0] {
	case "@loses":
		return loses(words)
	case "@changes":
		return Changes(words)
	case "@alone":
		return len(args) == 0
	}
	for i, part := range p {
		switch {
		case part == ".":
			if argv.Given(args[:min(len(args), 64)], "--version") {
				return false
			}
		case part == "@only":
			return i == len(words)
		case part == "$":
			if !place.NamesSecret(operands) {
				return false
			}
		case part == "%":
			if !slices.ContainsFunc(words[min(1, len(words)):], Broad) {
				return false
			}
		case strings.IndexByte("-/~^!?@", part[0]) >= 0:
			if !holds(args, part) {
				return false
			}
		case i >= len(words) || !anyPart(part, func(one string) bool { return fits(one, words[i]) }):
			return false
		}
	}
	return true
}

// namesHost reports a URL, user@host, or host:port of another machine, also after an option.
func namesHost(a effect.Arg) bool {
	text := a.Text[strings.LastIndexByte(a.Text, '=')+1:]
	_, port, _ := strings.Cut(text, ":")
	return place.NamesElsewhere(text) || (strings.Contains(text, "@") || port != "" &&
		strings.Trim(port, "0123456789") == "") && place.Elsewhere(text)
}

// Broad reports a pathspec that stands for many files: a directory, a glob, the
// whole tree. One file named on purpose is not.
func Broad(spec string) bool {
	if strings.HasSuffix(spec, "/") || strings.HasPrefix(spec, ":/") || strings.HasPrefix(spec, ":(") ||
		strings.ContainsAny(spec, "*?[") || strings.Trim(spec, "./") == "" {
		return true
	}
	name := argv.Base(spec)
	return !strings.Contains(name, ".") && strings.ToLower(name) == name && !strings.Contains(name, effect.Unknown)
}

func anyPart(alternatives string, f func(string) bool) bool {
	for one := range strings.SplitSeq(alternatives, "|") {
		if f(one) {
			return true
		}
	}
	return false
}

// fits compares a text with a pattern, in which one "*" is any text, or one at each end.
func fits(pattern, text string) bool {
	first, last, wild := strings.Cut(pattern, "*")
	if !wild {
		return text == pattern
	}
	if part, both := strings.CutSuffix(last, "*"); both && first == "" {
		return strings.Contains(text, part)
	}
	return len(text) >= len(first)+len(last) && strings.HasPrefix(text, first) && strings.HasSuffix(text, last)
}

// Verbs reports a program that does many things, and is told which by a word.
func (m *Model) Verbs() bool {
	for _, phrases := range m.Means {
		if slices.ContainsFunc(phrases, func(p Phrase) bool {
			return p[0] == "@changes" || strings.IndexByte(".*-/~^!?$@", p[0][0]) < 0
		}) {
			return true
		}
	}
	return false
}

// loses reports one of those verbs among the first words, as a word or a part of
// one: terminate, vm.destroy, delete-bucket, TerminateInstances.
func loses(words []string) bool {
	return slices.ContainsFunc(words[:min(len(words), 4)], func(word string) bool {
		if strings.ContainsAny(word, "/=@ ") {
			return false
		}
		for i := 1; i < min(len(word), 24); i++ { // TerminateInstances; no verb is longer
			if word[i] >= 'A' && word[i] <= 'Z' && losing.Has(strings.ToLower(word[:i])) {
				return true
			}
		}
		return slices.ContainsFunc(strings.FieldsFunc(word, func(r rune) bool {
			return strings.ContainsRune("-.:_", r)
		}), losing.Has)
	})
}

// lowered is strings.ToLower, for texts that mostly are.
func lowered(s string) string {
	for i := 0; i < len(s); i++ {
		if c := s[i]; c >= 'A' && c <= 'Z' || c >= 0x80 {
			return strings.ToLower(s)
		}
	}
	return s
}

// holds reports what a part of a phrase says of the arguments:
//
//	--name, -n       an option; long ones may be abbreviated
//	-[abc]           one of the letters, also among others: -xa
//	--name=x, -n=x   an option with that value, joined or not
//	/name            an option of Windows, in any case, also behind a dash
//	^text            an argument that is the text, in any case
//	~text            the text, within any argument
//	?                an argument that is known only at run time
//	!part            that the part does not hold
//
// In values, names of Windows and texts after "^" one "*" is any text; "␣" is a blank.
func holds(args []effect.Arg, part string) bool {
	rest, not := strings.CutPrefix(part, "!")
	sign := ""
	return not != anyPart(rest, func(one string) bool {
		if strings.IndexByte("~^/", one[0]) >= 0 {
			sign = one[:1] // of the alternatives, too: ^user|group
		} else if sign != "" && strings.IndexByte("-?", one[0]) < 0 {
			one = sign + one
		}
		return held(args, one)
	})
}

func held(args []effect.Arg, part string) bool {
	switch text := part[1:]; {
	case part == "?":
		return argv.AnyText(args, func(s string) bool { return strings.Contains(s, effect.Unknown) })
	case part == "@elsewhere":
		return slices.ContainsFunc(args, namesHost)
	case part[0] == '~':
		return argv.AnyText(args, func(s string) bool { return strings.Contains(lowered(s), text) })
	case part[0] == '^':
		return argv.AnyText(args, func(s string) bool { return fits(text, lowered(s)) })
	case part[0] == '/':
		return argv.AnyText(args, func(s string) bool {
			return s != "" && (s[0] == '/' || s[0] == '-') && fits(text, lowered(s[1:]))
		})
	case text[0] == '[':
		return argv.AnyText(untilDashes(args), func(s string) bool { return argv.Cluster(s, strings.Trim(text, "[]")) })
	}
	name, value, valued := strings.Cut(part, "=")
	args = untilDashes(args)
	for i, a := range args {
		switch given, rest, joined := strings.Cut(a.Text, "="); {
		case !argv.Named(argv.Option{Name: given}, name):
		case !valued, joined && fits(value, rest), !joined && i+1 < len(args) && fits(value, args[i+1].Text):
			return true
		}
	}
	return false
}

// untilDashes are the arguments before "--".
func untilDashes(args []effect.Arg) []effect.Arg {
	if i := slices.IndexFunc(args, func(a effect.Arg) bool { return a.Text == "--" }); i >= 0 {
		return args[:i]
	}
	return args
}

// Meanings are what a model may say that a verb means; a rule asks for each.
var Meanings = []string{
	"deploys", "gists", "migrates", "prints-secrets", "uploads",
}
