package cli

import (
	"regexp"
	"strings"
	"testing"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// foreign are words of Go and of its libraries.
var foreign = regexp.MustCompile(`strconv|parsing|invalid (argument|syntax)|time:|\bwant\b|%!`)

// TestEveryWrongFlagSaysWhatItTakes: a value of the wrong kind names the flag that was given,
// what it takes and what it got; a slip of a flag's name the flag that was meant.
func TestEveryWrongFlagSaysWhatItTakes(t *testing.T) {
	seen := 0
	for _, root := range Commands() {
		eachCommand(root, func(c *cobra.Command) {
			if c.DisableFlagParsing {
				return
			}
			c.InheritedFlags() // adds them to c's own
			c.Flags().VisitAll(func(f *pflag.Flag) {
				_, few := f.Value.(choice)
				switch kind := f.Value.Type(); {
				case !few && (kind == "string" || kind == "stringArray" || kind == "stringSlice"):
					return
				case f.Name == "help" || f.Name == "version":
					return
				}
				seen++
				err := c.ParseFlags([]string{"--" + f.Name + "=zz-none"})
				if err == nil {
					t.Errorf("%s takes any --%s", c.CommandPath(), f.Name)
					return
				}
				text := flagError(c, err).Error()
				if !strings.HasPrefix(text, "--"+f.Name+": expected ") || !strings.HasSuffix(text, `, got "zz-none"`) || foreign.MatchString(text) {
					t.Errorf("%s: %s", c.CommandPath(), text)
				}
				if len(f.Name) > 3 {
					text = flagError(c, c.ParseFlags([]string{"--" + f.Name + "q"})).Error()
					if !strings.Contains(text, "; did you mean --") {
						t.Errorf("%s: %s", c.CommandPath(), text)
					}
				}
			})
		})
	}
	if seen < 40 {
		t.Errorf("%d flags", seen)
	}
}

func eachCommand(c *cobra.Command, f func(*cobra.Command)) {
	f(c)
	for _, sub := range c.Commands() {
		eachCommand(sub, f)
	}
}
