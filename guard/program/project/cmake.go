package project

import (
	"slices"
	"strings"

	"github.com/pillion-sidecar/pillion/guard/argv"
	"github.com/pillion-sidecar/pillion/guard/effect"
	"github.com/pillion-sidecar/pillion/guard/program/run"
	"github.com/pillion-sidecar/pillion/guard/shell"
)

// madeLists judges the commands in CMake files that this command wrote: those of
// execute_process run while cmake reads them, the others while it builds.
func madeLists(w *shell.Walker, st *shell.State, args []effect.Arg) {
	files := argv.Values(args, "-P", "-C")
	for file := range w.Made {
		if strings.HasSuffix(file, "/CMakeLists.txt") {
			files = append(files, w.Here(file))
		}
	}
	slices.SortFunc(files, func(a, b effect.Arg) int { return strings.Compare(a.Text, b.Text) })
	for _, file := range files {
		for _, s := range w.Contents(st, file.Text) {
			for rest := s.Text; w.Spend(1); {
				_, after, ok := strings.Cut(rest, "COMMAND ")
				if !ok {
					break
				}
				command, _, _ := strings.Cut(after, ")")
				if strings.ContainsAny(command, "$") { // its variables, and $<…>
					w.RunWords(st, "cmake COMMAND", file.Tail(command))
				} else {
					w.Code(st.Clone(), "cmake COMMAND", file.Tail(command), w.Lang, effect.Stream{})
				}
				rest = after
			}
		}
	}
}

// cmakeVariable is -DNAME:TYPE=VALUE. Some are programs that the build starts before, or in
// place of, what it builds; their words are joined by semicolons.
func cmakeVariable(w *shell.Walker, st *shell.State, construct string, a effect.Arg) {
	name, value, _ := strings.Cut(a.Text, "=")
	name, _, _ = strings.Cut(name, ":")
	command := strings.ReplaceAll(value, ";", " ")
	starts := effect.Ends(name, `_LAUNCHER _CLANG_TIDY _CPPCHECK _CPPLINT _INCLUDE_WHAT_YOU_USE _EMULATOR
		_LAUNCH_COMPILE _LAUNCH_LINK _LAUNCH_CUSTOM`)
	if starts || strings.Contains(command, " ") && effect.Ends(name, "_COMPILER _LINKER _MAKE_PROGRAM _EXECUTABLE") {
		run.Value(w, st, "build", construct+" "+name, a.Tail(command))
	}
}
