package executor

import (
	"encoding/base64"
	"slices"
	"strings"
	"testing"
	"unicode/utf16"

	"github.com/pillion-sidecar/pillion/sandbox"
)

// decodeScript is what PowerShell makes of -EncodedCommand.
func decodeScript(t *testing.T, text string) string {
	t.Helper()
	b, err := base64.StdEncoding.DecodeString(text)
	if err != nil || len(b)%2 != 0 {
		t.Fatalf("%q: %v", text, err)
	}
	units := make([]uint16, len(b)/2)
	for i := range units {
		units[i] = uint16(b[2*i]) | uint16(b[2*i+1])<<8
	}
	return string(utf16.Decode(units))
}

// Whatever a script says, it is one word of the command line and comes out as it
// was.
func TestNoScriptOfPowerShellIsReadOnTheWay(t *testing.T) {
	s := shellCandidates("windows")[0]
	for _, other := range shellCandidates("windows") {
		if argv, same := shellArgv(other, "-Command x"), shellArgv(s, "-Command x"); !slices.Equal(argv[1:], same[1:]) {
			t.Errorf("%q", argv)
		}
	}
	for _, script := range []string{"ls", `echo "a' b"; & 'x'`, "-Command x", `\" & calc`, "a\nb\r\n", "ü 😀 \u2028", "`", `%PATH% $env:X`, strings.Repeat("x", 5000)} {
		argv := shellArgv(s, script)
		want := []string{"powershell", "-NoProfile", "-NonInteractive", "-OutputFormat", "Text", "-EncodedCommand"}
		if len(argv) != 7 || !slices.Equal(argv[:6], want) || strings.Trim(argv[6], "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/=") != "" {
			t.Errorf("%q", argv)
			continue
		}
		text := decodeScript(t, argv[6])
		before, got, ok := strings.Cut(text, "\n")
		if !ok || got != script || before+"\n" != beforeScript || !strings.HasSuffix(before, ";") {
			t.Errorf("%q runs as %q", script, text)
		}
	}
}

func TestProgramsOfWindowsHaveEndings(t *testing.T) {
	for name, want := range map[string][]string{
		"git":     {"git.com", "git.exe", "git.bat", "git.cmd"},
		"GIT.EXE": {"GIT.EXE"}, "npm.cmd": {"npm.cmd"},
		"python3.11": {"python3.11.com", "python3.11.exe", "python3.11.bat", "python3.11.cmd"},
	} {
		if got := programFiles("windows", name); !slices.Equal(got, want) {
			t.Errorf("%s: %q", name, got)
		}
		if got := programFiles("linux", name); !slices.Equal(got, []string{name}) {
			t.Errorf("%s: %q", name, got)
		}
		for _, file := range programFiles("windows", name)[len(programFiles("windows", name))/2:] {
			if strings.HasSuffix(file, ".bat") && !sandbox.BatchFile(file) {
				t.Errorf("%s would be started", file)
			}
		}
	}
	if !mayExecute("windows", 0o666) || mayExecute("linux", 0o666) || !mayExecute("linux", 0o100) {
		t.Error("the permission bit counts where there is one")
	}
}

func TestAPathGetsTheEndingOfItsFile(t *testing.T) {
	there := func(files ...string) func(string) bool {
		return func(f string) bool { return slices.Contains(files, f) }
	}
	for _, c := range []struct {
		goos, program string
		there         []string
		want          string
	}{
		{"windows", `C:\ws\x`, []string{`C:\ws\x.cmd`, `C:\ws\x.exe`}, `C:\ws\x.exe`},
		{"windows", `C:\ws\x`, []string{`C:\ws\x.cmd`}, `C:\ws\x.cmd`}, // to be refused by that name
		{"windows", `C:\ws\x`, []string{`C:\ws\x`, `C:\ws\x.exe`}, `C:\ws\x`},
		{"windows", `C:\ws\x`, nil, `C:\ws\x`},
		{"windows", `C:\ws\x.exe`, []string{`C:\ws\x.exe.exe`}, `C:\ws\x.exe`},
		{"linux", "/ws/x", []string{"/ws/x.exe"}, "/ws/x"},
	} {
		if got := withEnding(c.goos, c.program, there(c.there...)); got != c.want {
			t.Errorf("%+v: %s", c, got)
		}
	}
}
