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
	case text == "" || quiet(lower) || registry(lower) || strings.HasPrefix(lower, "env:"):
		return
	case text == "~" || strings.HasPrefix(text, "~/"):
		text = orElse(w.home, unknown) + text[1:]
	}
	a.text, a.exact = text, false
	if device := path.Base(lower); reserved(strings.TrimRight(device, ":")) {
		e.path, e.text, e.inside, e.unknown = "//./"+device, text, false, false
		w.emitAt(a, e)
		return
	}
	if w.onDrives() || !drive(text) && !strings.HasPrefix(text, "//") {
		w.paths(st, e, a)
		return
	}
	e.path, e.text, e.unknown = path.Clean(strings.ReplaceAll(text, unknown, "*")), text, false
	w.emitAt(a, e)
}

// drive reports C:, C:\x and C:x.
func drive(s string) bool {
	return len(s) >= 2 && s[1] == ':' && (s[0]|0x20 >= 'a' && s[0]|0x20 <= 'z')
}

// quiet reports the names that stand for nothing, and for the console.
func quiet(lower string) bool {
	switch strings.TrimSuffix(strings.TrimPrefix(lower, "//./"), ":") {
	case "nul", "con", "conin$", "conout$", "$null":
		return true
	}
	return false
}

// reserved reports the names of ports, which are no files in whatever directory.
func reserved(lower string) bool {
	if lower == "prn" || lower == "aux" {
		return true
	}
	n := strings.TrimPrefix(strings.TrimPrefix(lower, "com"), "lpt")
	return len(lower) == 4 && len(n) == 1 && '1' <= n[0] && n[0] <= '9'
}

// registry reports a path of PowerShell's registry drives.
func registry(lower string) bool {
	return strings.HasPrefix(lower, "hklm:") || strings.HasPrefix(lower, "hkcu:") || strings.HasPrefix(lower, "registry::") || strings.HasPrefix(lower, "hkcr:")
}
