package run

import (
	"slices"
	"strings"

	"github.com/pillion-sidecar/pillion/guard/argv"
	"github.com/pillion-sidecar/pillion/guard/effect"
	"github.com/pillion-sidecar/pillion/guard/program"
	"github.com/pillion-sidecar/pillion/guard/shell"
)

// PrintsAll reports a program that prints every variable.
func PrintsAll(_ *shell.Walker, e *effect.Effect) bool {
	switch {
	case e.Runs("printenv"):
		_, operands := program.BareSpec.Options(e.Args)
		return len(operands) == 0 && !argv.Given(e.Args, "--help", "--version")
	case e.Runs("set"):
		return len(e.Args) == 0
	case e.Runs("export", "declare", "typeset", "readonly"):
		opts, operands := program.BareSpec.Options(e.Args)
		return len(operands) == 0 && !argv.Any(opts, "-f", "-F") // functions
	case e.Runs("ps"): // without a dash, e is the environment of each process
		return len(e.Args) > 0 && strings.Contains(e.Args[0].Text, "e") &&
			strings.Trim(e.Args[0].Text, "aefhjlmrsuvwxT") == ""
	case e.Runs("env", "genv"):
		return envPrints(e.Args)
	}
	return false
}

// envPrints reports an env that is given no program.
func envPrints(args []effect.Arg) bool {
	values, rest := program.WrapperOf("env").Spec.Leading(args)
	for _, v := range values {
		if slices.Contains([]string{"-i", "-S", "--split-string", "--ignore-environment", "--help", "--version"}, v.Text) {
			return false
		}
	}
	if _, ok := InlineCode("env", args, rest); ok {
		return false
	}
	for len(rest) > 0 && strings.Contains(rest[0].Text, "=") {
		rest = rest[1:]
	}
	return len(rest) == 0 || len(rest) == 1 && rest[0].Text == "-"
}
