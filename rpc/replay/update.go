package replay

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	"github.com/rogpeppe/go-internal/txtar"
)

// edit replaces lines of the scenario file.
type edit struct {
	line, lines int
	text        string
}

// rewrite notes the new text of a ←= whose body did not fit. Whatever part of
// the old body still fits stays as written, so captures and placeholders live on.
func (r *run) rewrite(st statement, w *want, m *Message) error {
	got := m.Result
	switch {
	case w.method != "":
		got = m.Params
	case w.isError && m.Error != nil:
		got = m.Error.Data
	case w.isError || m.Error != nil:
		return errors.New("-update changes bodies, not a result into an error: " + short(m.Raw))
	}
	var have, expanded, written any
	if err := json.Unmarshal(got, &have); err != nil {
		return err
	}
	if json.Unmarshal([]byte(w.pattern), &expanded) != nil || json.Unmarshal([]byte(w.body), &written) != nil {
		expanded, written = nil, nil // nothing to keep
	}
	body, err := json.Marshal(r.keep(written, expanded, have), json.Deterministic(true),
		jsontext.WithIndentPrefix("  "), jsontext.WithIndent("  "))
	if err != nil {
		return err
	}
	head, _, _ := strings.Cut(strings.TrimSuffix(st.text, w.body), "\n")
	text := strings.ReplaceAll(string(body), r.d.Workspace, "$WS")
	r.edits = append(r.edits, edit{st.line, st.lines, strings.TrimSpace(head) + " " + text})
	return nil
}

// keep is have, with the parts of the old body that describe it put back.
func (r *run) keep(written, expanded, have any) any {
	old, isObject := expanded.(map[string]any)
	source, sameShape := written.(map[string]any)
	h, both := have.(map[string]any)
	if isObject && sameShape && both {
		out := map[string]any{}
		for _, name := range slices.Sorted(maps.Keys(h)) {
			out[name] = r.keep(source[name], old[name], h[name])
		}
		return out
	}
	m := &matcher{known: r.vars, kept: vars{}, exact: true}
	if written != nil && m.value("", expanded, have) == nil {
		maps.Copy(r.vars, m.kept)
		return written
	}
	return have
}

// goldens compares workspace files with their golden sections.
func goldens(_ context.Context, r *run, _ []string) error {
	for _, name := range slices.Sorted(maps.Keys(r.s.Goldens)) {
		data, err := os.ReadFile(filepath.Join(r.d.Workspace, filepath.FromSlash(name)))
		if err != nil {
			return err
		}
		if string(data) == r.s.Goldens[name] {
			continue
		}
		if !r.o.Update {
			return fmt.Errorf("%s differs from its golden section: %q", name, data)
		}
		for i, f := range r.s.archive.Files {
			if f.Name == "golden/"+name {
				r.s.archive.Files[i].Data = data
			}
		}
		r.edits = append(r.edits, edit{})
	}
	return nil
}

// saveEdits writes the scenario file anew if anything changed.
func (r *run) saveEdits() error {
	if len(r.edits) == 0 {
		return nil
	}
	for i, f := range r.s.archive.Files {
		if f.Name == "script" {
			r.s.archive.Files[i].Data = r.applyEdits(f.Data)
		}
	}
	return os.WriteFile(r.s.File, txtar.Format(r.s.archive), 0o644)
}

// applyEdits works from the end so that line numbers stay true.
func (r *run) applyEdits(script []byte) []byte {
	lines := bytes.SplitAfter(script, []byte("\n"))
	slices.SortFunc(r.edits, func(a, b edit) int { return b.line - a.line })
	for _, e := range r.edits {
		if i := e.line - r.s.first; e.lines > 0 {
			lines = slices.Replace(lines, i, i+e.lines, []byte(e.text+"\n"))
		}
	}
	return bytes.Join(lines, nil)
}
