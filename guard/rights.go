package guard

import (
	"slices"
	"strings"
)

// setsRights is chmod with a setuid bit, and setcap. A setgid directory only
// says whose group new files get.
func setsRights(_ *walker, e *effect) bool {
	switch {
	case e.runs("setcap"):
		return !flagged(e.args, "-r", "-v")
	case e.runs("install"):
		return anyText(e.args, func(s string) bool { return len(s) == 4 && s[0] >= '4' && s[0] <= '7' && octal(s) })
	case !e.runs("chmod"):
		return false
	}
	_, operands := bareSpec.options(e.args)
	if len(operands) == 0 {
		return false
	}
	for mode := range strings.SplitSeq(operands[0].text, ",") {
		if octal(mode) && len(mode) >= 4 && mode[len(mode)-4]-'0' >= 4 {
			return true
		}
		if who, perms, ok := cutAny(mode, "+="); ok && strings.Contains(perms, "s") && (who == "" || strings.ContainsAny(who, "ua")) {
			return true
		}
	}
	return false
}

func octal(s string) bool { return s != "" && strings.Trim(s, "01234567") == "" }

func cutAny(s, chars string) (before, after string, ok bool) {
	i := strings.IndexAny(s, chars)
	if i < 0 {
		return s, "", false
	}
	return s[:i], s[i+1:], true
}

// opensAll is chmod and chown over a tree, to everyone, to nobody or to root.
func opensAll(_ *walker, e *effect) bool {
	found := slices.ContainsFunc(e.via, func(l Link) bool { return strings.HasPrefix(l.Construct, "find ") || l.Construct == "xargs" })
	if !e.runs("chmod", "chown", "chgrp") || !found && !flagged(e.args, "-R", "--recursive") {
		return false
	}
	operands := skipModes(e.args)
	if len(operands) == 0 {
		return false
	}
	if e.name != "chmod" {
		owner, _, _ := strings.Cut(operands[0], ":")
		return owner == "root" || owner == "0" || owner == "nobody"
	}
	for mode := range strings.SplitSeq(operands[0], ",") {
		if octal(mode) {
			others := mode[len(mode)-1]
			return others == '7' || others == '6' || others == '3' || others == '2' || strings.Trim(mode, "0") == ""
		}
		if who, perms, ok := cutAny(mode, "+="); ok && strings.Contains(perms, "w") && strings.ContainsAny(who, "ao") {
			return true
		}
		if who, perms, ok := cutAny(mode, "-"); ok && (who == "" || strings.Contains(who, "a") || strings.Contains(who, "u")) && strings.ContainsAny(perms, "rx") {
			return true
		}
	}
	return false
}

// skipModes is the operands of chmod: `-R`, but not the mode `-w`.
func skipModes(args []arg) []string {
	var out []string
	for _, a := range args {
		if !strings.HasPrefix(a.text, "-") || len(a.text) > 1 && strings.Trim(a.text[1:], "rwxXst") == "" {
			out = append(out, a.text)
		}
	}
	return out
}
