package judge

import "testing"

// Without a name the text is judged for the shell that exec would start there.
func TestTheDialectIsTheMachines(t *testing.T) {
	for _, tc := range []struct{ goos, name, want string }{
		{"linux", "", "posix"},
		{"darwin", "", "posix"},
		{"windows", "", "powershell"},
		{"windows", "sh", "posix"},
		{"windows", "cmd", "cmd"},
		{"linux", "pwsh", "powershell"},
		{"linux", "bash", "bash"},
	} {
		if got, err := Dialect(tc.goos, tc.name); err != nil || got != tc.want {
			t.Errorf("%s on %s: %s, %v", tc.name, tc.goos, got, err)
		}
	}
	if _, err := Dialect("windows", "fish"); err == nil {
		t.Error("fish is judged as something else")
	}
}
