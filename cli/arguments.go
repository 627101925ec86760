package cli

import (
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
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

// one takes exactly one argument.
func one(what string) cobra.PositionalArgs {
	return cobra.MatchAll(atLeastOne(what), cobra.MaximumNArgs(1))
}

// flagError says where to look for a flag that there isn't.
func flagError(c *cobra.Command, err error) error {
	if unknown := new(pflag.NotExistError); errors.As(err, &unknown) {
		return fmt.Errorf("%w; %s --help lists the flags", err, c.CommandPath())
	}
	return err
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
		return fmt.Errorf("there is no \"%s %s\"; there are %s", c.CommandPath(), args[0], strings.Join(names, ", "))
	}
	c.RunE = func(c *cobra.Command, _ []string) error { return c.Help() }
}

// values completes the flags of c that take one of a few words, which are not files.
func values(c *cobra.Command, flags map[string][]string) {
	for name, words := range flags {
		_ = c.RegisterFlagCompletionFunc(name, cobra.FixedCompletions(words, cobra.ShellCompDirectiveNoFileComp))
	}
}

// directories completes the flags of c that name one.
func directories(c *cobra.Command, flags ...string) {
	for _, name := range flags {
		_ = c.MarkFlagDirname(name)
	}
}
