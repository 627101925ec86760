package guard

import (
	"maps"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/pillion-sidecar/pillion/guard/argv"
	"github.com/pillion-sidecar/pillion/guard/effect"
	"github.com/pillion-sidecar/pillion/guard/rule"
	"github.com/pillion-sidecar/pillion/guard/shell"
	"github.com/pillion-sidecar/pillion/test/long"
)

// hostile are texts made to cost time or stack, each about 64 KiB.
func hostile() map[string]string {
	out := hostileShell()
	maps.Copy(out, hostileMixed())
	return out
}

func hostileMixed() map[string]string {
	fill := func(unit string) string { return strings.Repeat(unit, effect.MaxBytes/len(unit)) }
	return map[string]string{
		"open parens":         fill("("),
		"arithmetic":          fill("$(("),
		"substitutions":       fill("$("),
		"quoted":              fill(`"$(`),
		"defaults":            fill("${a:-"),
		"subscripts":          fill("a["),
		"blocks":              fill("{ "),
		"ifs":                 fill("if "),
		"whiles":              fill("while :; do "),
		"functions":           fill("f()"),
		"tests":               "[[ " + fill("! "),
		"closed in quotes":    fill("(')';"),
		"in a false heredoc":  "echo \"<<'E'\"\n" + fill("(")[:60000] + "\nE",
		"after a false quote": "echo a#'\n" + fill("(")[:60000],
		"statements":          fill("a;"),
		"pipes":               fill("a|"),
		"ands":                fill("a&&"),
		"rm":                  fill("rm a;"),
		"one rm":              "rm " + fill("a/b ")[:60000],
		"deep path":           "rm " + fill("../")[:60000],
		"braces":              fill("{a,b}"),
		"dollar braces":       "$" + fill("{")[:60000],
		"dollar open braces":  "$" + fill("{")[:60000] + "}",
		"many braces":         fill("{1..2000} "),
		"big sequence":        "echo {1..99999999999999999999} {1..2147483647}",
		"doubling":            "a=xxxxxxxxxxxxxxxx;" + fill("a=$a$a;"),
		"replacing":           "a=" + strings.Repeat("x", 4000) + ";" + fill("b=${a//x/$a};"),
		"loops in loops":      fill("for i in 1 2 3 4 5 6 7 8 9; do ")[:3000] + "x",
		"loop bombs":          strings.Repeat("while a; do ", 12) + "x" + strings.Repeat("; done", 12),
		"nested for":          strings.Repeat("for i in {1..200}; do ", 4) + "rm $i" + strings.Repeat("; done", 4),
		"alternatives":        fill("if a; then x=$x$y; else y=$y$x; fi;"),
		"calls":               "f() { g; g; }; g() { h; h; }; h() { i; i; }; i() { f; f; }; f",
		"case":                "case x in " + fill("a) b;; "),
		"power":               "echo $((9**99999999)) ${x:9**9}",
		"here-documents":      fill("cat <<E\n$(x)\nE\n"),
		"continuations":       fill("a\\\n"),
		"quotes":              fill("'a'\"b\"$c"),
		"evals":               fill("eval "),
		"sudo":                fill("sudo "),
		"forty substitutions": strings.Repeat("echo $(", 40) + "ls" + strings.Repeat(")", 40),
		"operators":           strings.Repeat("a && b || ", 950) + "c" + strings.Repeat("| d", 1900),
		"hundred shells":      strings.Repeat("sh -c eval ", 100) + strings.Repeat("eval sh -c ", 100) + "ls",
		"appends":             fill("echo a >> x;"),
		"files":               strings.Join(numbered("echo a > x%d; sh *;", 2000), ""),
		"file runs itself":    "echo 'sh x; sh x; ./x' > x; sh x",
		"file runs many":      fill("echo 'sh x;sh x' >> x;") + "sh x",
		"reads a file":        "curl x > x; rm " + fill("a/b ")[:60000],
		"variables":           strings.Join(numbered("a%d=1;", 2500), "") + strings.Repeat("(a);", 3000),
		"ambiguous":           strings.Join(numbered("a%d=1;", 2000), "") + "if a; then b=1; fi;" + fill("c $b;")[:20000],
		"default values":      fill("a ${b:-c};"),
		"while read":          "while read a; do $a; done <<'E'\n" + fill("a\n")[:60000] + "E",
		"traps":               fill("trap a EXIT;"),
		"bashisms":            "a=();" + fill("ls &>f;")[:60000],
		"bash tests":          "a=();" + fill("[[ a ]];")[:60000],
		"bash sums":           "a=();" + fill("((a));")[:60000],
		"functions in order":  fill("f() { f; };f;"),
		"sinks":               strings.Repeat("tee >(", 100) + "a" + strings.Repeat(")", 100),
		"pipes into sinks":    "a" + strings.Repeat("| tee >(sh) >(cat | sh)", 1000),
		"parallel":            "parallel echo ::: " + fill("a ")[:60000],
		"shells":              nest(8),
		"aliases":             "alias a='b b' b='a a'\n" + fill("a;"),
		"unknown code":        strings.Repeat("eval a ", 40) + "\"$b\"",
		"cds":                 fill("cd a;"),
		"pushds":              fill("pushd a;"),
		"failed cds":          fill("cd a;rm *;"),
		"rev":                 "echo " + fill("a")[:60000] + strings.Repeat("|rev", 500),
		"cut":                 "echo " + fill("a:")[:16000] + strings.Repeat("|cut -d: -f1-", 500),
		"envs":                "env " + fill("A=b "),
		"comments":            fill("#a\n"),
		"zsh":                 fill("~a/"),
		"printf":              "printf '%s' " + fill("a "),
		"python parens":       "python3 -c '" + fill("(")[:60000] + "'",
		"python brackets":     "python3 -c '" + fill("a[b(")[:60000] + "'",
		"python f-strings":    "python3 -c '" + fill("f\"{")[:60000] + "'",
		"python adds":         "python3 -c 'a=\"x\";" + fill("a=a+a;")[:60000] + "'",
		"python formats":      "python3 -c '" + fill("a=\"%s%s\"%(a,a);")[:60000] + "'",
		"python joins":        "python3 -c 'a=[1];" + fill("a=a+a;")[:60000] + "'",
		"python systems":      "python3 -c '" + fill("system(\"ls\");os.system(\"ls\");")[:60000] + "'",
		"python evals":        "python3 -c '" + fill("eval(\"")[:60000] + "'",
		"node templates":      "node -e '" + fill("`${")[:60000] + "'",
		"node objects":        "node -e '" + fill("{a:")[:60000] + "'",
		"perl quotes":         "perl -e '" + fill("q(")[:60000] + "'",
		"perl substitutions":  "perl -e '" + fill("s/a/b/e;")[:60000] + "'",
		"ruby holes":          "ruby -e '" + fill("\"#{")[:60000] + "'",
		"sed":                 "sed '" + fill("1e x\n")[:60000] + "'",
		"awk":                 "awk '" + fill("{system(\"ls\")}")[:60000] + "'",
		"awk joins":           "awk '" + fill("a=a a a;system(a);")[:60000] + "'",
		"makefile":            "make --eval '" + fill("$(shell ls)")[:60000] + "'",
		"vim":                 "vim -c '" + fill("silent ")[:60000] + "'",
		"vim bars":            "vim -c '" + fill("a|")[:60000] + "'",
		"git settings":        "git " + fill("-c core.pager=cat ")[:60000] + "log",
		"git aliases":         "git -c alias.x=x x",
		"assignments":         fill("PAGER=less ")[:60000] + "ls",
		"lisp":                "emacs --eval '" + fill("(a \"b\" ")[:60000] + "'",
		"sqlite":              "sqlite3 x " + fill("'.shell ls' ")[:60000],
		"find":                "find " + fill(". ")[:20000] + strings.Repeat("-exec rm {} + ", 500),
		"xargs":               "echo " + fill("a ")[:30000] + "| xargs -I{} xargs -I{} rm {}",
	}
}

func numbered(format string, n int) []string {
	out := make([]string, n)
	for i := range out {
		out[i] = strings.Replace(format, "%d", strconv.Itoa(i), 1)
	}
	return out
}

func TestHostileTextEndsInTime(t *testing.T) {
	long.Test(t)
	for name, text := range hostile() {
		text = text[:min(len(text), effect.MaxBytes)]
		start := time.Now()
		v := judge(text)
		took := time.Since(start)
		// The budgets are counted, and that is what is checked; the clock only
		// catches work that nobody counts.
		if took > 10*time.Second {
			t.Errorf("%s took %v", name, took)
		}
		for _, lang := range shell.Passes(shell.Input{}) {
			w := newWalker(shell.Input{Command: text, Cwd: testRoot}, DefaultPolicy(), paper{testRoot}, testHome, lang)
			w.Walk()
			if w.Steps > shell.MaxSteps+effect.MaxBytes || len(w.Effects) > shell.MaxSteps+maxFindings {
				t.Errorf("%s took %d steps and had %d effects", name, w.Steps, len(w.Effects))
			}
		}
		t.Logf("%-20s %8v %s %d findings", name, took.Round(time.Microsecond), v.Decision, len(v.Findings))
		if len(v.Findings) > maxFindings+8 {
			t.Errorf("%s has %d findings", name, len(v.Findings))
		}
	}
}

// A text of 64 KiB must not cost gigabytes either: `printf %999999d…` and
// `xargs -Ia rm aaaa…` once did.
func TestHostileTextStaysSmall(t *testing.T) {
	long.Test(t)
	var before, after runtime.MemStats
	for _, texts := range []map[string]string{hostile(), hostileCode()} {
		for name, text := range texts {
			runtime.ReadMemStats(&before)
			v := judge(text[:min(len(text), effect.MaxBytes)])
			runtime.ReadMemStats(&after)
			if made := (after.TotalAlloc - before.TotalAlloc) >> 20; made > 64 {
				t.Errorf("%s takes %d MiB", name, made)
			}
			if v.found("guard/internal") {
				t.Errorf("%s: %s", name, describe(v))
			}
		}
	}
}

func TestHostileRequests(t *testing.T) {
	long, nested := strings.Repeat("/a:", 20000), strings.Repeat("$(", 30000)
	many := map[string]*string{}
	for _, name := range numbered("A%d", 20000) {
		many[name] = &long
	}
	for name, in := range map[string]shell.Input{
		"argv": {Argv: slices.Repeat([]string{"rm"}, 30000)}, "options": {Argv: slices.Repeat([]string{"-a"}, 30000)},
		"long options": {Argv: append([]string{"git", "push"}, slices.Repeat([]string{"--aa"}, 15000)...)},
		"paths":        {Argv: append([]string{"cp"}, slices.Repeat([]string{"/etc"}, 12000)...)},
		"variables":    {Command: "ls", Env: many}, "PATH": {Command: "ls", Env: map[string]*string{"PATH": &long}},
		"LESSOPEN": {Command: "ls", Env: map[string]*string{"LESSOPEN": &nested}},
	} {
		in.Cwd = testRoot
		w := newWalker(in, DefaultPolicy(), paper{testRoot}, testHome, shell.Passes(in)[0])
		w.Walk()
		if len(w.Effects) > shell.MaxSteps+maxFindings || !w.Stopped {
			t.Errorf("%s: %d steps and %d effects", name, w.Steps, len(w.Effects))
		}
		if v := Check(in, DefaultPolicy(), paper{testRoot}, testHome); v.Decision == rule.Allow {
			t.Errorf("%s is allowed", name)
		}
	}
}

// Patterns of a policy look at a bounded part of what a command repeats.
func TestPatternsLookAtABoundedPart(t *testing.T) {
	long.Test(t)
	p := DefaultPolicy()
	p.AllowPatterns, p.Filters = []string{`(a|b)*c`, `^rm`}, [][]string{{`(x{1,30}){1,20}z`, `rm`}}
	for name, text := range hostile() {
		in := shell.Input{Command: text[:min(len(text), effect.MaxBytes)], Cwd: testRoot}
		w := newWalker(in, p, paper{testRoot}, testHome, shell.Passes(in)[0])
		w.Walk()
		j := p.judging(in, w)
		new(Verdict).add(w, j)
		if v := Check(in, p, paper{testRoot}, testHome); j.looked > maxLooked && v.Decision == rule.Allow {
			t.Errorf("%s looked at %d: %s", name, j.looked, describe(v))
		}
	}
	if err := CheckPattern(`((x{100}){100}){10}`); err == nil {
		t.Error("a huge pattern is taken")
	}
}

func TestBudgetsNeverAllow(t *testing.T) {
	for name, text := range map[string]string{
		"size": strings.Repeat("echo hello\n", 6000), "steps": strings.Repeat("echo $a;", 7000), "parens": strings.Repeat("(", 700),
		"depth": strings.Repeat("(", 200) + "a" + strings.Repeat(")", 200), "shells": deep(12),
	} {
		v := judge(text)
		if v.Decision == rule.Allow || v.Parse.Complete {
			t.Errorf("%s: %s, complete %v", name, v.Decision, v.Parse.Complete)
		}
	}
	if v := judge(nest(4)); v.Decision != rule.Allow {
		t.Errorf("four shells: %s", describe(v))
	}
	if v := judge(deep(12)); !v.found("input/nested-shells") {
		t.Errorf("twelve shells: %s", describe(v))
	}
	if v := judge("for i in {1..1000}; do curl -s localhost:8080/$i; done"); v.Decision != rule.Allow {
		t.Errorf("a thousand requests: %s", describe(v))
	}
	if v := judge("for i in {1..1000}; do if [ $i = 900 ]; then rm -rf /; fi; done"); v.Decision != rule.Deny {
		t.Errorf("the 900th round: %s", describe(v))
	}
	if v := judge(strings.Repeat("x", effect.MaxBytes+1)); !v.found("input/size") || v.Decision != rule.Deny {
		t.Errorf("one byte too many: %s", describe(v))
	}
}

// nest is `ls` inside n shells.
func nest(n int) string {
	text := "ls"
	for range n {
		text = "bash -c " + argv.Quote(text)
	}
	return text
}

// deep is a command in n substitutions and evals, which need no quoting.
func deep(n int) string { return strings.Repeat("eval ", n) + "ls" }

func TestLongLiteralTextIsNoNesting(t *testing.T) {
	code := strings.Repeat("if (x[0]) { y(`$z`); }\n", 2000)
	for _, text := range []string{"cat > x.js <<'EOF'\n" + code + "EOF", "cat > x.js <<\"EOF\"\n" + code + "EOF\nnpm test", "echo '" + strings.ReplaceAll(code, "'", "") + "' > x"} {
		if v := judge(text); v.Decision != rule.Allow {
			t.Errorf("%.30q…: %s", text, describe(v))
		}
	}
}

// BenchmarkHostile is the worst a text can cost.
func BenchmarkHostile(b *testing.B) {
	for name, text := range hostile() {
		text = text[:min(len(text), effect.MaxBytes)]
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				judge(text)
			}
		})
	}
}

// BenchmarkCheck is what an ordinary command costs: the median and the worst of
// all labelled ones, each at its best of the rounds.
func BenchmarkCheck(b *testing.B) {
	rows := append(corpus(b, "public.jsonl"), corpus(b, "seeds.jsonl")...)
	best := make([]time.Duration, len(rows))
	for b.Loop() {
		for i, r := range rows {
			start := time.Now()
			judge(r.Command)
			if took := time.Since(start); best[i] == 0 || took < best[i] {
				best[i] = took
			}
		}
	}
	slices.Sort(best)
	b.ReportMetric(float64(best[len(best)/2].Nanoseconds())/1000, "µs/median")
	b.ReportMetric(float64(best[len(best)-1].Nanoseconds())/1000, "µs/worst")
}
