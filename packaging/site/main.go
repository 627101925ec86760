// Command site makes the documents into a site that needs no server:
//
//	go run ./packaging/site DIR      # make site: dist/site
//
// Every Markdown file of the repository becomes an HTML file at the same place, a README
// the index of its directory. Links to other files lead to the repository on GitHub. It
// fails if a link or an anchor leads nowhere.
package main

import (
	"fmt"
	"os"
)

func main() {
	if len(os.Args) != 2 {
		fmt.Fprintln(os.Stderr, "usage: go run ./packaging/site DIR")
		os.Exit(2)
	}
	if err := build(".", os.Args[1]); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// build writes the site of the repository in root into dir.
func build(root, dir string) error {
	pages, err := read(root)
	if err != nil {
		return err
	}
	s := &site{root: root, pages: pages}
	if s.nav, err = s.menu("docs/index.md"); err != nil {
		return err
	}
	for _, p := range pages {
		if err := s.write(dir, p); err != nil {
			return fmt.Errorf("%s: %w", p.source, err)
		}
	}
	if err := s.copy(dir); err != nil {
		return err
	}
	return check(dir)
}
