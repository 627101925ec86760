package wintoken

import (
	"errors"
	"strings"
	"syscall"
	"testing"
	"unicode/utf16"
)

func TestEnvironmentBlocks(t *testing.T) {
	for _, c := range []struct {
		name string
		env  []string
		want string // with | for each zero
	}{
		{"none", nil, "||"},
		{"sorted as upper case", []string{"b=2", "A=1", "_x=", "C=3"}, "A=1|b=2|C=3|_x=||"},
		{"the last of names that differ in case", []string{"Path=a", "PATH=b", "path=c"}, "path=c||"},
		{"a drive's directory", []string{`=C:=C:\x`, "A=="}, `=C:=C:\x|A==||`},
		{"more than ASCII", []string{"Ü=ß", "ü=é", "A=😀"}, "A=😀|ü=é||"},
	} {
		got, err := EnvironmentBlock(c.env)
		if text := strings.ReplaceAll(string(utf16.Decode(got)), "\x00", "|"); err != nil || text != c.want {
			t.Errorf("%s: %q %v, want %q", c.name, text, err, c.want)
		}
	}
}

// A zero would end the block early and hide what follows from a check.
func TestAnEnvironmentThatIsNoneIsRefused(t *testing.T) {
	for _, kv := range []string{"A", "", "=", "A=\x00B=1", "=x"} {
		if _, err := EnvironmentBlock([]string{"B=1", kv}); !errors.Is(err, syscall.EINVAL) {
			t.Errorf("%q: %v", kv, err)
		}
	}
}

func TestBatchFilesAreKnownInEverySpelling(t *testing.T) {
	for program, want := range map[string]bool{
		`C:\x\npm.cmd`: true, `C:\x\A.BAT`: true, `C:\x\a.bat. .`: true, `C:\x\a.cmd::$DATA`: true, "C:/x/a.Cmd ": true,
		`C:\x\a.exe`: false, `C:\a.bat\b.exe`: false, `C:\x\bat`: false, `C:\x\a.batch`: false,
	} {
		if BatchFile(program) != want {
			t.Errorf("%q: %v", program, !want)
		}
		if errno := CheckProgram(program, []string{"x", `"&calc`}, nil); errno == syscall.ENOEXEC != want {
			t.Errorf("%q: %v", program, errno)
		}
	}
	for _, c := range [][3][]string{{{"x"}, nil, nil}, {{"x\x00"}, {"x"}, nil}, {{"x"}, {"a\x00b"}, nil}, {{"x"}, {"x"}, {"A=\x00"}}} {
		if errno := CheckProgram(c[0][0], c[1], c[2]); errno != syscall.EINVAL {
			t.Errorf("%q: %v", c, errno)
		}
	}
}

func TestPlainPaths(t *testing.T) {
	for final, want := range map[string]string{
		`\\?\C:\x`: `C:\x`, `\\?\UNC\server\share\x`: `\\server\share\x`, `\\?\Volume{1}\x`: `\\?\Volume{1}\x`, `C:\x`: `C:\x`,
	} {
		if got := PlainPath(final); got != want {
			t.Errorf("%s: %s", final, got)
		}
	}
}

func TestACommandLineHasAnEnd(t *testing.T) {
	if TooLong(make([]uint16, 32767)) || !TooLong(make([]uint16, 32768)) {
		t.Error("CreateProcess takes 32767 units, the zero included")
	}
}

func TestKernelPaths(t *testing.T) {
	for path, want := range map[string]string{
		`C:\x`: `\??\C:\x`, `\\server\share\x`: `\??\UNC\server\share\x`, `\\?\C:\x`: `\??\C:\x`, `\\?\UNC\s\t`: `\??\UNC\s\t`,
	} {
		if got := ntPath(path); got != want {
			t.Errorf("%s: %s", path, got)
		}
	}
}
