package place

import (
	"strings"
)

// OptionName reports a file that is named like an option that runs something, for
// a later `tar cf a.tar *` to trip over.
func OptionName(name string) bool {
	for _, option := range []string{
		"--checkpoint-action", "--use-compress-program", "--to-command", "--compress-program",
		"--rsh", "--reference", "-e sh", "-e bash", "--exec", "--files0-from",
	} {
		if strings.HasPrefix(name, option) {
			return true
		}
	}
	return false
}
