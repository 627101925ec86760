package files

import (
	"slices"
	"strconv"
	"strings"

	"github.com/pillion-sidecar/pillion/guard/argv"
	"github.com/pillion-sidecar/pillion/guard/effect"
	"github.com/pillion-sidecar/pillion/guard/place"
	"github.com/pillion-sidecar/pillion/guard/program"
	"github.com/pillion-sidecar/pillion/guard/program/run"
	"github.com/pillion-sidecar/pillion/guard/shell"
)

// setsRights is chmod with a setuid bit, and setcap. A setgid directory only
// says whose group new files get.
func setsRights(_ *shell.Walker, e *effect.Effect) bool {
	switch {
	case e.Runs("setcap"):
		return !argv.Given(e.Args, "-r", "-v")
	case e.Runs("install"):
		return argv.AnyText(e.Args, func(s string) bool { return len(s) == 4 && s[0] >= '4' && s[0] <= '7' && octal(s) })
	case !e.Runs("chmod"):
		return false
	}
	_, operands := program.BareSpec.Options(e.Args)
	if len(operands) == 0 {
		return false
	}
	for mode := range strings.SplitSeq(operands[0].Text, ",") {
		if octal(mode) && len(mode) >= 4 && mode[len(mode)-4]-'0' >= 4 {
			return true
		}
		if who, perms, ok := cutAny(mode, "+="); ok && strings.Contains(perms, "s") &&
			(who == "" || strings.ContainsAny(who, "ua")) {
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
func opensAll(_ *shell.Walker, e *effect.Effect) bool {
	found := slices.ContainsFunc(e.Via, func(l effect.Link) bool {
		return strings.HasPrefix(l.Construct, "find ") || l.Construct == "xargs"
	})
	if !e.Runs("chmod", "chown", "chgrp") || !found && !argv.Given(e.Args, "-R", "--recursive") {
		return false
	}
	operands := skipModes(e.Args)
	if len(operands) == 0 {
		return false
	}
	if e.Name != "chmod" {
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
		if who, perms, ok := cutAny(mode, "-"); ok && (who == "" || strings.Contains(who, "a") ||
			strings.Contains(who, "u")) && strings.ContainsAny(perms, "rx") {
			return true
		}
	}
	return false
}

// chmod is judged by its model, in which a mode that takes away is no option.
func chmod(w *shell.Walker, st *shell.State, args []effect.Arg, in effect.Stream) effect.Stream {
	args = slices.Clone(args)
	for i := range args {
		if text := args[i].Text; len(text) > 1 && text[0] == '-' && strings.Trim(text[1:], "rwxXst") == "" {
			args[i].Text, args[i].Exact = "a"+text, false
		}
	}
	return run.ByModel(w, st, args, in)
}

// skipModes is the operands of chmod: `-R`, but not the mode `-w`.
func skipModes(args []effect.Arg) []string {
	var out []string
	for _, a := range args {
		if !strings.HasPrefix(a.Text, "-") || len(a.Text) > 1 && strings.Trim(a.Text[1:], "rwxXst") == "" {
			out = append(out, a.Text)
		}
	}
	return out
}

// floods is writing without an end, or beyond maxFile.
func floods(_ *shell.Walker, e *effect.Effect) bool {
	switch {
	case e.Runs("dd"):
		return ddFloods(e.Args)
	case e.Runs("fallocate", "truncate", "mkfile"):
		opts, operands := program.Options("size").Options(e.Args)
		limit := int64(maxFile)
		if e.Name == "truncate" { // it makes a file with a hole, which takes no room
			limit *= 100
		}
		large := func(s string) bool { return size(s) > limit }
		return argv.AnyValue(opts, large, "-l", "--length", "-s", "--size") ||
			e.Name == "mkfile" && len(operands) > 0 && large(operands[0].Text)
	case e.Runs("head"):
		opts, operands := program.Options("size").Options(e.Args)
		return argv.AnyText(operands, place.EndlessDevice) &&
			argv.AnyValue(opts, func(n string) bool { return size(n) > maxFile }, "-c", "--bytes")
	}
	return false
}

// maxFile is the largest file that a test needs.
const maxFile = 64 << 30

func ddFloods(args []effect.Arg) bool {
	from, block, count, file := "", int64(512), int64(-1), false
	for _, a := range args {
		switch key, value, _ := strings.Cut(a.Text, "="); key {
		case "if":
			from = value
		case "of":
			file = value != "/dev/null" && value != "/dev/stdout"
		case "bs", "obs", "ibs":
			block = size(value)
		case "count":
			count = size(value)
		}
	}
	if !place.EndlessDevice(from) || !file {
		return false
	}
	return count < 0 || block > 0 && count > maxFile/block
}

// size reads 10M, 2G, 4kB; 0 for anything else.
func size(s string) int64 {
	digits := strings.TrimLeft(s, "0123456789")
	n, err := strconv.ParseInt(s[:len(s)-len(digits)], 10, 64)
	if err != nil {
		return 0
	}
	shift := 0
	if digits != "" {
		shift = 10 * (1 + strings.IndexByte("KMGTPE", strings.ToUpper(digits)[0]))
	}
	if shift > 0 && n > 1<<62>>shift {
		return 1 << 62
	}
	return n << shift
}
