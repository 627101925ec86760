package lang

import (
	"strings"

	"github.com/pillion-sidecar/pillion/guard/argv"
	"github.com/pillion-sidecar/pillion/guard/effect"
)

var perl = Language{
	Name: "perl", Comments: []string{"#"}, Quotes: `"'`, raw: "'", backtick: 'c', hole: "$", joins: ".", Sigils: "$@%",
	quoting: "perl", Regexes: true, bare: true, braces: true,
}

func doPerlJoin(s *script, n string, a arguments) value {
	list := a.after(1).list
	if len(list) == 1 && list[0].kind == isList {
		list = list[0].list
	}
	return doJoin(s, n, arguments{list: []value{a.at(0), listValue(list)}})
}

// doPerlOpen is open(F, "cmd|"), open(F, "|cmd"), open(F, "-|", cmd…), open(F, mode, file).
func doPerlOpen(s *script, name string, a arguments) value {
	mode, rest := strings.TrimSpace(a.at(1).string()), a.after(2).list
	switch {
	case mode == "-|" || mode == "|-":
		if len(rest) == 1 {
			return s.shell(name, rest[0])
		}
		s.exec(name, rest)
	case len(rest) > 0:
		return s.opened(rest[0], a.at(1))
	case strings.HasPrefix(mode, "|") || strings.HasSuffix(mode, "|"):
		return s.shell(name, textValue(strings.Trim(mode, "| ")))
	case strings.HasPrefix(mode, ">") || strings.HasPrefix(mode, "+"):
		s.path(effect.Write, textValue(strings.TrimLeft(mode, "+>< ")))
	default:
		s.path(effect.Read, textValue(strings.TrimLeft(mode, "< ")))
	}
	return value{file: true}
}

var replacement = strings.NewReplacer(`\n`, "\n", `\&`, "&", `\\`, `\`, `\`, "", "&", effect.Unknown)

// Replacement is the second half of s/a/b/ as sed and Perl put it into a text.
func Replacement(half string) string { return replacement.Replace(half) }

// substituted is what perl -pi puts into files: the second halves of s/a/b/.
func substituted(code string) (put []string) {
	for _, s := range substitutions().FindAllStringSubmatch(code, MaxList) {
		if parts := strings.SplitN(s[2], s[1], 3); len(parts) == 3 {
			put = append(put, Replacement(parts[1]))
		}
	}
	return put
}

var substitutions = argv.Pattern(`(?:^|[;\s])s([/|#,!@])([^;\n]*)`)

// Ruby is a language with words for brackets.
var Ruby = Language{
	Name: "ruby", Comments: []string{"#"}, Quotes: `"'`, raw: "'", backtick: 'c', hole: "#{", joins: "+", Sigils: "$@",
	quoting: "ruby", Regexes: true, Lines: true, bare: true, named: ':',
}

// doRubyOpen is open("|cmd"), open(url) and a file with a mode.
func doRubyOpen(s *script, name string, a arguments) value {
	if cmd, ok := strings.CutPrefix(a.at(0).string(), "|"); ok && name == "open" {
		return s.shell(name, textValue(cmd))
	}
	return doOpen(s, name, a)
}

func doRubyRead(s *script, name string, a arguments) value {
	if cmd, ok := strings.CutPrefix(a.at(0).string(), "|"); ok {
		return s.shell(name, textValue(cmd))
	}
	if name == "read" && (a.at(0).kind != isText || strings.ContainsAny(a.at(0).text, " \n")) {
		return a.at(0)
	}
	return doRead(s, name, a)
}

func doPopen(s *script, name string, a arguments) value {
	v := a.at(0)
	if v.fields != nil { // an environment
		v = a.at(1)
	}
	switch {
	case v.kind == isList:
		s.exec(name, v.list)
	case len(a.list) > 1 && strings.HasPrefix(name, "PTY"):
		s.exec(name, a.list)
	default:
		return s.shell(name, v)
	}
	return value{}
}

// doSend calls a method by its name.
func doSend(s *script, name string, a arguments) value {
	method := a.at(0)
	switch {
	case method.hidden || method.kind == isUnknown && name != "method":
		s.hide(name)
		return value{}
	case !method.known():
		return value{}
	case name == "method":
		return refValue(method.text)
	}
	return s.invoke(s.constant(method.text), arguments{list: a.list[1:]})
}
