package guard

import (
	"path"
	"slices"
	"strings"
)

// maxContents bounds what is remembered of one file.
const maxContents = 8

// keep remembers what a command writes to files: `echo 'rm -rf /' > x; sh x` is
// `sh -c 'rm -rf /'`. A later write adds a content and takes none away, because
// branches, loops and background jobs may leave either.
func (w *walker) keep(st *state, files []arg, s stream, add bool) {
	for _, f := range files {
		if sink, ok := w.sinks[f.text]; ok {
			if w.deeper() {
				sink(through(s))
				w.nested--
			}
			continue
		}
		for _, key := range w.keys(st, f.text) {
			w.remember(key, s, add)
		}
	}
}

func (w *walker) remember(key string, s stream, add bool) {
	known := w.made[key]
	if s.text == unknown && !foreign(s.from) && (!add || len(known) == 0) {
		return // as good as any other file
	}
	if !w.spend(1 + len(s.text)/256) {
		return
	}
	if w.made == nil {
		w.made = map[string][]stream{}
	}
	s.open, s.file, s.pos = true, false, nil
	if add && len(known) > 0 {
		s = then(known[len(known)-1], s)
	}
	if len(known) >= maxContents {
		known = known[1:]
	}
	w.made[key] = append(slices.Clip(known), s)
}

// contents are what the command may have written to the file a word names.
func (w *walker) contents(st *state, text string) []stream {
	if s, ok := w.pipes[text]; ok {
		return []stream{s}
	}
	for _, dir := range [...]string{"/dev/fd/", "/proc/self/fd/"} { // sh /dev/fd/3 3<<< …
		if fd, ok := strings.CutPrefix(text, dir); ok && w.fds[fd].open {
			return []stream{w.fds[fd]}
		}
	}
	if len(w.made) == 0 {
		return nil
	}
	var out []stream
	for _, key := range w.keys(st, text) {
		out = append(out, w.made[key]...)
		if !strings.ContainsAny(key, "*?[") || !w.spend(1+len(w.made)*(1+len(key)/64)/16) {
			continue
		}
		for name, made := range w.made { // sh *.sh
			if ok, err := path.Match(key, name); ok && err == nil && name != key {
				out = append(out, made...)
			}
		}
	}
	return out
}

// content is contents as one stream, for what is read and not run.
func (w *walker) content(st *state, text string) (stream, bool) {
	all := w.contents(st, text)
	if len(all) == 0 {
		return stream{}, false
	}
	s := all[len(all)-1]
	for _, other := range all[:len(all)-1] {
		s = either(s, other)
	}
	return s, true
}

// keys are the places a word may name; one that is unknown is known by the word.
func (w *walker) keys(st *state, text string) []string {
	if text == "" || len(text) > maxPath {
		return nil
	}
	var out []string
	for _, cwd := range st.cwds {
		if !w.spend(1) {
			break
		}
		p := w.locateFrom(cwd, text)
		key := p.path
		if p.unknown {
			key = text
		}
		if !slices.Contains(out, key) {
			out = append(out, key)
		}
	}
	return out
}

// transfer lets contents follow files that are copied, moved or linked.
func (w *walker) transfer(st *state, name string, args []arg) {
	if !slices.Contains([]string{"cp", "mv", "install", "ln"}, name) {
		return
	}
	values, operands, _ := specs()[name].split(args)
	var into *arg
	for i := range values {
		if values[i].role == write {
			into = &values[i].arg
		}
	}
	if n := len(operands); into == nil && n > 1 {
		into = &operands[n-1].arg
		operands = operands[:n-1]
	}
	if into == nil {
		return
	}
	for _, o := range operands {
		contents := w.contents(st, o.text)
		if strings.HasPrefix(o.text, "/") && w.trusted(o.text, o.text) { // cp /bin/rm ./x; ./x -rf /
			contents = append(contents, stream{text: "#!" + o.text + "\n"})
		}
		for _, s := range contents {
			inside := *into
			inside.text = strings.TrimSuffix(into.text, "/") + "/" + base(o.text)
			w.keep(st, []arg{*into, inside}, s, false)
		}
	}
}
