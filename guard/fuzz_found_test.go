package guard

import (
	"slices"
	"testing"

	"github.com/pillion-sidecar/pillion/guard/effect"
	"github.com/pillion-sidecar/pillion/guard/rule"
	"github.com/pillion-sidecar/pillion/guard/shell"
)

// What the comparison with real shells found: the last program of each text is
// what dash and bash run, in one of the ways the guard takes it to fold.
func TestShellsRunTheListedArgv(t *testing.T) {
	for _, c := range []struct {
		dialect, text string
		want          []string
	}{
		{"bash", `{p""wn,n,x,}`, []string{"pwn", "n", "x"}},
		{"bash", `safe {"/etc",} z`, []string{"safe", "/etc", "z"}},
		{"bash", `safe {,""}`, []string{"safe", ""}},
		{"bash", `safe {\{,x}{a,b}`, []string{"safe", "{a", "{b", "xa", "xb"}},
		{"bash", "read x y <<\"E\"\nb \\\\ $x\nE\nsafe \"$y\"", []string{"safe", `\ $x`}},
		{"posix", "read -r x <<\\E\na\\\\b\nE\nsafe \"$x\"", []string{"safe", `a\\b`}},
		{"posix", `x=a; false && x=b; safe $x`, []string{"safe", "a"}},
		{"posix", `x=a; true && x=b; safe $x`, []string{"safe", "b"}},
		{"posix", `x=a; x=b && x=c; safe $x`, []string{"safe", "c"}},
		{"posix", "false || alias t=pwn\nt a", []string{"pwn", "a"}},
		{"bash", `x=a; let x=2; safe v`, []string{"safe", "v"}},
		{"posix", `declare x=d; safe "$x"`, []string{"safe", effect.Unknown}}, // dash has no declare
		{"posix", `set -- $u b /c; safe "$2"`, []string{"safe", effect.Unknown}},
		{"posix", `set -- "$u" b /c; safe "$2"`, []string{"safe", "b"}},
		{"posix", `set -- a $u b; shift; safe $# "$1"`, []string{"safe", effect.Unknown, effect.Unknown}},
		{"posix", `x=v\"z; safe $x`, []string{"safe", `v"z`}},
		{"posix", `x=\s\a\f\e; "$x" ${u:-\a}`, []string{"safe", effect.Unknown}},
		{"posix", `x=~/a\~; safe $x`, []string{"safe", testHome + "/a~"}},
		{"bash", `set --x a; safe "$1"`, []string{"safe", effect.Unknown}},
		{"bash", `IFS=:; x=a:b; safe ${x:1}`, []string{"safe", effect.Unknown}},
		{"posix", `IFS=:; x=a::b; safe -$x "$x"`, []string{"safe", "-" + effect.Unknown, "a::b"}},
		{"posix", `IFS=:; safe -$(echo a::b)`, []string{"safe", "-" + effect.Unknown}},
		{"posix", `IFS=:; x=a:b:; safe $x ${x}c`, []string{"safe", "a", "b", "a", "b", "c"}},
		{"posix", `IFS=$u; x=a1b; safe $x`, []string{"safe", effect.Unknown}},
		{"posix", `IFS=:; set -- a: b; safe $@ "$*"`, []string{"safe", "a", "b", "a::b"}},
		{"posix", `IFS=:; set -- "$u" $u; safe "$*"`, []string{"safe", effect.Unknown}},
		{"bash", `IFS=:; l=("$u" $u); safe "-${l[*]}"`, []string{"safe", effect.Unknown}},
		{"bash", `IFS=:; read x y <<< a::b; safe "$y"`, []string{"safe", effect.Unknown}},
		{"bash", `IFS=: read x y <<< a:b:c; safe "$y"`, []string{"safe", "b:c"}},
		{"bash", `eval 'x=a'; x= set -- b; safe "$x"`, []string{"safe", "a"}},
		{"bash", `x=a; x=b :; safe $x`, []string{"safe", "a"}},
		{"posix", `x=a; x=b :; safe $x`, []string{"safe", "b"}},
		{"bash", `x=' a'; safe {,s}${x}`, []string{"safe", "a", "s", "a"}},
		{"bash", `safe ~{,/x} {a,~}`, []string{"safe", testHome, testHome + "/x", "a", testHome}},
		{"bash", `x=; safe a=~$x b=~"" c=~/$x`, []string{"safe", "a=~", "b=~", "c=" + testHome + "/"}},
		{"posix", `x=; y=~$x; safe "$y"`, []string{"safe", "~"}},
		{"bash", `x=k; safe ${x#v {a,b}x{1,2}y`, []string{"safe", effect.Unknown}},
		{"bash", `safe a[0]=b:~`, []string{"safe", "a[0]=b:" + testHome}},
		{"posix", "safe a\\\\\\\n \"\\\\\\\nb\"", []string{"safe", `a\`, `\b`}},
		{"bash", `safe a=~{,s} {a,b}=~ a=b:{~,c}`, []string{"safe", "a=~", "a=~s", "a=~", "b=~", "a=b:~", "a=b:c"}},
		{"bash", `x=a; read x 'q=' <<< b; safe $x`, []string{"safe", effect.Unknown}},
		{"posix", `safe "$(printf -%s b)" "$(printf -- -%s b)"`, []string{"safe", effect.Unknown, "-b"}},
		{"posix", `x=a; set -- $(echo "$x" $u)$x; safe "$1"`, []string{"safe", effect.Unknown}},
		{"bash", `safe b{}\{a,b}`, []string{"safe", effect.Unknown}},
		{"bash", `safe {a},b} x{}{a,b}`, []string{"safe", effect.Unknown, "x{}a", "x{}b"}},
		{"bash", `x=1; safe {$,a}x {$,a}${x-}`, []string{"safe", effect.Unknown, effect.Unknown}},
		{"posix", `set -- a; set - b - c; safe "$@"`, []string{"safe", "b", "-", "c"}},
		{"posix", `set -- a; set -; safe "$@"`, []string{"safe", "a"}},
		{"posix", `set + a; safe "$@"`, []string{"safe", "a"}},
		{"bash", `safe ~:$x`, []string{"safe", effect.Unknown}},
		{"posix", `x=; y=~:~/a$x; safe "$y"`, []string{"safe", testHome + ":" + testHome + "/a"}},
		{"posix", `x='a '; safe $x""`, []string{"safe", "a", ""}},
		{"bash", `l=("$@" b); safe "${l[1]}" "${l[@]}"`, []string{"safe", effect.Unknown, effect.Unknown, "b"}},
		{"bash", `l=(*.go b); safe "${l[1]}" ${#l[@]}`, []string{"safe", effect.Unknown, effect.Unknown}},
		{"bash", `unset l; l+=(e); safe "${l[0]}" "${#l[@]}"`, []string{"safe", "e", "1"}},
		{"posix", `for x; do set -- a; done; safe "$@" b`, []string{"safe", effect.Unknown, "b"}},
		{"posix", `x=a; for y in $u; do x=b; done; safe $x`, []string{"safe", "a"}},
		{"posix", `for x in *.go; do y=b; done; safe $y`, []string{"safe", "b"}},
		{"posix", `x=a; for y in b c; do if t; then x=d; break; fi; done; safe $x`, []string{"safe", "d"}},
		{"posix", `x=a; f() { if t; then x=d; return; fi; }; f; safe $x`, []string{"safe", "d"}},
		{"posix", `case $u in *) x=d; break;; esac; safe $x`, []string{"safe", "d"}},
		{"posix", `l=(a); declare x=d; safe "$x" "$l"`, []string{"safe", effect.Unknown, "a"}},
		{"bash", `local x=1; safe $x`, []string{"safe", effect.Unknown}},
		{"bash", `f() { local x=1; safe $x; }; f`, []string{"safe", "1"}},
		{"bash", `a 3<<<x; read y <&3; safe $y`, []string{"safe", effect.Unknown}},
		{"bash", `a && exec 3<<<x; read y <&3; safe $y`, []string{"safe", effect.Unknown}},
		{"bash", `( exec 3<<<x ); read y <&3; safe $y`, []string{"safe", effect.Unknown}},
		{"bash", `exec 3<<<x; read y <&3; safe $y`, []string{"safe", "x"}},
		{"bash", `x='a b'; safe $x$ $x\$ "$x"$`, []string{"safe", effect.Unknown + "$", "a", "b$", "a b$"}},
		{"bash", `safe $(echo a b)$/`, []string{"safe", effect.Unknown + "$/"}},
		{"bash", `safe ~=~$x a=~=~`, []string{"safe", effect.Unknown, "a=" + effect.Unknown}},
		{"bash", `set -- a; set -if b; safe "$@"`, []string{"safe", effect.Unknown}},
		{"posix", `safe -"$(echo b <f)"`, []string{"safe", "-" + effect.Unknown}},
		{"posix", `x=a; { x=b; } <f; safe $x`, []string{"safe", "a"}},
		{"bash", `f() { x=b; }; x=a; f ${!y}; safe $x`, []string{"safe", "a"}},
		{"bash", `exec 3<<<x <f; read y <&3; safe $y`, []string{"safe", effect.Unknown}},
		{"bash", `x=a; read x <f <<<b; safe $x`, []string{"safe", "a"}},
		{"bash", `x=a; t && x=b; for y in 1 $x; do safe $y; done`, []string{"safe", "b"}},
		{"bash", `x=a; t && x=b; read y <<<$x; safe $y`, []string{"safe", "b"}},
		{"bash", `y=p; safe ${y/p/'q'\''s'} ${y/p/~} ${y/p/s}`, []string{"safe", effect.Unknown, effect.Unknown, "s"}},
		{"posix", `set -- a; y='q  r'; safe "b$@"$y "b$@c" z`, []string{"safe", effect.Unknown, effect.Unknown, "z"}},
		{"posix", `unset u; safe ${u:='d e'}${u:-x}`, []string{"safe", effect.Unknown + effect.Unknown}},
		{"posix", `u=; safe "-$@${u:=b}"; safe "$u"`, []string{"safe", effect.Unknown}},
		{"bash", `u=; [[ ${u:=b} ]]; safe "$u"`, []string{"safe", effect.Unknown}},
		{"bash", `u=; ((${u:=1})); safe "$u"`, []string{"safe", effect.Unknown}},
		{"posix", `u=; case b in ${u:=b}) ;; esac; safe "$u"`, []string{"safe", effect.Unknown}},
		{"posix", `u=; safe ${u:=b}; safe "$u"`, []string{"safe", "b"}},
		{"bash", `a && read x <<< 'h i'; safe $x`, []string{"safe", effect.Unknown}},
		{"bash", `a && read x <<< h && safe $x`, []string{"safe", "h"}},
		{"posix", `x=v; false && unset x; safe $x`, []string{"safe", "v"}},
		{"posix", `f() { x=f; }; a && f; safe $x`, []string{"safe", effect.Unknown}},
		{"posix", `x=a:b; a && IFS=:; safe $x`, []string{"safe", "a:b"}},
		{"posix", `x=a; a && x=b && x=c; safe $x`, []string{"safe", "b"}},
		{"bash", `set -- "$@" k; shift; safe "$@" x`, []string{"safe", effect.Unknown, "x"}},
		{"posix", `set -- "$@" k l; shift; safe "$@"`, []string{"safe", effect.Unknown, "l"}},
		{"posix", `set -- a $u k l; shift 2; safe "$@"`, []string{"safe", effect.Unknown, "l"}},
		{"posix", `set -- $u; shift; safe $#`, []string{"safe", effect.Unknown}},
		{"posix", `set -- a b; shift 2; safe $#`, []string{"safe", "0"}},
		{"posix", `false && set --; safe $#`, []string{"safe", effect.Unknown}},
		{"bash", `local x=1; safe ${u:-$x}"${y:+z w}"`, []string{"safe", effect.Unknown}},
		{"bash", `x=a; y=c; a && x=b; a && y=d; safe $x $y`, []string{"safe", "b", "c"}},
		{"bash", `x=a; y=c; a && x=b; a && y=d; safe $x $y`, []string{"safe", "a", "d"}},
		{"posix", `f() { safe "$1" "$2"; }; f a $u`, []string{"safe", "a", effect.Unknown}},
	} {
		if lists := execsOf(c.text, c.dialect); !slices.ContainsFunc(lists, func(argv []string) bool { return slices.Equal(argv, c.want) }) {
			t.Errorf("%s %q: %q, want %q", c.dialect, c.text, lists, c.want)
		}
	}
}

func execsOf(text, dialect string) (list [][]string) {
	for _, execs := range Execs(shell.Input{Command: text, Cwd: testRoot, Dialect: dialect}, DefaultPolicy(), paper{testRoot}, testHome) {
		for _, e := range execs {
			list = append(list, e.Argv)
		}
	}
	return list
}

// In /bin/sh of busybox $” is bash's, and braces are nothing.
func TestBusyboxExpandsNoBraces(t *testing.T) {
	for _, want := range [][]string{{"tool", "ab", "ac"}, {"tool", "$a{b,c}"}, {"tool", "a{b,c}"}} {
		if got := execsOf(`tool $'a'{b,c}`, "posix"); !slices.ContainsFunc(got, func(argv []string) bool { return slices.Equal(argv, want) }) {
			t.Errorf("%q is not in %q", want, got)
		}
	}
}

// The same in commands that delete.
func TestWhatFuzzingFoundIsGated(t *testing.T) {
	for text, want := range map[string]rule.Decision{
		`D=/; false && D=build; rm -rf "$D"`:             rule.Deny,
		"rm -rf /\nA=$((0 A":                             rule.Deny,
		"rm -rf /\n<<''&\n":                              rule.Deny,
		`x=r\m; $x -rf /`:                                rule.Deny,
		`echo x >/et\c/passwd`:                           rule.Deny,
		`set -- $u src /etc; rm -rf "$2"`:                rule.Ask,
		`echo "$${"; echo '}"; rm -rf /; "'`:             rule.Ask,
		`safe "$$ ${x}"; kill "$$"`:                      rule.Allow,
		"cat <<'E'\n\"$${x}\"\nE":                        rule.Allow,
		`safe '"$${x}"'`:                                 rule.Allow,
		`safe >&-'rm'`:                                   rule.Ask,
		`safe 2>&-"$x"`:                                  rule.Ask,
		"false || alias t='rm -rf /'\nt":                 rule.Deny,
		`D=dist; mkdir -p "$D" && D="$D/a"; rm -rf "$D"`: rule.Allow,
		`set -- a "$u" dist; rm -f "$3"`:                 rule.Allow,
		`D=dist; [ -d "$D" ] && echo there; rm -rf "$D"`: rule.Allow,
		`[ -z "$OUT" ] && OUT=dist; rm -rf "$OUT/tmp"`:   rule.Allow,
		`B=""; for c in ./a ./b ./c ./d; do [ -f "$c" ] && B="$c" && break; done; "$B" run`: rule.Allow,
		"( safe \"$x\"#; rm -rf /\n)":                 rule.Ask,
		"y=$(safe 'a'#; reboot\n)":                    rule.Ask,
		"case $1 in a) safe $x#;; *) reboot\n;; esac": rule.Ask,
		"( make # all; reboot\n)":                     rule.Allow,
		"(# all\nmake;# all\nmake)":                   rule.Allow,
		`D=dist; for d in a b; do if [ -d $d ]; then D=/; break; fi; done; rm -rf "$D"`: rule.Deny,
		"a | trap 'rm -rf /' EXIT":                               rule.Deny,
		"trap 'rm -rf /' EXIT | a":                               rule.Deny,
		"trap 'rm -rf /' EXIT &":                                 rule.Deny,
		"D=a; t && D=/; sh <<E\nrm -rf $D\nE":                    rule.Deny,
		`D=a; t && D=/; for d in b $D; do rm -rf $d; done`:       rule.Deny,
		`rm -rf {dist,~}`:                                        rule.Deny,
		`rm -rf ~{,/x}`:                                          rule.Deny,
		`D=/; mkdir a && D=a && rm -rf "$D"`:                     rule.Allow,
		`a && read x <<< dist; rm -rf "$x/tmp"`:                  rule.Ask,
		`a && read x <<< dist && rm -rf "$x/tmp"`:                rule.Allow,
		`[ -z "$O" ] && { O=dist; echo "$O"; }; rm -rf "$O/tmp"`: rule.Allow,
		`[ -z "$O" ] && export O=dist; rm -rf "$O/tmp"`:          rule.Allow,
		`i=0; ((i++)); rm -f "log.$i"`:                           rule.Allow,
		"for ((i=0; i<3; i++)); do rm -f \"log.$i\"; done":       rule.Allow,
		`n=0; while [ $n -lt 3 ]; do n=$((n+1)); ls; done`:       rule.Allow,
		`safe >&- 2>&-; echo done`:                               rule.Allow,
	} {
		v := Check(shell.Input{Command: text, Cwd: testRoot, Dialect: "bash"}, DefaultPolicy(), paper{testRoot}, testHome)
		if v.Decision != want {
			t.Errorf("%q: %s, want %s: %+v", text, v.Decision, want, v.Findings)
		}
	}
}
