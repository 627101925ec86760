package cli

import (
	"io/fs"
	"strings"

	"github.com/spf13/cobra"

	"github.com/pillion-sidecar/pillion/config"
)

// schemaFormats are what schema prints, the first one by default.
var schemaFormats = []struct{ name, file string }{
	{"jsonschema", "docs/protocol.schema.json"},
	{"typescript", "editors/protocol/protocol.ts"},
	{"lua", "editors/protocol/protocol.lua"},
	{"kotlin", "editors/protocol/Protocol.kt"},
}

func (p *program) schemaCommand() *cobra.Command {
	var names []string
	for _, f := range schemaFormats {
		names = append(names, f.name)
	}
	c := &cobra.Command{
		Use:   "schema",
		Short: "Print the protocol's methods and types, to generate a client from",
		Long: `schema prints the protocol of this build: every method and type, with the
meaning of each member. The hash of its names, types and words is
serverInfo.schemaHash in the answer to initialize and is in the generated types,
so a client can tell whether it was made for this build.`,
		Example: `  pillion schema > protocol.schema.json
  pillion schema --format=typescript > protocol.ts`,
		Args: atMost(0),
	}
	format := c.Flags().String("format", names[0], strings.Join(names, ", "))
	values(c, map[string][]string{"format": names})
	c.RunE = func(*cobra.Command, []string) error {
		for _, f := range schemaFormats {
			if f.name == *format {
				text, err := fs.ReadFile(p.protocol, f.file)
				if err != nil {
					return err
				}
				return p.print(string(text))
			}
		}
		return config.Unknown("format", *format, names)
	}
	return c
}
