package executor

import (
	"math/rand/v2"
	"regexp"
	"strings"
)

// functions are bodies that call no function, so that nothing generated calls
// itself for ever.
var functions = []string{
	"f() { safe \"$@\" $1; }", "f() { safe \"$@\"; tool $#; }", "f() { x=$1; shift; tool \"$x\" $*; }", "f() { a \"$x\"; x=f; }", "f() ( x=sub; safe $x )",
}

// constructs are what a script is made of beyond simple commands; % is another
// piece of script, each time a new one.
var constructs = []string{
	"safe <<E\nx $x `tool y`\nE\n", "safe <<'E'\n$(pwn)\nE\n", "safe <<\"E\"\n`pwn`\nE\n", "safe <<-E\n\t$(tool z)\n\tE\n", "safe <<-'E'\n\t$(pwn)\n\tE\n", "while read x y; do safe \"$x\" $y; done <<E\na b\nc d\nE\n", "read x <<'E'\np q\nE\n",
	"safe <<E | tool\n$x\nE\n", "safe <<A; tool <<B\n1\nA\n2\nB\n", "safe <<E && %\nE\n",
	"case $x in a) %;; b|c) %;; *) %;; esac", "case \"$x\" in (v*) %;; esac", "case x in *) % ;; esac", "if %; then %; else %; fi", "if [ \"$x\" = v1 ]; then %; elif %; then %; fi", "for x in a 'b c' $y; do %; done", "for x; do %; done", "for x in {1..3}; do safe $x; done", "for x do safe \"$x\"; done",
	"while read x; do safe $x; done", "until %; do break; done", "( % )", "{ %; }", "! %", "time safe", "time -p tool t", "% & wait", "% &", "% && %", "% || %", "% | %", "% ; %",
	"x=$(echo pwn)", "x=`echo a b`", "safe $(echo a; echo b)", "safe \"$(printf '%s ' p q)\"", "safe $(tool)", "x=$(safe) a", "safe \"`tool \\\"x y\\\"`\"", "safe \"$(safe \"$(tool i)\")\"", "safe $((1+2)) $((x))", "x=$((x+1)); safe $x",
	"safe <(tool p)", "tool >(safe)", "safe < <(tool)", "cat <(pwn)", "read x <<<'h i'; safe $x", "read -r x y <<< \"$x z\"; safe \"$y\"", "l=(a 'b c' $x); safe \"${l[@]}\" ${#l[@]}", "l+=(q); safe ${l[*]}", "for x in \"${l[@]}\"; do safe \"$x\"; done", "set -- a 'b c'; safe \"$@\" $1", "set -- $x; tool $#", "shift; safe $*",
	"safe a{b,c}d ~ ~/x *.go [ab]", "safe ${x:-d e} \"${y:=k}\" ${x:+'q r'} ${x%1} ${x#v}", "${x:-safe} a", "safe $'a\\tb' $'it\\'s'", "safe a \\\n b", "sa\\\nfe c", "safe # c\ntool", "safe # c \\\ntool", "safe # it's\ntool d", "safe 2>&1 >f", "safe >|f 2>>g", "safe &>f", "safe <f >&2", "exec 3>f; safe >&3", "exec 3<<<x; read y <&3; safe $y",
	"alias safe='tool q'\nsafe r", "alias t='pwn '\nt a", "unalias safe", "eval safe 'a b'", "eval \"x=$x; safe \\$x\"", "command safe c", "command -v safe", "exec tool e", "x=1 safe $x", "x=1 y=$x tool \"$y\"", "export x=\"$y z\"; safe $x", "local x=1", "readonly r=5; safe $r", "declare x=d; safe $x", "declare -a l=(m n); safe $l", "unset x; safe \"${x-u}\"", "IFS=:; x=a:b; safe $x", "IFS=, read x y <<< 1,2; safe $y", "printf -v x '%s' v; safe $x", "sh -c 'safe i \"$1\"' n \"$x\"", "trap 'safe t' EXIT", "set -e; false; safe n", "set -f; safe *", "cd . && safe", "[ -n \"$x\" ] && safe", "[[ $x == v* ]] && safe", "test a = b || tool", "((x++)); safe $x", "let x=2; safe $x", "mapfile -t l <<< 'm n'; safe \"${l[@]}\"", "exit 0; safe", "return", "break", "echo x | while read y; do safe $y; done", "echo 'safe p' | sh", "printf 'tool q\\n' | bash", "echo a b | xargs safe", "f \"$x\" q", "f", "x=v1", "y='p  q'", "x=", "y=*",
}

// program makes a script of constructs, some in others.
func program(r *rand.Rand) string {
	var b strings.Builder
	b.WriteString([]string{"", "x=v1; ", "y='p q'\n", "set -- m 'n o'\n", functions[r.IntN(len(functions))] + "\n"}[r.IntN(5)])
	for i := range 1 + r.IntN(4) {
		if i > 0 {
			b.WriteString([]string{"; ", "\n", "\n", " && ", " || ", "\n\n"}[r.IntN(6)])
		}
		construct(r, &b, 2)
	}
	return b.String()
}

func construct(r *rand.Rand, b *strings.Builder, depth int) {
	if depth == 0 || r.IntN(4) == 0 {
		b.WriteString(append(stubs, "f")[r.IntN(len(stubs)+1)] + " " + words(r))
		return
	}
	for i, text := range strings.Split(constructs[r.IntN(len(constructs))], "%") {
		if i > 0 {
			if strings.HasPrefix(text, "s") { // of printf
				b.WriteByte('%')
			} else {
				construct(r, b, depth-1)
			}
		}
		b.WriteString(text)
	}
}

var (
	defines = regexp.MustCompile(`\([\s\\]*\)|function`)
	repeats = regexp.MustCompile(`\b(for|while|until|select)\b`)
	forks   = regexp.MustCompile(`[^&>]&[^&>0-9-]|&$|\|`)
)

// endless reports text that may call itself, or start processes, for ever: it is
// not for running, whatever the guard says.
func endless(text string) bool {
	rest := text
	for _, f := range functions {
		rest = strings.ReplaceAll(rest, f, "")
	}
	if defines.MatchString(rest) {
		return true
	}
	defined := rest != text
	return defined && strings.Contains(text, "alias") || strings.Contains(text, "while") && forks.MatchString(text) && strings.Contains(text, "&") || strings.Contains(text, "until") && strings.Contains(text, "&")
}
