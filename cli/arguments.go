package cli

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/pillion-sidecar/pillion/config"
)

// atLeastOne takes arguments that are something, and says what is wanted where there is
// none. An unset variable leaves an empty one.
func atLeastOne(what string) cobra.PositionalArgs {
	return func(c *cobra.Command, args []string) error {
		if len(args) == 0 || len(args) == 1 && args[0] == "" {
			return fmt.Errorf("no %s: %s", what, c.UseLine())
		}
		return nil
	}
}

// atMost takes no more than n arguments.
func atMost(n int) cobra.PositionalArgs {
	return func(c *cobra.Command, args []string) error {
		if len(args) > n {
			return fmt.Errorf("%s doesn't take the argument %.80q; %[1]s --help says what it takes", c.CommandPath(), args[n])
		}
		return nil
	}
}

// one takes exactly one argument.
func one(what string) cobra.PositionalArgs {
	return cobra.MatchAll(atLeastOne(what), atMost(1))
}

// flagError says which flag was probably meant, or what one takes.
func flagError(c *cobra.Command, err error) error {
	if unknown := new(pflag.NotExistError); errors.As(err, &unknown) {
		var names []string
		c.Flags().VisitAll(func(f *pflag.Flag) { names = append(names, f.Name) })
		if near := config.Nearest(unknown.GetSpecifiedName(), names); near != "" {
			return fmt.Errorf("%w; did you mean --%s?", err, near)
		}
		return fmt.Errorf("%w; %s --help lists the flags", err, c.CommandPath())
	}
	if invalid := new(pflag.InvalidValueError); errors.As(err, &invalid) {
		takes := map[string]string{
			"duration": "a duration such as 90s or 10m", "int": "a whole number", "int64": "a whole number", "intSlice": "whole numbers", "bool": "true or false",
		}[invalid.GetFlag().Value.Type()]
		if takes == "" {
			takes = errors.Unwrap(err).Error()
		}
		return mistake(invalid.GetFlag().Name, takes, invalid.GetValue())
	}
	return err
}

// mistake is a wrong value of a flag, in the words of the protocol's errors.
func mistake(flag, expected, got string) error {
	return fmt.Errorf("--%s: expected %s, got %.80q", flag, expected, got)
}

// together says which flags exclude each other, as one says it.
func together(err error) string {
	text := err.Error()
	if set, ok := strings.CutPrefix(text, "if any flags in the group ["); ok {
		_, set, _ = strings.Cut(set, "; [")
		set, _, _ = strings.Cut(set, "]")
		return "--" + strings.ReplaceAll(set, " ", " and --") + " exclude each other"
	}
	return text
}

// groups makes c refuse a word that is not one of its subcommands: otherwise it would be
// answered with help and with success, and a misspelt check would never fail.
func groups(c *cobra.Command) {
	c.Args = func(c *cobra.Command, args []string) error {
		if len(args) == 0 {
			return nil
		}
		var names []string
		for _, sub := range c.Commands() {
			names = append(names, sub.Name())
		}
		return config.Unknown(c.Name()+" command", args[0], names)
	}
	if c.RunE == nil {
		c.RunE = func(c *cobra.Command, _ []string) error { return c.Help() }
	}
}

// values are the flags of c that take one of a few words: no other is taken, and they are
// completed, which are not files.
func values(c *cobra.Command, flags map[string][]string) {
	for name, words := range flags {
		f := c.Flag(name)
		f.Value = choice{f.Value, words}
		_ = c.RegisterFlagCompletionFunc(name, cobra.FixedCompletions(words, cobra.ShellCompDirectiveNoFileComp))
	}
}

// choice is a flag's value that is one of words, or not said.
type choice struct {
	pflag.Value
	words []string
}

// Set refuses another word, with the one that was probably meant.
func (v choice) Set(word string) error {
	if word != "" && !slices.Contains(v.words, word) {
		return errors.New(config.OneOf(word, v.words))
	}
	return v.Value.Set(word)
}

// directories completes the flags of c that name one.
func directories(c *cobra.Command, flags ...string) {
	for _, name := range flags {
		_ = c.MarkFlagDirname(name)
	}
}
