package wintoken

import (
	"path"
	"strings"
	"syscall"
)

// mostCommandLine is what CreateProcess takes, in UTF-16 units with the zero.
const mostCommandLine = 32767

// TooLong says that CreateProcess does not take a command line.
func TooLong(line []uint16) bool { return len(line) > mostCommandLine }

// BatchFile says that Windows would start cmd.exe for a program. cmd.exe reads its
// arguments by rules of its own, so that one of them may be a command:
// `x.bat "&calc"` (CVE-2024-24576). NTFS drops blanks and dots at the end of a name,
// and after a colon is a stream's.
func BatchFile(program string) bool {
	name := path.Base(strings.ReplaceAll(program, `\`, "/"))
	name, _, _ = strings.Cut(name, ":")
	name = strings.ToLower(strings.TrimRight(name, " ."))
	return strings.HasSuffix(name, ".bat") || strings.HasSuffix(name, ".cmd")
}

// CheckProgram refuses what must not be handed to CreateProcess.
func CheckProgram(program string, argv, env []string) syscall.Errno {
	switch {
	case len(argv) == 0 || strings.ContainsRune(program+strings.Join(argv, "")+strings.Join(env, ""), 0):
		return syscall.EINVAL
	case BatchFile(program):
		return syscall.ENOEXEC
	}
	return 0
}

// ntPath is an absolute path as the kernel takes it, with nothing left to read.
func ntPath(abs string) string {
	for _, prefix := range []string{`\\?\`, `\\.\`} {
		if rest, ok := strings.CutPrefix(abs, prefix); ok {
			return `\??\` + rest
		}
	}
	if rest, ok := strings.CutPrefix(abs, `\\`); ok {
		return `\??\UNC\` + rest
	}
	return `\??\` + abs
}

// PlainPath is a final path of the system's without its prefix, as programs expect
// their current directory; one that only exists with the prefix is left alone.
func PlainPath(final string) string {
	if rest, ok := strings.CutPrefix(final, `\\?\UNC\`); ok {
		return `\\` + rest
	}
	if rest, ok := strings.CutPrefix(final, `\\?\`); ok && len(rest) > 2 && rest[1] == ':' {
		return rest
	}
	return final
}
