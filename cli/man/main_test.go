package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

const docs = "../../docs/man"

func TestThePagesAreCurrent(t *testing.T) {
	made, err := pages()
	if err != nil {
		t.Fatal(err)
	}
	if made["pillion.1"] == nil || made["pillion-exec.1"] == nil || made["pillion-mcp.1"] == nil {
		t.Fatalf("%d pages", len(made))
	}
	there, err := filepath.Glob(filepath.Join(docs, "*"))
	if err != nil || len(there) != len(made) {
		t.Errorf("%d pages are there, %d are made, run make generate: %v", len(there), len(made), err)
	}
	for name, want := range made {
		got, err := os.ReadFile(filepath.Join(docs, name))
		if err != nil || string(undated(got)) != string(want) {
			t.Errorf("%s is not current, run make generate: %v", name, err)
		}
	}
}

// A page that says the same keeps its day: it would differ with every day else.
func TestAPageKeepsItsDay(t *testing.T) {
	dir := t.TempDir()
	if err := write(dir); err != nil {
		t.Fatal(err)
	}
	file, gone := filepath.Join(dir, "pillion.1"), filepath.Join(dir, "pillion-gone.1")
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	old := dated().ReplaceAllString(string(text), "2020-02-03")
	for name, text := range map[string]string{file: old, gone: "x"} {
		if err := os.WriteFile(name, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if err := write(dir); err != nil {
		t.Fatal(err)
	}
	if got, err := os.ReadFile(file); err != nil || string(got) != old {
		t.Errorf("%v: %.200s", err, got)
	}
	if _, err := os.Stat(gone); err == nil {
		t.Error("the page of a command that is gone stays")
	}
	changed := strings.Replace(old, "NAME", "NAMES", 1)
	if err := os.WriteFile(file, []byte(changed), 0o644); err != nil {
		t.Fatal(err)
	}
	if err := write(dir); err != nil {
		t.Fatal(err)
	}
	if got, err := os.ReadFile(file); err != nil || strings.Contains(string(got), "2020-02-03") {
		t.Errorf("%v: %.200s", err, got)
	}
}

func TestTablesStayTablesAndTextStaysText(t *testing.T) {
	for in, want := range map[string]string{
		"one\ntwo\n": "one\ntwo\n",
		"codes:\n  0  *yes*\n  1  no\nmore *.x\n": "codes:\n\n      0  *yes*\n      1  no\n\nmore \\*.x\n",
		"like:\n\n\tsource <(x)\n":                "like:\n\n\n      source <(x)\n",
	} {
		if got := markdown(in); got != want {
			t.Errorf("%q: %q, want %q", in, got, want)
		}
	}
	page := ".SH OPTIONS\n\\fB-q\\fP, \\fB--quiet\\fP[=false]\n\tsay little\n\n.PP\n\\fB--mode\\fP=\"\"\n\tmode\n"
	want := ".SH OPTIONS\n.TP\n\\fB\\-q\\fP, \\fB\\-\\-quiet\\fP\nsay little\n\n.TP\n\\fB\\-\\-mode\\fP\nmode\n"
	if got := listed(page); got != want {
		t.Errorf("%q, want %q", got, want)
	}
}
