// Command man writes the pages of docs/man from the commands themselves:
//
//	go run ./cli/man docs/man
//
// It is a program of its own because what makes pages out of commands would make
// every start of pillion slower.
package main

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/cobra/doc"
	"github.com/spf13/pflag"

	"github.com/pillion-sidecar/pillion/cli"
)

func main() {
	if len(os.Args) != 2 {
		fmt.Fprintln(os.Stderr, "man: want the directory to write to: go run ./cli/man docs/man")
		os.Exit(2)
	}
	if err := write(os.Args[1]); err != nil {
		fmt.Fprintln(os.Stderr, "man:", err)
		os.Exit(1)
	}
}

// write replaces the pages in dir. A page has the day of its last change; one that
// says the same keeps it.
func write(dir string) error {
	pages, err := pages()
	if err != nil {
		return err
	}
	old, _ := filepath.Glob(filepath.Join(dir, "*.1")) // the pattern is well formed
	for _, file := range old {
		if pages[filepath.Base(file)] == nil {
			if err := os.Remove(file); err != nil {
				return err
			}
		}
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	for name, text := range pages {
		file := filepath.Join(dir, name)
		if was, err := os.ReadFile(file); err == nil && bytes.Equal(text, undated(was)) {
			continue
		}
		today := []byte(time.Now().UTC().Format(time.DateOnly))
		if err := os.WriteFile(file, bytes.Replace(text, []byte(noDay), today, 1), 0o644); err != nil {
			return err
		}
	}
	return nil
}

// noDay is what the library writes for a time that stands for none.
const noDay = "Jan 1970"

// dated is compiled by the one call that needs it.
func dated() *regexp.Regexp { return regexp.MustCompile(`\d{4}-\d\d-\d\d`) }

// undated is a page as it was made, without its day.
func undated(page []byte) []byte {
	head, rest, _ := bytes.Cut(page, []byte("\n.SH NAME"))
	return slices.Concat(dated().ReplaceAll(head, []byte(noDay)), []byte("\n.SH NAME"), rest)
}

// pages are all pages by the names of their files.
func pages() (map[string][]byte, error) {
	all := map[string][]byte{}
	for _, root := range cli.Commands() {
		root.DisableAutoGenTag = true // the day
		root.InitDefaultCompletionCmd()
		if err := add(all, root); err != nil {
			return nil, err
		}
	}
	return all, nil
}

func add(all map[string][]byte, c *cobra.Command) error {
	if c.Hidden || c.Name() == "help" {
		return nil
	}
	for _, sub := range c.Commands() {
		if err := add(all, sub); err != nil {
			return err
		}
	}
	name := strings.ReplaceAll(c.CommandPath(), " ", "-")
	c.Long, c.Example = markdown(c.Long), dedent(c.Example)
	c.LocalNonPersistentFlags().VisitAll(escape)
	c.PersistentFlags().VisitAll(escape)
	var page bytes.Buffer
	never := time.Unix(0, 0).UTC()
	header := &doc.GenManHeader{Title: strings.ToUpper(name), Section: "1", Source: "pillion", Manual: "pillion", Date: &never}
	if err := doc.GenMan(c, header, &page); err != nil {
		return err
	}
	all[name+".1"] = []byte(listed(page.String()))
	return nil
}

// markdown is a help text as the library reads it: what is set off by blanks there
// is a table, and must stay one; the rest is text, whatever signs are in it.
func markdown(text string) string {
	var b strings.Builder
	table := false
	for line := range strings.Lines(text) {
		line = strings.Replace(line, "\t", "  ", 1)
		switch indented := strings.HasPrefix(line, "  "); {
		case indented && !table:
			b.WriteString("\n    " + line)
			table = true
		case indented:
			b.WriteString("    " + line)
		default:
			if table {
				b.WriteString("\n")
			}
			b.WriteString(signs.Replace(line))
			table = false
		}
	}
	return b.String()
}

// listed makes a list of the options, which the library sets as text with tabs in it, and
// leaves out defaults that are empty: [=false], ="", =[].
func listed(page string) string {
	option := regexp.MustCompile(`(?m)^(?:\.PP\n)?(\\fB-.*)\n\t(.*)$`)
	nothing := strings.NewReplacer("[=false]", "", `=""`, "", "=[]", "", "-", `\-`)
	return option.ReplaceAllStringFunc(page, func(m string) string {
		parts := option.FindStringSubmatch(m)
		return ".TP\n" + nothing.Replace(parts[1]) + "\n" + parts[2]
	})
}

// signs mean something to Markdown.
var signs = strings.NewReplacer(`*`, `\*`, `_`, `\_`, `<`, `\<`, `[`, `\[`, "`", "\\`")

func escape(f *pflag.Flag) { f.Usage = signs.Replace(f.Usage) }

// dedent takes two blanks from each line: the library sets examples off by itself.
func dedent(text string) string {
	return strings.ReplaceAll(strings.TrimPrefix(text, "  "), "\n  ", "\n")
}
