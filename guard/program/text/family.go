package text

import (
	"github.com/pillion-sidecar/pillion/guard/program/run"
	"github.com/pillion-sidecar/pillion/guard/shell"
)

// Family is what prints, filters and edits text.
func Family() run.Family {
	return run.Family{
		Does: map[string]shell.Handler{
			"cat": cat, "tee": tee, "sponge": tee, "ls": ls, "sed": sed, "gsed": sed, "awk": awk, "gawk": awk, "mawk": awk,
			"nawk": awk,
			"jq":   jq, "gojq": jq, "grep": search, "egrep": search, "fgrep": search, "rg": search, "ag": search,
			"cut": cutNames,
			"zip": pack, "patch": patch,
			"history": printsHistory, "fc": printsHistory,
		},
		Kinds:  map[string]run.Kind{"vim": vimCommand, "plus": plusCommand, "elisp": elisp},
		Prints: printedBy,
	}
}
