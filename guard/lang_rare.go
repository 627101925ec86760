package guard

import (
	"slices"
	"strings"
)

// Languages that are seen seldom on a command line share one look: literal
// strings that are given to a function whose name says that it runs a program,
// or touches a file. Computed ones are left to the sandbox.
var (
	rareSingle = language{name: "code", comments: []string{"//"}, block: [2]string{"/*", "*/"}, quotes: `"'`, lines: true}
	rareDouble = language{name: "code", comments: []string{"//"}, block: [2]string{"/*", "*/"}, quotes: "\"`", raw: "`", lines: true}
)

// rareRuns are functions that run their string: as shell text when it is one
// string, as a program with arguments when there are more.
var rareRuns = names(`system popen shell cmd command exec execute run spawn process sh bash proc start
	callCommand callProcess readProcess readProcessWithExitCode readCreateProcess createProcess rawSystem spawnCommand spawnProcess spawnShell executeShell pipeProcess
	execShellCmd execCmd execCmdEx execProcess startProcess StartProcess outputOf unix dos Run Exec ForkExec forkExec
	Command CommandContext ProcessBuilder launchedProcess execl execlp execle execv execvp execve posix_spawn posix_spawnp
	run-program shell-command system* process* run-shell-command open-process-in-system ShellExecute Process getstatusoutput popen2 popen3 Popen check_output`)

// rareDeletes and their like only count when the string looks like a path that
// may lead outside: `remove("name")` takes a name out of some list.
var (
	rareDeletes = names(`rm_rf rm_r rm rmdir unlink remove delete Remove RemoveAll removeAll remove_all remove_dir_all remove_dir remove_file removeDirectoryRecursive removePathForcibly removeFile removeDir removeDirectory
		deleteRecursively deleteDir deleteTree deleteDirectory deleteFile deleteIfExists removeItem rmtree rmdirRecurse del_dir del_dir_r delete-file delete-directory delete-directory/files delete-directory-tree rm-rf`)
	rareReads = names(`ReadFile ReadDir ReadAll read_to_string read_dir readFile read_file readText readAllLines readAllText readLines readBytes readString read_lines slurp openFile fopen open Open opendir File FileReader FileInputStream
		Paths Path fromFile consult list_dir ls stream file-get-contents read call-with-input-file with-input-from-file file->string fread getline ifstream contentsOfFile`)
	rareWrites = names(`WriteFile write_file writeFile spit write writeText writeString Create create create_dir create_dir_all createDirectory MkdirAll Mkdir mkdir mkdir_p touch appendText FileWriter FileOutputStream PrintWriter write! symlink Symlink rename Rename
		chmod Chmod ofstream with-output-to-file call-with-output-file OpenFile`)
)

// rareReader walks the tokens of such a program.
type rareReader struct {
	w    *walker
	st   *state
	at   arg
	toks []token
}

// rareCode judges a program by the strings it gives to such functions.
func (w *walker) rareCode(st *state, l *language, construct string, code arg) {
	defer w.enter(construct, code.text, code.span)()
	if !w.deeper() || !w.spend(1+len(code.text)/64) {
		return
	}
	defer func() { w.nested-- }()
	r := rareReader{w: w, st: st, at: code, toks: tokens(l, code.text)}
	for i, t := range r.toks {
		if w.stopped {
			return
		}
		switch {
		case t.kind == tokName:
			r.call(i)
		case t.kind == tokSign && (t.text == "." || t.text == "!") && i > 0:
			r.method(i)
		}
	}
}

// call is name("…"), name "…" and (name "…").
func (r *rareReader) call(i int) {
	name := r.toks[i].text
	j := i + 1
	if r.text(j) == "*" { // Lisp's system*
		name += "*"
		j++
	}
	if r.text(j) == "::" && r.text(j+1) == "new" {
		j += 2
	}
	for r.text(j) == "!" || r.text(j) == "?" || r.text(j) == "$" {
		j++
	}
	if !rareRuns.has(name) && !rareDeletes.has(name) && !rareReads.has(name) && !rareWrites.has(name) {
		return
	}
	list, end := r.strings(j)
	if len(list) == 0 {
		return
	}
	if rareRuns.has(name) {
		r.run(name, append(list, r.chained(end)...))
		return
	}
	k := kindRead
	if rareDeletes.has(name) {
		k = kindDelete
	} else if rareWrites.has(name) {
		k = kindWrite
	}
	for _, text := range list {
		if pathLike(text) || strings.HasPrefix(text, "/*") || text == "/" || text == "~" || strings.HasPrefix(text, "~/") {
			r.w.paths(r.st, effect{kind: k, recursive: k == kindDelete}, r.at.tail(r.home(text)))
		}
	}
}

// home is ~/x as the libraries of these languages are told to read it.
func (r *rareReader) home(text string) string {
	if rest, ok := strings.CutPrefix(text, "~"); ok && r.w.home != "" {
		return r.w.home + rest
	}
	return text
}

func (r *rareReader) text(i int) string {
	if i < len(r.toks) && r.toks[i].kind != tokString {
		return r.toks[i].text
	}
	return ""
}

// strings are the literal arguments of the call that begins at i, and where the
// call ends.
func (r *rareReader) strings(i int) (list []string, end int) {
	depth := 0
	for ; i < len(r.toks) && len(list) < maxList && r.w.spend(1); i++ {
		switch t := r.toks[i]; {
		case t.kind == tokString && len(t.parts) > 0:
			list = append(list, t.parts[0].text)
		case t.kind == tokEnd && depth == 0, closure(t):
			return list, i
		case t.kind == tokSign && strings.Contains("([{", t.text):
			depth++
		case t.kind == tokSign && strings.Contains(")]}", t.text):
			if depth--; depth < 0 || depth == 0 && r.text(i+1) != "[" {
				return list, i + 1
			}
		case t.kind == tokName && depth == 0 && len(list) == 0 && r.text(i+1) != ":":
			return nil, i // a name of its own, not a call
		}
	}
	return list, i
}

// closure reports where a function begins among the arguments: the strings in its
// body are not the call's, as in t.Run("name", func(t *testing.T) { … }).
func closure(t token) bool {
	switch t.text {
	case "func", "fn", "function", "fun", "lambda", "do":
		return t.kind == tokName
	case "|", "||", "->", "=>":
		return t.kind == tokSign
	}
	return false
}

// chained are the arguments of .arg("…") and .args(["…"]) behind a call.
func (r *rareReader) chained(i int) (list []string) {
	for r.w.spend(1) {
		for r.text(i) == "\n" {
			i++
		}
		if r.text(i) != "." || r.text(i+1) != "arg" && r.text(i+1) != "args" {
			return list
		}
		more, end := r.strings(i + 2)
		list, i = append(list, more...), end
	}
	return list
}

// rareMethods are those of a string or a list that run it: Groovy's
// "ls".execute(), Scala's "ls".!
var rareMethods = []string{"execute", "exec", "!", "lineStream", "lazyLines", "run", "system"}

func (r *rareReader) method(i int) {
	name := r.text(i + 1)
	if r.toks[i].text == "!" {
		name = "!"
	}
	before := r.toks[i-1]
	switch {
	case !slices.Contains(rareMethods, name):
	case before.kind == tokString && len(before.parts) > 0:
		r.run(name, []string{before.parts[0].text})
	case before.kind == tokSign && (before.text == "]" || before.text == ")"):
		start := i - 1
		for start > 0 && i-start < maxList && r.toks[start].text != "[" && r.toks[start].text != "(" {
			start--
		}
		list, _ := r.strings(start)
		r.run(name, list)
	}
}

// run judges a command. What only looks like one (a query, a name) must not be
// found to be bad shell: those effects are dropped.
func (r *rareReader) run(name string, list []string) {
	if len(list) == 0 || !r.program(list[0]) {
		return
	}
	if strings.HasPrefix(name, "execl") && len(list) > 1 {
		list = slices.Delete(slices.Clone(list), 1, 2) // argv[0] once more
	}
	before := len(r.w.effects)
	if len(list) == 1 {
		r.w.commandText(r.st, name, r.at.tail(list[0]))
	} else {
		args := make([]arg, len(list))
		for i, text := range list {
			args[i] = r.at.tail(text)
		}
		if r.w.deeper() {
			r.w.run(r.st.clone(), args, stream{})
			r.w.nested--
		}
	}
	kept := r.w.effects[:before]
	for _, e := range r.w.effects[before:] {
		if e.kind != kindProblem && !(e.kind == kindExec && (e.unknown || !e.inside)) {
			kept = append(kept, e)
		}
	}
	r.w.effects = kept
}

// program reports text that runs a program we know something about: most strings
// given to run and exec are queries, names of tests, and the like.
func (r *rareReader) program(text string) bool {
	for part := range strings.FieldsFuncSeq(text, func(c rune) bool { return strings.ContainsRune(";|&\n(){}`$!", c) }) {
		if !r.w.spend(1) {
			return false
		}
		words := strings.Fields(part)
		for len(words) > 1 && strings.Contains(words[0], "=") {
			words = words[1:]
		}
		if len(words) > 0 && (r.w.judges(base(words[0])) || pathLike(words[0])) {
			return true
		}
	}
	return false
}
