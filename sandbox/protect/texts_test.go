package protect

import (
	"strings"
	"testing"
)

func TestModulesOfACommand(t *testing.T) {
	const plain = "[submodule \"lib/x\"]\n\tpath = lib/x\n\turl = https://example.org/x.git\n"
	for text, fine := range map[string]bool{
		plain:                           true,
		plain + "\tbranch = main\n":     true,
		plain + "\tupdate = !touch x\n": false,
		strings.ReplaceAll(plain, "lib/x", "../x"):             false,
		strings.Replace(plain, "= lib/x", "= /x", 1):           false,
		strings.Replace(plain, "= lib/x", "= -x", 1):           false,
		strings.Replace(plain, "https://", "ext::sh -c ", 1):   false,
		strings.Replace(plain, "https://", "ssh://-oProxy", 1): false,
		plain + "[core]\n\tfsmonitor = x\n":                    false,
	} {
		if err := JudgeModules("", text); (err == nil) != fine {
			t.Errorf("%q: %v", text, err)
		}
	}
}
