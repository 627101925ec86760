package net

import (
	"strings"

	"github.com/pillion-sidecar/pillion/guard/effect"
	"github.com/pillion-sidecar/pillion/guard/shell"
)

// curlConfig judges the options in a configuration that the command itself
// writes: curl reads one option a line, with or without dashes.
func curlConfig(w *shell.Walker, st *shell.State, file effect.Arg, in effect.Stream) {
	for _, s := range configTexts(w, st, file, in) {
		words := []effect.Arg{{Text: "curl", Index: file.Index, Span: file.Span}}
		for line := range strings.SplitSeq(s.Text, "\n") {
			if !w.Spend(1) {
				return
			}
			name, value := configLine(line)
			if name == "" || name == "--config" || name == "-K" {
				continue
			}
			words = append(words, effect.Arg{Text: name, Index: file.Index, Span: file.Span})
			if value != "" {
				words = append(words, effect.Arg{Text: value, Index: file.Index, Span: file.Span, From: s.From})
			}
		}
		if len(words) > 1 && w.Deeper() {
			w.Run(st, words, in)
			w.Back()
		}
	}
}

// configTexts is what stands in the file: the input for "-", or what the command
// wrote there.
func configTexts(w *shell.Walker, st *shell.State, file effect.Arg, in effect.Stream) []effect.Stream {
	if shell.Standard(file.Text) {
		return []effect.Stream{in}
	}
	return w.Contents(st, file.Text)
}

func configLine(line string) (name, value string) {
	line = strings.TrimSpace(line)
	if line == "" || line[0] == '#' {
		return "", ""
	}
	i := strings.IndexAny(line, " \t=:")
	if i < 0 {
		i = len(line)
	}
	name, value = line[:i], strings.Trim(strings.TrimLeft(line[i:], " \t=:"), `"`)
	if !strings.HasPrefix(name, "-") {
		name = "--" + name
	}
	return name, value
}
