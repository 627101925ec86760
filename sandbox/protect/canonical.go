package protect

import (
	"strings"
	"unicode"
)

// One file has many spellings on file systems that fold case, drop invisible characters,
// or keep short names for old programs (CVE-2014-9390 and CVE-2019-1353 in git,
// CVE-2025-59944 in an editor). Names are always compared in the loosest of these ways:
// which one a mounted file system uses can't be asked.

// FreshSuffix is the end of a name that is about to replace another one.
const FreshSuffix = ".pillion"

// PlainNames are files that git reads wherever they are. gitignore(5), gitattributes(5),
// gitmailmap(5)
var PlainNames = map[string]bool{".gitignore": true, ".gitattributes": true, ".mailmap": true}

// Canonical is the spelling all of a name's aliases share. A file that is about to take a
// protected name is protected like it: a descriptor outlives a rename.
func Canonical(name string) string {
	if i := len(name) - len(FreshSuffix); i > 0 && strings.EqualFold(name[i:], FreshSuffix) {
		name = name[:i]
	}
	if i := strings.IndexByte(name, ':'); i > 0 {
		name = name[:i] // an NTFS stream: .git::$INDEX_ALLOCATION
	}
	name = ligatures.Replace(strings.Map(foldRune, name))
	return strings.TrimRight(name, ". ") // NTFS drops them
}

// ligatures are the letters that ext4's casefold and APFS take for two or three of
// ASCII (CaseFolding.txt, status F): .git/config has one.
var ligatures = strings.NewReplacer("ß", "ss", "ẞ", "ss", "ﬀ", "ff", "ﬁ", "fi", "ﬂ", "fl", "ﬃ", "ffi", "ﬄ", "ffl", "ﬅ", "st", "ﬆ", "st")

// foldRune folds case the simple way and drops what HFS+ and ext4's casefold
// ignore.
func foldRune(r rune) rune {
	if r < 0x80 {
		return unicode.ToLower(r)
	}
	if unicode.Is(unicode.Other_Default_Ignorable_Code_Point, r) || unicode.Is(unicode.Cf, r) || unicode.Is(unicode.Variation_Selector, r) {
		return -1
	}
	least := r
	for f := unicode.SimpleFold(r); f != r; f = unicode.SimpleFold(f) {
		least = min(least, f)
	}
	return unicode.ToLower(least) // the Kelvin sign is a k, the long s an s
}

// Matches compares a canonical name with a protected one and with its short
// form: GIT~1 is .git on NTFS.
func Matches(name, protected string) bool {
	return name == protected || strings.IndexByte(name, '~') > 0 && isShortFor(name, protected)
}

func isShortFor(name, protected string) bool {
	stem, _, _ := strings.Cut(strings.TrimLeft(protected, "."), ".")
	stem = stem[:min(len(stem), 6)]
	rest, ok := strings.CutPrefix(name, stem+"~")
	number, _, _ := strings.Cut(rest, ".")
	return ok && number != "" && strings.Trim(number, "0123456789") == ""
}
