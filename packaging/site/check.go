package main

import (
	"errors"
	"fmt"
	"html"
	"io/fs"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"strings"
)

// check looks at every link and anchor of the site.
func check(dir string) error {
	references := regexp.MustCompile(`(?:href|src)="([^"]*)"`)
	files := map[string]string{}
	err := filepath.WalkDir(dir, func(p string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || filepath.Ext(p) != ".html" {
			return err
		}
		data, err := os.ReadFile(p)
		files[p] = string(data)
		return err
	})
	var wrong []error
	for file, text := range files {
		for _, m := range references.FindAllStringSubmatch(text, -1) {
			if why := leadsNowhere(files, file, html.UnescapeString(m[1])); why != "" {
				wrong = append(wrong, fmt.Errorf("%s: %s: %s", file, m[1], why))
			}
		}
	}
	return errors.Join(append(wrong, err)...)
}

// leadsNowhere says what is wrong with a link.
func leadsNowhere(files map[string]string, from, to string) string {
	u, err := url.Parse(to)
	if err != nil {
		return err.Error()
	}
	if u.IsAbs() {
		return ""
	}
	target := from
	if u.Path != "" {
		target = filepath.Join(filepath.Dir(from), filepath.FromSlash(u.Path))
	}
	if _, err := os.Stat(target); err != nil {
		return "there is no such file"
	}
	if u.Fragment == "" {
		return ""
	}
	if !strings.Contains(files[target], ` id="`+html.EscapeString(u.Fragment)+`"`) {
		return filepath.Base(target) + " has no such heading"
	}
	return ""
}
