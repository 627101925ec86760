package place

import (
	"strings"
	"sync"
)

// AsksPassword reports the prompt of a password that is not this command's.
func AsksPassword(prompt string) bool {
	prompt = strings.ToLower(prompt)
	return strings.Contains(prompt, "password") && (strings.Contains(prompt, "sudo") ||
		strings.Contains(prompt, "login") || strings.Contains(prompt, "for ") || strings.Contains(prompt, "your "))
}

// Loaders are variables that make programs load or run code when they start.
// ENV is not one: plain sh reads it only when interactive, and people mean "production".
var Loaders = sync.OnceValue(func() map[string]bool {
	return map[string]bool{
		"LD_PRELOAD": true, "LD_AUDIT": true, "DYLD_INSERT_LIBRARIES": true, "BASH_ENV": true, "PROMPT_COMMAND": true,
	}
})
