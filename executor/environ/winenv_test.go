package environ

import (
	"maps"
	"testing"
)

func TestTheEnvironmentOfWindows(t *testing.T) {
	for _, c := range []struct {
		goos, mode, name string
		want             bool
	}{
		{"windows", "none", "SYSTEMROOT", true},
		{"windows", "none", "PATHEXT", false},
		{"windows", "core", "PATHEXT", true},
		{"windows", "core", "GITHUB_TOKEN", false},
		{"linux", "core", "SYSTEMROOT", false},
		{"windows", "core", "PSMODULEPATH", false},
	} {
		if got := SystemEnv(c.goos, c.mode, c.name); got != c.want {
			t.Errorf("%+v: %v", c, got)
		}
	}
	if Name("windows", "Path") != "PATH" || Name("linux", "Path") != "Path" {
		t.Error("names differ by case on one of them only")
	}
	want := map[string]string{
		"HOME": `D:\s\home`, "TMPDIR": `D:\s\tmp`, "TEMP": `D:\s\tmp`, "TMP": `D:\s\tmp`, "USERPROFILE": `D:\s\home`, "HOMEDRIVE": "D:",
		"HOMEPATH": `\s\home`, "APPDATA": `D:\s\home\AppData\Roaming`, "LOCALAPPDATA": `D:\s\home\AppData\Local`,
	}
	if got := HomeVars("windows", `D:\s\home`, `D:\s\tmp`); !maps.Equal(got, want) {
		t.Errorf("%q", got)
	}
	if got := HomeVars("linux", "/h", "/t"); !maps.Equal(got, map[string]string{"HOME": "/h", "TMPDIR": "/t"}) {
		t.Errorf("%q", got)
	}
}
