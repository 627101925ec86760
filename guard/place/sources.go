package place

import (
	"path"
	"slices"
	"strings"
)

// sourceEndings are files that people write. JavaScript is not among them: it is
// compiled to as often as written.
var sourceEndings = []string{
	".go", ".ts", ".tsx", ".py", ".rs", ".java", ".kt", ".c", ".cc", ".cpp", ".h", ".hpp",
	".rb", ".php", ".cs", ".swift", ".scala", ".ex", ".vue", ".svelte", ".sql",
}

// ManySources is a glob over the files of a language, but not over those that
// a tool generates (*.pb.go, *.d.ts) or in a folder of build output.
func ManySources(p string) bool {
	rest, glob := strings.CutPrefix(path.Base(p), "*")
	if !glob {
		return false
	}
	for _, dir := range strings.Split(path.Dir(p), "/") {
		if slices.Contains([]string{
			"dist", "build", "out", "target", "tmp", "generated", "gen", "node_modules", "coverage",
			"vendor", ".cache",
		}, dir) {
			return false
		}
	}
	for _, test := range [...]string{".test", ".spec", "_test"} {
		rest = strings.TrimPrefix(rest, test)
	}
	return slices.Contains(sourceEndings, rest)
}
