package guard

import (
	"path"
	"strings"
)

// windowsPaths judges one word as a path of a Windows shell. On a machine where
// such paths mean something else, an absolute one lies outside by its letter.
func (w *walker) windowsPaths(st *state, e effect, a arg) {
	text := strings.ReplaceAll(a.text, `\`, "/")
	for _, provider := range [...]string{"microsoft.powershell.core/filesystem::", "filesystem::"} {
		if len(text) > len(provider) && strings.EqualFold(text[:len(provider)], provider) {
			text = text[len(provider):]
		}
	}
	lower := strings.ToLower(text)
	switch {
	case text == "" || lower == "nul" || lower == "con" || lower == "$null" || registry(lower) || strings.HasPrefix(lower, "env:"):
		return
	case text == "~" || strings.HasPrefix(text, "~/"):
		text = orElse(w.home, unknown) + text[1:]
	}
	a.text, a.exact = text, false
	if !drive(text) && !strings.HasPrefix(text, "//") {
		w.paths(st, e, a)
		return
	}
	e.path, e.text, e.unknown = path.Clean(strings.ReplaceAll(text, unknown, "*")), text, false
	e.inside = w.onDrive(e.path)
	w.emitAt(a, e)
}

// drive reports C:, C:\x and C:x.
func drive(s string) bool {
	return len(s) >= 2 && s[1] == ':' && (s[0]|0x20 >= 'a' && s[0]|0x20 <= 'z')
}

// onDrive compares an absolute Windows path with the workspace, in any case.
func (w *walker) onDrive(p string) bool {
	for _, f := range w.facts.Folders() {
		f = strings.ReplaceAll(f, `\`, "/")
		if strings.EqualFold(p, f) || len(p) > len(f) && strings.EqualFold(p[:len(f)], f) && p[len(f)] == '/' {
			return true
		}
	}
	return false
}

// registry reports a path of PowerShell's registry drives.
func registry(lower string) bool {
	return strings.HasPrefix(lower, "hklm:") || strings.HasPrefix(lower, "hkcu:") || strings.HasPrefix(lower, "registry::") || strings.HasPrefix(lower, "hkcr:")
}
