package judge

import "fmt"

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
	return "", fmt.Errorf("there is no dialect %q: posix (any /bin/sh), bash, powershell or cmd", name)
}
