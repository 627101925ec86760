package inside

import "os"

// Main is never called: no process of ours is in between on Windows.
func Main(string, []string) int { return 2 }

// Exit ends the process.
func Exit(code int) { os.Exit(code) }
