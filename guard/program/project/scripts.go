package project

import (
	"iter"
	"strings"

	"mvdan.cc/sh/v3/syntax"

	"github.com/pillion-sidecar/pillion/guard/argv"
	"github.com/pillion-sidecar/pillion/guard/effect"
	"github.com/pillion-sidecar/pillion/guard/lang"
	"github.com/pillion-sidecar/pillion/guard/program"
	"github.com/pillion-sidecar/pillion/guard/program/run"
	"github.com/pillion-sidecar/pillion/guard/shell"
)

// madeMakefile judges a makefile that this command wrote.
func madeMakefile(w *shell.Walker, st *shell.State, args []effect.Arg) {
	files := argv.Values(args, "-f", "--file", "--makefile")
	dirs := argv.Values(args, "-C", "--directory")
	if len(dirs) == 0 {
		dirs = []effect.Arg{{Text: ".", Index: w.At.Index, Span: w.At.Whole}}
	}
	for _, dir := range dirs {
		for _, name := range []string{"Makefile", "makefile", "GNUmakefile"} {
			files = append(files, dir.Tail(dir.Text+"/"+name))
		}
	}
	goals := makeGoals(args)
	round := "make " + strings.Join(append(effect.Texts(dirs), goals...), " ")
	if w.Busy(round) { // $(MAKE) in a recipe
		return
	}
	defer w.During(round)()
	for _, file := range files {
		for _, s := range w.Contents(st, file.Text) {
			if lines, ok := shell.Changed(s.Text); ok {
				for line := range w.Lines(lines) {
					run.ExShell(w, st, "make", file, strings.ReplaceAll(strings.TrimLeft(line, "\t@-+"), "$$", "$"))
				}
			} else if effect.Fetched(s.From) {
				w.EmitAt(file, effect.Effect{Kind: effect.Code, Name: "make", Text: "make -f " + file.Text, From: s.From})
			} else if !strings.HasPrefix(s.Text, effect.Unknown) {
				makeText(w, st, "make", effect.Renamed(file, reduced(w, s.Text, goals)))
			}
		}
	}
}

// makeGoals are the targets of make.
func makeGoals(args []effect.Arg) (goals []string) {
	_, operands, _ := program.MustSpec("make").Split(args)
	for _, o := range operands {
		if !strings.Contains(o.Text, "=") {
			goals = append(goals, o.Text)
		}
	}
	return goals
}

// madeRecipes judges the indented lines of a justfile.
func madeRecipes(w *shell.Walker, st *shell.State, names ...string) {
	for line := range madeLines(w, st, names) {
		if text := strings.TrimLeft(line, " \t@-"); text != line && text != "" && w.Spend(1) {
			run.ExShell(w, st, "just", w.Here(text), text)
		}
	}
}

// madeTasks judges the commands in files of tasks: the items of their lists, and
// what follows run: and cmd:.
func madeTasks(w *shell.Walker, st *shell.State, names ...string) {
	for line := range madeLines(w, st, names) {
		text := strings.TrimPrefix(strings.TrimSpace(line), "- ")
		for _, key := range []string{"cmd:", "run:", "sh:"} {
			text = strings.TrimSpace(strings.TrimPrefix(text, key))
		}
		if text = strings.Trim(text, `"'`); strings.Contains(text, " ") && w.Spend(1) {
			if strings.ContainsAny(text, `'"`) { // as likely YAML's as the shell's
				w.RunWords(st, "task", w.Here(text))
			} else {
				w.CommandText(st, "task", w.Here(text))
			}
		}
	}
}

// madeLines are the lines without templates of files that this command wrote.
func madeLines(w *shell.Walker, st *shell.State, files []string) iter.Seq[string] {
	return func(yield func(string) bool) {
		for _, file := range files {
			for _, s := range w.Contents(st, file) {
				for line := range strings.SplitSeq(s.Text, "\n") {
					if !strings.Contains(line, "{{") && !yield(line) {
						return
					}
				}
			}
		}
	}
}

// madeDirectives judges what go generate runs: lines in sources that this command wrote.
func madeDirectives(w *shell.Walker, st *shell.State) {
	for line := range madeLines(w, st, matching(w, "*.go")) {
		if command, ok := strings.CutPrefix(line, "//go:generate "); ok && w.Spend(1) {
			w.Code(st.Clone(), "go generate", w.Here(command), w.Lang, effect.Stream{})
		}
	}
}

// madeTests judges a file for bats: bash, but for the heads of its tests.
func madeTests(w *shell.Walker, st *shell.State, file effect.Arg) {
	for _, s := range w.Contents(st, file.Text) {
		lines := strings.Split(s.Text, "\n")
		for i, line := range lines {
			if strings.HasPrefix(strings.TrimSpace(line), "@test ") {
				lines[i] = "{"
			}
		}
		w.Code(st.Child(), "bats "+file.Text, file.Tail(strings.Join(lines, "\n")), syntax.LangBash, effect.Somewhere)
	}
}

// packageScripts is where the scripts that npm pkg set wrote are kept.
const packageScripts = "package.json#"

// madeScripts judges the scripts of a package.json that this command wrote.
func madeScripts(w *shell.Walker, st *shell.State, name string, args []effect.Arg) {
	words := program.CommandWords(name, args)
	if len(words) == 0 {
		words = []string{"install"}
	}
	verb := words[0]
	if (verb == "run" || verb == "run-script" || verb == "exec") && len(words) > 1 {
		verb = words[1]
	}
	names := []string{verb, "pre" + verb, "post" + verb}
	switch verb {
	case "install", "i", "ci", "add", "update", "require", "dump-autoload":
		names = []string{
			"post-install-cmd", "pre-install-cmd", "post-update-cmd", "pre-update-cmd", "post-autoload-dump",
			"pre-autoload-dump", "preinstall", "install", "postinstall", "prepare", "prepublish",
		}
	case "t":
		names = append(names, "test", "pretest", "posttest")
	case "publish", "pack":
		names = append(names, "prepublishOnly", "prepare", "prepack", "postpack")
	}
	if w.Busy("script " + verb) {
		return
	}
	defer w.During("script " + verb)()
	manifest := "package.json"
	if name == "composer" {
		manifest = "composer.json"
	}
	for _, s := range w.Contents(st, manifest) {
		lines, _ := shell.Changed(s.Text)
		for line := range w.Lines(lines) {
			if line != "" && line[0] != '"' { // a part of some script
				run.ExShell(w, st, name+" run "+verb, w.Here(line), line)
			}
		}
		scripts := manifestScripts(s.Text)
		for _, n := range names {
			if text := scripts[n]; text != "" && w.Spend(1) {
				run.ExShell(w, st, name+" run "+n, w.Here(text), text)
			}
		}
	}
	for _, n := range names {
		for _, s := range w.Contents(st, packageScripts+n) {
			run.ExShell(w, st, name+" run "+n, w.Here(s.Text), s.Text)
		}
	}
}

// packageSet is npm pkg set scripts.x='…', which npm run x then runs.
func packageSet(w *shell.Walker, st *shell.State, p effect.Arg, args []effect.Arg, _ effect.Stream) {
	if p.Text != "npm" && p.Text != "pnpm" && p.Text != "yarn" || len(args) < 3 || args[0].Text != "pkg" ||
		args[1].Text != "set" {
		return
	}
	for _, a := range args[2:] {
		key, value, ok := strings.Cut(a.Text, "=")
		if script, named := strings.CutPrefix(key, "scripts."); ok && named && !strings.Contains(script, "/") {
			w.Keep(st, []effect.Arg{a.Tail(packageScripts + script)}, effect.Stream{Text: value, From: a.From}, false)
		}
	}
}

// manifestScripts are the members of "scripts" in a package.json. Where a name comes
// twice, both texts are kept: readers differ in which they take.
func manifestScripts(text string) map[string]string {
	out := map[string]string{}
	toks := lang.Tokens(&lang.RareDouble, text)
	_, inside := shell.Changed(text)
	for i := 0; i+2 < len(toks); i++ {
		if toks[i].Text == "}" {
			inside = false
		}
		if toks[i].Kind != lang.TokString || toks[i+1].Text != ":" || len(toks[i].Parts) == 0 {
			continue
		}
		name := toks[i].Parts[0].Text
		switch value := toks[i+2]; {
		case value.Text == "{":
			inside = name == "scripts"
		case inside && value.Kind == lang.TokString && len(value.Parts) > 0:
			out[name] += value.Parts[0].Text + "\n"
		}
	}
	return out
}
