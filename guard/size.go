package guard

import (
	"slices"
	"strconv"
	"strings"
)

// floods is writing without an end, or beyond maxFile.
func floods(_ *walker, e *effect) bool {
	if e.kind == kindBomb && e.name == endlessWrite {
		return true
	}
	switch {
	case e.runs("dd"):
		return ddFloods(e.args)
	case e.runs("fallocate", "truncate", "mkfile"):
		opts, operands := sizeSpec.options(e.args)
		limit := int64(maxFile)
		if e.name == "truncate" { // it makes a file with a hole, which takes no room
			limit *= 100
		}
		for _, o := range opts {
			if named(o, "-l", "--length", "-s", "--size") && size(o.value.text) > limit {
				return true
			}
		}
		return e.name == "mkfile" && len(operands) > 0 && size(operands[0].text) > limit
	case e.runs("head"):
		opts, operands := sizeSpec.options(e.args)
		endless := anyText(operands, endlessDevice)
		return endless && slices.ContainsFunc(opts, func(o option) bool { return named(o, "-c", "--bytes") && size(o.value.text) > maxFile })
	}
	return false
}

var sizeSpec = newSpec(":::", "-l: --length: -s: --size: -c: --bytes: -n: --lines:")

// maxFile is the largest file that a test needs.
const maxFile = 64 << 30

func endlessDevice(p string) bool {
	return p == "/dev/zero" || p == "/dev/urandom" || p == "/dev/random" || p == "/dev/full"
}

func ddFloods(args []arg) bool {
	from, block, count, file := "", int64(512), int64(-1), false
	for _, a := range args {
		switch key, value, _ := strings.Cut(a.text, "="); key {
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
	if !endlessDevice(from) || !file {
		return false
	}
	return count < 0 || block > 0 && count > maxFile/block
}

// size reads 10M, 2G, 4kB; 0 when it is none, or only known at run time.
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
