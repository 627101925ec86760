package lang

import (
	"strings"

	"github.com/pillion-sidecar/pillion/guard/effect"
)

// tcl judges exec, spawn and system; in Tcl every line is a list of words.
func (s *script) tcl(text string) {
	for line := range strings.SplitSeq(strings.NewReplacer("[", "\n", "]", "\n", ";", "\n").Replace(text), "\n") {
		words := strings.Fields(line)
		if len(words) < 2 || !s.w.Spend(1) {
			continue
		}
		switch words[0] {
		case "exec", "spawn", "system":
			for len(words) > 2 && strings.HasPrefix(words[1], "-") {
				words = words[1:]
			}
			quoted := strings.NewReplacer("{", "'", "}", "'").Replace(strings.Join(words[1:], " "))
			s.shell("tcl "+words[0], textValue(quoted))
		case "open":
			if cmd, ok := strings.CutPrefix(strings.Trim(words[1], `"{}`), "|"); ok {
				s.shell("tcl open", textValue(cmd))
			}
		case "source":
			s.path(effect.Read, textValue(words[1]))
		}
		if words[0] == "file" && words[1] == "delete" && len(words) > 2 {
			s.path(effect.Delete, textValue(words[len(words)-1]))
		}
	}
}
