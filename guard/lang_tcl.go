package guard

import "strings"

// tcl judges exec, spawn and system; in Tcl every line is a list of words.
func (s *script) tcl(text string) {
	for line := range strings.SplitSeq(strings.NewReplacer("[", "\n", "]", "\n", ";", "\n").Replace(text), "\n") {
		words := strings.Fields(line)
		if len(words) < 2 || !s.w.spend(1) {
			continue
		}
		switch words[0] {
		case "exec", "spawn", "system":
			for len(words) > 2 && strings.HasPrefix(words[1], "-") {
				words = words[1:]
			}
			s.shell("tcl "+words[0], textValue(strings.Join(words[1:], " ")))
		case "open":
			if cmd, ok := strings.CutPrefix(strings.Trim(words[1], `"{}`), "|"); ok {
				s.shell("tcl open", textValue(cmd))
			}
		case "source":
			s.path(kindRead, textValue(words[1]))
		}
		if words[0] == "file" && words[1] == "delete" && len(words) > 2 {
			s.path(kindDelete, textValue(words[len(words)-1]))
		}
	}
}
