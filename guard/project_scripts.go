package guard

import (
	"slices"
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// madeMakefile judges a makefile that this command wrote.
func (w *walker) madeMakefile(st *state, args []arg) {
	files := valuesOf(args, "-f", "--file", "--makefile")
	dirs := valuesOf(args, "-C", "--directory")
	if len(dirs) == 0 {
		dirs = []arg{{text: ".", index: w.at.index, span: w.at.whole}}
	}
	for _, dir := range dirs {
		for _, name := range []string{"Makefile", "makefile", "GNUmakefile"} {
			files = append(files, dir.tail(dir.text+"/"+name))
		}
	}
	goals := makeGoals(args)
	round := "make " + strings.Join(append(texts(dirs), goals...), " ")
	if slices.Contains(w.calling, round) { // $(MAKE) in a recipe
		return
	}
	w.calling = append(w.calling, round)
	defer func() { w.calling = w.calling[:len(w.calling)-1] }()
	for _, file := range files {
		for _, s := range w.contents(st, file.text) {
			if fetched(s.from) {
				w.emitAt(file, effect{kind: kindCode, name: "make", text: "make -f " + file.text, from: s.from})
			} else if !strings.HasPrefix(s.text, unknown) {
				w.makeText(st, "make", file.tail(w.reduced(s.text, goals)))
			}
		}
	}
}

// makeGoals are the targets make is told to make.
func makeGoals(args []arg) (goals []string) {
	_, operands, _ := specs()["make"].split(args)
	for _, o := range operands {
		if !strings.Contains(o.text, "=") {
			goals = append(goals, o.text)
		}
	}
	return goals
}

// madeRecipes judges the indented lines of a justfile.
func (w *walker) madeRecipes(st *state, names ...string) {
	for _, name := range names {
		for _, s := range w.contents(st, name) {
			for line := range strings.SplitSeq(s.text, "\n") {
				if text := strings.TrimLeft(line, " \t@-"); text != line && text != "" && w.spend(1) && !strings.Contains(line, "{{") {
					w.exShell(st, "just", arg{text: text, index: w.at.index, span: w.at.whole}, text)
				}
			}
		}
	}
}

// madeLists judges the commands in CMake files that this command wrote: those of
// execute_process run while cmake reads them, the others while it builds.
func (w *walker) madeLists(st *state, args []arg) {
	files := valuesOf(args, "-P", "-C")
	for file := range w.made {
		if strings.HasSuffix(file, "/CMakeLists.txt") {
			files = append(files, arg{text: file, index: w.at.index, span: w.at.whole})
		}
	}
	slices.SortFunc(files, func(a, b arg) int { return strings.Compare(a.text, b.text) })
	for _, file := range files {
		for _, s := range w.contents(st, file.text) {
			for rest := s.text; w.spend(1); {
				_, after, ok := strings.Cut(rest, "COMMAND ")
				if !ok {
					break
				}
				command, _, _ := strings.Cut(after, ")")
				w.runWords(st, "cmake COMMAND", file.tail(command))
				rest = after
			}
		}
	}
}

// madeTasks judges the commands in files of tasks: the items of their lists, and
// what follows run: and cmd:.
func (w *walker) madeTasks(st *state, names ...string) {
	for _, name := range names {
		for _, s := range w.contents(st, name) {
			for line := range strings.SplitSeq(s.text, "\n") {
				text := strings.TrimPrefix(strings.TrimSpace(line), "- ")
				for _, key := range []string{"cmd:", "run:", "sh:"} {
					text = strings.TrimSpace(strings.TrimPrefix(text, key))
				}
				if text = strings.Trim(text, `"'`); strings.Contains(text, " ") && !strings.Contains(text, "{{") && w.spend(1) {
					w.runWords(st, "task", arg{text: text, index: w.at.index, span: w.at.whole})
				}
			}
		}
	}
}

// madeTests judges a file for bats: bash, but for the heads of its tests.
func (w *walker) madeTests(st *state, file arg) {
	for _, s := range w.contents(st, file.text) {
		lines := strings.Split(s.text, "\n")
		for i, line := range lines {
			if strings.HasPrefix(strings.TrimSpace(line), "@test ") {
				lines[i] = "{"
			}
		}
		w.code(st.child(), "bats "+file.text, file.tail(strings.Join(lines, "\n")), syntax.LangBash, somewhere)
	}
}

// packageScripts is where the scripts that npm pkg set wrote are kept.
const packageScripts = "package.json#"

// madeScripts judges the scripts of a package.json that this command wrote.
func (w *walker) madeScripts(st *state, name string, args []arg) {
	words := make([]string, 0, len(args))
	for _, a := range args {
		if !strings.HasPrefix(a.text, "-") {
			words = append(words, a.text)
		}
	}
	if len(words) == 0 {
		words = []string{"install"}
	}
	run := words[0]
	if (run == "run" || run == "run-script") && len(words) > 1 {
		run = words[1]
	}
	names := []string{run, "pre" + run, "post" + run}
	switch run {
	case "install", "i", "ci", "add":
		names = []string{"preinstall", "install", "postinstall", "prepare", "prepublish"}
	case "t":
		names = append(names, "test", "pretest", "posttest")
	case "publish", "pack":
		names = append(names, "prepublishOnly", "prepare", "prepack", "postpack")
	}
	if slices.Contains(w.calling, "script "+run) {
		return
	}
	w.calling = append(w.calling, "script "+run)
	defer func() { w.calling = w.calling[:len(w.calling)-1] }()
	for _, s := range w.contents(st, "package.json") {
		scripts := manifestScripts(s.text)
		for _, n := range names {
			if text := scripts[n]; text != "" && w.spend(1) {
				w.exShell(st, name+" run "+n, arg{text: text, index: w.at.index, span: w.at.whole}, text)
			}
		}
	}
	for _, n := range names {
		for _, s := range w.contents(st, packageScripts+n) {
			w.exShell(st, name+" run "+n, arg{text: s.text, index: w.at.index, span: w.at.whole}, s.text)
		}
	}
}

// packageSet is npm pkg set scripts.x='…', which npm run x then runs.
func (w *walker) packageSet(st *state, name string, args []arg) {
	if name != "npm" && name != "pnpm" && name != "yarn" || len(args) < 3 || args[0].text != "pkg" || args[1].text != "set" {
		return
	}
	for _, a := range args[2:] {
		key, value, ok := strings.Cut(a.text, "=")
		if script, named := strings.CutPrefix(key, "scripts."); ok && named && !strings.Contains(script, "/") {
			w.keep(st, []arg{a.tail(packageScripts + script)}, stream{text: value, from: a.from}, false)
		}
	}
}

// imported judges the modules, written by this command, that a Python program
// loads by name; sitecustomize is loaded by every one.
func (w *walker) imported(st *state, text string) {
	if len(w.made) == 0 || !w.deeper() {
		return
	}
	defer func() { w.nested-- }()
	var names []string
	for line := range strings.SplitSeq(strings.ReplaceAll(text, ";", "\n"), "\n") {
		if fields := strings.Fields(line); len(fields) > 1 && (fields[0] == "import" || fields[0] == "from") && len(names) < maxList {
			name, _, _ := strings.Cut(strings.TrimRight(fields[1], ","), ".")
			names = append(names, name)
		}
	}
	for _, name := range append([]string{"sitecustomize", "usercustomize"}, names...) {
		if w.spend(1) && !slices.Contains(w.calling, "import "+name) {
			w.calling = append(w.calling, "import "+name)
			w.runSource(st, &python, "import", arg{text: name + ".py", index: w.at.index, span: w.at.whole})
			w.calling = w.calling[:len(w.calling)-1]
		}
	}
}

// manifestScripts are the members of "scripts" in a package.json. Where a name
// stands twice, both texts are kept: readers differ in which they take.
func manifestScripts(text string) map[string]string {
	out := map[string]string{}
	toks := tokens(&rareDouble, text)
	inside := false
	for i := 0; i+2 < len(toks); i++ {
		if toks[i].text == "}" {
			inside = false
		}
		if toks[i].kind != tokString || toks[i+1].text != ":" || len(toks[i].parts) == 0 {
			continue
		}
		name := toks[i].parts[0].text
		switch value := toks[i+2]; {
		case value.text == "{":
			inside = name == "scripts"
		case inside && value.kind == tokString && len(value.parts) > 0:
			out[name] += value.parts[0].text + "\n"
		}
	}
	return out
}
