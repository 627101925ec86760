//go:build !unix

package cli

import "os"

// columns: a console may not know escape sequences, so there is no terminal here.
func columns(*os.File) (n int, ok bool) { return 0, false }

func foreground(*os.File) bool { return false }
