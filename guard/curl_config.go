package guard

import "strings"

// curlConfig judges the options in a configuration that the command itself
// writes: curl reads one option a line, with or without dashes.
func (w *walker) curlConfig(st *state, file arg, in stream) {
	for _, s := range w.configTexts(st, file, in) {
		words := []arg{{text: "curl", index: file.index, span: file.span}}
		for line := range strings.SplitSeq(s.text, "\n") {
			if !w.spend(1) {
				return
			}
			name, value := configLine(line)
			if name == "" || name == "--config" || name == "-K" {
				continue
			}
			words = append(words, arg{text: name, index: file.index, span: file.span})
			if value != "" {
				words = append(words, arg{text: value, index: file.index, span: file.span, from: s.from})
			}
		}
		if len(words) > 1 && w.deeper() {
			w.run(st, words, in)
			w.nested--
		}
	}
}

// configTexts is what stands in the file: the input for "-", or what the command
// wrote there.
func (w *walker) configTexts(st *state, file arg, in stream) []stream {
	if standard(file.text) {
		return []stream{in}
	}
	return w.contents(st, file.text)
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
