package wintoken

import (
	"cmp"
	"slices"
	"strings"
	"syscall"
	"unicode"
	"unicode/utf16"
)

// EnvironmentBlock is what CreateProcess takes: NAME=value texts in UTF-16, each ended by
// a zero, sorted by name in upper case, a zero at the end. Of names that differ in case
// only the last one counts; two of them would be one variable to some programs and another
// to others, and a check made by one of these would not hold for the next. Errors:
// syscall.EINVAL for an invalid name, or a zero within a text.
func EnvironmentBlock(env []string) ([]uint16, error) {
	values := map[string]string{}
	for _, kv := range env {
		name, _, ok := cutVariable(kv)
		if !ok || strings.ContainsRune(kv, 0) {
			return nil, syscall.EINVAL
		}
		values[upperName(name)] = kv
	}
	names := make([]string, 0, len(values))
	for name := range values {
		names = append(names, name)
	}
	slices.SortFunc(names, func(a, b string) int {
		return cmp.Or(slices.Compare(utf16.Encode([]rune(a)), utf16.Encode([]rune(b))))
	})
	var block []uint16
	for _, name := range names {
		block = append(append(block, utf16.Encode([]rune(values[name]))...), 0)
	}
	if len(block) == 0 {
		block = append(block, 0) // an empty block has both zeros, too
	}
	return append(block, 0), nil
}

// cutVariable knows of names that begin with "=": cmd.exe keeps a directory for each
// drive in them.
func cutVariable(kv string) (name, value string, ok bool) {
	if len(kv) < 2 {
		return "", "", false
	}
	i := strings.IndexByte(kv[1:], '=') + 1
	if i == 0 {
		return "", "", false
	}
	return kv[:i], kv[i+1:], true
}

func upperName(name string) string { return strings.Map(unicode.ToUpper, name) }
