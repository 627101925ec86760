package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// The site of this repository is made, and every link and anchor of it leads somewhere.
func TestTheSiteIsWhole(t *testing.T) {
	dir := t.TempDir()
	if err := build("../..", dir); err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]string{
		"index.html":                "</nav>",
		"docs/faq.html":             `href="../docs/guide.html"`,
		"docs/policy.html":          `id="decisions-of-built-in-rules"`,
		"search-index.js":           "docs/errors.html#refusals",
		"docs/img/demo.svg":         "<svg",
		"editors/vscode/index.html": repository,
	} {
		data, err := os.ReadFile(filepath.Join(dir, filepath.FromSlash(name)))
		if err != nil || !strings.Contains(string(data), want) {
			t.Errorf("%s has no %s: %v", name, want, err)
		}
	}
}

// A link that leads nowhere fails the command.
func TestADeadLinkIsAnError(t *testing.T) {
	root, dir := t.TempDir(), t.TempDir()
	for name, text := range map[string]string{
		"README.md":     "# A\n[b](docs/index.md#nothing)\n",
		"docs/index.md": "# B\n## C\n[a](../README.md)\n",
		"docs/guide.md": "# G\n",
	} {
		if err := put(filepath.Join(root, filepath.FromSlash(name)), []byte(text)); err != nil {
			t.Fatal(err)
		}
	}
	if err := build(root, dir); err == nil || !strings.Contains(err.Error(), "no such heading") {
		t.Errorf("got %v", err)
	}
}
