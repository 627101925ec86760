package journal

import (
	"bytes"
	"strconv"
	"strings"

	"golang.org/x/sys/unix"
)

// attributes are the extended attributes of what is open, as names and values in quotes.
func attributes(file int) string {
	n, _ := unix.Flistxattr(file, nil) // nothing, where it is not known
	names := make([]byte, max(n, 0))
	n, err := unix.Flistxattr(file, names)
	if err != nil || n == 0 {
		return ""
	}
	var text, value []byte
	for key := range bytes.SplitSeq(names[:n-1], []byte{0}) {
		if value == nil {
			value = make([]byte, 1<<16) // XATTR_SIZE_MAX
		}
		if n, err := unix.Fgetxattr(file, string(key), value); err == nil {
			text = strconv.AppendQuoteToASCII(text, string(key))
			text = strconv.AppendQuoteToASCII(text, string(value[:n]))
		}
	}
	return string(text)
}

// setAttributes gives them to another file, where the user may.
func setAttributes(file int, text string) {
	for text != "" {
		var pair [2]string
		for i := range pair {
			quoted, err := strconv.QuotedPrefix(text)
			if err != nil {
				return
			}
			pair[i], _ = strconv.Unquote(quoted) // QuotedPrefix has seen that it is one
			text = strings.TrimPrefix(text[len(quoted):], " ")
		}
		_ = unix.Fsetxattr(file, pair[0], []byte(pair[1]), 0)
	}
}
