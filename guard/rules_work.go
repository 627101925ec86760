package guard

import (
	"path"
	"slices"
	"strings"
)

// workRules are about work that lies in files and perhaps nowhere else.
var workRules = []Rule{
	{
		ID: "fs/delete-sources", Title: "Delete source code", Decision: Ask, Severity: 3,
		Why:      "What is not committed is gone, and nothing builds these files again.",
		Message:  "deletes {what}, which looks like source code",
		Safer:    "git rm -r keeps it in the history; commit first",
		Match:    []string{"rm -rf src", "rm -r ./internal/", "rm -rf app packages", "cd web && rm -rf ../src", "find . -name '*.go' -delete", "rm -f *.py", "find src -name '*.test.ts' -delete", "rm src/*.rs", "rm -rf migrations"},
		NotMatch: []string{"rm -rf src/generated", "rm -rf dist build target", "rm src/a.go", "rm -f *.pyc *.o", "find . -name '*.pb.go' -delete", "rm -rf node_modules", "rm -f dist/*.ts", "rm -f src/*.d.ts", "rm -rf docs/_build", "git rm -r src", "rm -f /tmp/*.py", "rm -rf web/src/gen", "mv src lib"},
		when:     deletesSources,
	},
	{
		ID: "fs/mirror", Title: "Make the workspace a copy", Decision: Ask, Severity: 2,
		Why:      "Everything that the other side doesn't have is deleted here.",
		Message:  "{what} deletes what the source doesn't have from the workspace folder",
		Safer:    "leave --delete out, or look at the list first: rsync -n",
		Match:    []string{"rsync -a --delete /tmp/skeleton/ ./", "rsync -av --delete-after build/ .", "rsync -r --del x/ /home/dev/project", "cd src && rsync -a --delete-excluded x/ .."},
		NotMatch: []string{"rsync -a --delete src/ dist/", "rsync -a /tmp/x/ ./", "rsync -an --delete /tmp/x/ ./", "rsync --dry-run -a --delete x/ .", "rsync -a --exclude=.git x/ ."},
		when:     mirrors,
	},
}

// sourceDirs are where projects keep what people wrote.
var sourceDirs = []string{"src", "source", "app", "packages", "internal", "cmd", "crates", "migrations", ".github", "tests", "spec"}

// sourceEndings are files that people write. JavaScript is not among them: it is
// compiled to as often as written.
var sourceEndings = []string{".go", ".ts", ".tsx", ".py", ".rs", ".java", ".kt", ".c", ".cc", ".cpp", ".h", ".hpp", ".rb", ".php", ".cs", ".swift", ".scala", ".ex", ".vue", ".svelte", ".sql"}

func deletesSources(w *walker, e *effect) bool {
	if e.kind != kindDelete || e.unknown || e.name == "mv" || !w.inFolders(e.path) {
		return false
	}
	p := strings.TrimSuffix(e.path, "/*")
	dir, name := path.Split(p)
	if e.recursive && slices.Contains(w.facts.Folders(), path.Clean(dir)) && slices.Contains(sourceDirs, name) {
		return true
	}
	return manySources(e.path)
}

// manySources is a glob over the files of a language, but not over those that
// a tool generates (*.pb.go, *.d.ts) or in a folder of build output.
func manySources(p string) bool {
	rest, glob := strings.CutPrefix(path.Base(p), "*")
	if !glob {
		return false
	}
	for _, dir := range strings.Split(path.Dir(p), "/") {
		if slices.Contains([]string{"dist", "build", "out", "target", "tmp", "generated", "gen", "node_modules", "coverage", "vendor", ".cache"}, dir) {
			return false
		}
	}
	for _, test := range [...]string{".test", ".spec", "_test"} {
		rest = strings.TrimPrefix(rest, test)
	}
	return slices.Contains(sourceEndings, rest)
}

func mirrors(w *walker, e *effect) bool {
	if e.kind != kindExec || e.name != "rsync" {
		return false
	}
	opts, operands := specs()["rsync"].options(e.args)
	deletes := slices.ContainsFunc(opts, func(o option) bool { return o.name == "--del" || strings.HasPrefix(o.name, "--delete") })
	if !deletes || anyOption(opts, "-n", "--dry-run") || len(operands) < 2 {
		return false
	}
	for _, cwd := range w.dirs {
		to := w.locateFrom(cwd, operands[len(operands)-1].text)
		if !to.unknown && slices.ContainsFunc(w.facts.Folders(), func(f string) bool { return below(to.path, f) }) {
			return true
		}
	}
	return false
}
