package judge

import "github.com/pillion-sidecar/pillion/config"

// Shells are the names that Dialect takes.
var Shells = []string{"posix", "sh", "dash", "bash", "powershell", "pwsh", "cmd"}

// Dialect is the language of a shell of that name; without a name, of the one that exec
// would start.
func Dialect(goos, name string) (string, error) {
	if name == "" && goos == "windows" {
		name = "powershell"
	}
	switch name {
	case "", "posix", "sh", "dash":
		return "posix", nil
	case "bash", "cmd":
		return name, nil
	case "pwsh", "powershell":
		return "powershell", nil
	}
	return "", config.Unknown("dialect", name, Shells)
}
