package files

import (
	"slices"
	"strconv"
	"strings"

	"github.com/pillion-sidecar/pillion/guard/argv"
	"github.com/pillion-sidecar/pillion/guard/effect"
	"github.com/pillion-sidecar/pillion/guard/place"
	"github.com/pillion-sidecar/pillion/guard/shell"
)

// floods is writing without an end, or beyond maxFile.
func floods(_ *shell.Walker, e *effect.Effect) bool {
	switch {
	case e.Runs("dd"):
		return ddFloods(e.Args)
	case e.Runs("fallocate", "truncate", "mkfile"):
		opts, operands := sizeSpec.Options(e.Args)
		limit := int64(maxFile)
		if e.Name == "truncate" { // it makes a file with a hole, which takes no room
			limit *= 100
		}
		for _, o := range opts {
			if argv.Named(o, "-l", "--length", "-s", "--size") && size(o.Value.Text) > limit {
				return true
			}
		}
		return e.Name == "mkfile" && len(operands) > 0 && size(operands[0].Text) > limit
	case e.Runs("head"):
		opts, operands := sizeSpec.Options(e.Args)
		endless := argv.AnyText(operands, place.EndlessDevice)
		return endless && slices.ContainsFunc(opts, func(o argv.Option) bool {
			return argv.Named(o, "-c", "--bytes") && size(o.Value.Text) > maxFile
		})
	}
	return false
}

var sizeSpec = argv.New(":::", "-l: --length: -s: --size: -c: --bytes: -n: --lines:")

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
