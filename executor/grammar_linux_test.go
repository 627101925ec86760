package executor

import (
	"math/rand/v2"
	"strings"
)

// stubs are the programs on PATH of generated text.
var stubs = []string{"pwn", "safe", "tool", "a"}

// classes are texts in which a shell runs pwn although the syntax tree shows none:
// comments that go on, CR, joined lines, quotes that are text, early delimiters,
// arithmetic, coproc, bash's ">&", comments that begin in a word, and backquotes in
// quotes.
var classes = []string{
	"safe # x\\\npwn", "safe \\\r\npwn", "safe 1>\r\tpwn", "safe \r#;pwn", "safe \"$\\\n(pwn)\"", "safe $\\\n(pwn)",
	"safe \"${x:-'$(pwn)'}\"", "safe \"${x:-\"a\"'$(pwn)'}\"", "cat <<E\n${x:-'$(pwn)'}\nE", "cat <<true\n ${x}true\n: '$(pwn)'\ntrue",
	"cat <<-true\n\t$(:)true\n: '$(pwn)'\ntrue", "safe $(('$(pwn)'))", "a['$(pwn)']=1", "safe ${x:'$(pwn)'}", "for ((i='$(pwn)';;)); do break; done",
	"coproc pwn >f", "safe >&-pwn", "safe >&-'pwn'", "safe >&'$(pwn)'", "safe \"$${\"; safe '}\"; pwn; \"'", "( safe \"a\"#; pwn\n)", "safe `echo '`; pwn; `'`",
}

// hidden are those and what only one dialect reads as it looks.
var hidden = append(classes[:len(classes):len(classes)],
	"((pwn))", "safe $'a\\'b; pwn #'", "[[ a ]] && pwn", "safe &>f pwn", "let x |pwn", "time pwn", "{pwn,x}", "a+=1 pwn", "! pwn", "$'pwn'",
	"safe '\\'; pwn", "safe \\'; pwn", "safe \"\\\\\"; pwn", "safe `echo \\`pwn\\``", "safe a#b; pwn", "safe a;#b\npwn", "safe <<'E'\npwn\nE", "function pwn { safe; }", "safe {a,b};pwn", "safe >&f pwn",
)

// pieces are what generated text is put together from.
var pieces = [][]string{
	{"pwn", "safe", "tool", "a", "pwn b", "safe 'c d'", "tool \"e f\"", "a \\g", "echo x", "printf '%s' x", "true", "false", ":", "test a", "[ a ]", "command pwn", "exec safe", "cd ."},
	{" ", " ", " ", "\t", "\n", "\\\n", " \\\n", "  "},
	{"; ", ";", "\n", " && ", " || ", " | ", "&&", "||", "|", " & ", "\n\n", ";\n", "|&", ";;", "&"},
	{"'", "\"", "\\", "\\'", "\\\"", "''", "\"\"", "'$(pwn)'", "\"$\"", "'`pwn`'", "\"\\$(pwn)\"", "\"\\`pwn\\`\"", "\\$\\(pwn\\)", "'a\nb'", "\"a\nb\"", "'\\'", "\"\\\\\"", "$", "`", "'#'", "'\\''", "'it'\\''s'"},
	{"#", " #", " # x", " # 'x", " # \"x", " # x\\", "\n#x\n", "a#b"},
	{">f", " >f", " >>f", " 2>&1", " >&2", " 2>f", " <f", " </dev/null", " >|f", " 3>&1", " >&-", " 2>&-", " &>f", " >&f", " 12>f", " <>f", " <&0", " {x}>f"},
	{"(", ")", "{ ", "; }", "( ", " )", "! ", "{", "}", "[[ ", " ]]", "((", "))", "if ", "; then ", "; fi", "time ", "coproc ", "function ", "let ", "case a in a) ", " ;; esac", "case "},
	{"$(pwn)", "${x}", "$x", "${x:-'$(pwn)'}", "$((1))", "$'x'", "$\"x\"", "<<E\n", "<<'E'\n", "\nE\n", "<<-E\n", "<(pwn)", "*", "?", "[a]", "~", "{a,b}", "{}", "@(a)", "=", "a=b", "x=pwn ", "+=", "a[0]=1", "\r", "\x00", "\x01", "\u200b", "é", "\xff", "%", "-", "--", "^", ",", "..", "]", "-n"},
}

// sentence makes shell text. Mostly it is commands with blanks and operators,
// sometimes anything.
func sentence(r *rand.Rand) string {
	var b strings.Builder
	wild := r.IntN(4)
	for range 2 + r.IntN(10) {
		kind := r.IntN(4)
		if r.IntN(6) < wild {
			kind = r.IntN(len(pieces))
		}
		b.WriteString(pieces[kind][r.IntN(len(pieces[kind]))])
	}
	return b.String()
}

// mutate inserts, drops or doubles some of a text.
func mutate(r *rand.Rand, text string) string {
	for range 1 + r.IntN(3) {
		i := r.IntN(len(text) + 1)
		j := min(i+r.IntN(4), len(text))
		switch r.IntN(3) {
		case 0:
			text = text[:i] + text[j:]
		case 1:
			text = text[:j] + text[i:]
		default:
			kind := r.IntN(len(pieces))
			text = text[:i] + pieces[kind][r.IntN(len(pieces[kind]))] + text[i:]
		}
	}
	return text
}

// parts are pieces of words that the guard may fold to constants.
var parts = []string{
	"a", "b-c", "1", "'x y'", "\"x y\"", "\\ ", "\\\\", "\\'", "''", "\"\"", "$x", "\"$x\"", "${y}", "\"${y}\"", "${x:-d}", "${u:-d e}", "\"${u:-d e}\"", "${x:+z}", "${u:+z}", "\"${y:+z w}\"", "${x%1}", "${x#v}", "${#x}", "\"${y##* }\"",
	"$'q\\nr'", "$'\\x41'", "$'\\101'", "$\"l\"", "{a,b}", "{1..3}", "{}", "{,s}", "x{1,2}y", "'{a,b}'", "\\{a,b}", "~", "\"~\"", "a~b", "\"$\"", "[q]", "?", "\"*\"", "=", ":", ":~", "=~", "%", "^", "é", "\"\\$x\"", "\"\\n\"", "\"\\\\\"",
	"\"\\a\"", "#", "!", "@", "${x-d}", "${u-}", "${n}", "\"$n\"", "$n$x", "\"$*\"", "$*", "\"$@\"", "$#", "-", "--", "-e", "\"it's\"", "'say \"hi\"'", "\n", "$HOME", "${HOME}/b", "$PWD",
	"${x/v/w}", "${y//p/}", "${x:1}", "${x:0:1}", "\"${x^^}\"", "${!x}", "\"${x:-\"a b\"}\"", "${x:-'q r'}", "${u:-$x}", "${u:-\"$y\"}", "${u:='d e'}", "${x%%[0-9]}", "${y#* }", "$1", "\"$2\"", "${1:-k}", "${@}", "\"${@}\"", "\"a$@b\"", "${l[1]}", "\"${l[@]}\"", "${l[*]}", "\"${l[*]}\"", "${#l[@]}", "\"$l\"", "${x}{a,b}", "$x{a,b}", "{$x,\"$y\"}", "$'a b'{1,2}", "${q}", "\"$q\"",
}

// before are what may stand before a command and change how its words fold.
var before = []string{
	"x=v1", "y='p q  r'", "n=", "unset u", "x=\"$x\"s", "y=$x-$y", "z=${x:=k}", "set -- a 'b c' ''", "l=(a 'b c' d)", "l+=(e)", "x+=t", "IFS=:", "x=a:b", "q='*'", "q='a\\b'", "q=~", "q=a:~/x", "unset x", "export x=e", "x=\"$y\"", "eval x=ev", "eval 'y=\"a b\"'", "set -- \"$x\" $y", "set -- \"$@\" k", "shift", "set --", "y=\"${x}\"'s'", "x=$'t\\tu'", "x=${y:-w}", "x=~/h", "x='#'", "export y='e f'", "readonly r=1",
}

// operated are more of those, with operators in them that a mutation must not
// move elsewhere.
var operated = []string{
	"l=(a 'b c' d)", "l+=(e)", "l=()", "l=(\"$x\" $y)", "l=(~ ~/b)", "l=({1..2} 'q r')", "l=(\"$@\")", "declare -a l=(m n)",
	"read x y <<< 'r1 r2 r3'", "read -r x <<< 'b\\c'", "read x <<< 'b\\c'", "read x <<< $y", "read y <<< \"  $y \"", "IFS=: read x y <<< 'i:j:k'", "read -a l <<< 'u v'", "read -r x y <<<\"$x\"", "mapfile -t l <<< $'m n\\no'",
	"x=$(echo e1  e2)", "x=$(printf '%s-' a b)", "x=$(printf 'a\\nb\\n\\n')", "y=`echo q r`", "y=\"$(echo \"$x\")\"", "y=$(echo $y)", "x=$((1+2))", "x=$(true)", "x=$(safe i)", "x=$(false; echo a; echo b)",
	"read x y <<E\nb $x\nE\n:", "read x y <<'E'\nb $x\nE\n:", "read x y <<\"E\"\nb \\\\ $x\nE\n:", "read x <<-E\n\tb\n\tE\n:", "read y <<E\n\\$x \\q \"$x\" '$x'\nE\n:", "{ true & wait; }", "x=k 2>&1", "true >|/dev/null", "false </dev/null", "( x=sub )", "( set -- s )", "true | read x", "{ x=b; }", "! true",
}

// substituted are parts of words with operators.
var substituted = []string{
	"$(echo a b)", "\"$(echo a  b)\"", "$(printf '%s\\n' a b)", "`echo q`", "\"`echo \\\"q\\\"`\"", "$((1+1))", "\"$((x))\"", "${u:-$(echo d)}", "\"${u:-`echo d e`}\"", " >/dev/null ", " 2>&1 ", " </dev/null ", " 2>|/dev/null", "<(echo a)", "$(echo \"$x\" $y)", "\"$(printf %s \"$y\")\"", "$(echo '*' \\\\)", "\"$(echo 'a\\\\b')\"", "\\\n", " \\\n",
}

// folding makes a command whose argv the guard may know.
func folding(r *rand.Rand) string {
	var b strings.Builder
	for range r.IntN(6) {
		switch r.IntN(6) {
		case 0:
			b.WriteString(functions[r.IntN(len(functions))] + "; ")
		case 1, 2:
			b.WriteString(operated[r.IntN(len(operated))] + "; ")
		default:
			b.WriteString(before[r.IntN(len(before))] + "; ")
		}
	}
	loop := r.IntN(8) == 0
	if loop {
		b.WriteString("for x in a 'b c'; do ")
	}
	for i := range 1 + r.IntN(2) {
		if i > 0 {
			b.WriteString("; ")
		}
		b.WriteString(append(stubs, "f")[r.IntN(len(stubs)+1)] + " " + words(r))
	}
	if loop {
		b.WriteString("; done")
	}
	return b.String()
}

func words(r *rand.Rand) string {
	var b strings.Builder
	for i := range 1 + r.IntN(3) {
		if i > 0 {
			b.WriteByte(' ')
		}
		for range 1 + r.IntN(3) {
			if r.IntN(8) == 0 {
				b.WriteString(substituted[r.IntN(len(substituted))])
			} else {
				b.WriteString(parts[r.IntN(len(parts))])
			}
		}
	}
	return b.String()
}
