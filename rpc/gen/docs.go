package main

import (
	"fmt"
	"go/ast"
	"os"
	"path/filepath"
	"strconv"
	"strings"
)

// methodDocs are the rows of the table in docs/protocol.md: what a method does is
// told there and nowhere else.
func methodDocs(root string) (map[string]string, error) {
	page, err := os.ReadFile(filepath.Join(root, "docs", "protocol.md"))
	if err != nil {
		return nil, err
	}
	_, section, found := strings.Cut(string(page), "\n## Methods\n")
	if !found {
		return nil, fmt.Errorf("docs/protocol.md has no section Methods")
	}
	section, _, _ = strings.Cut(section, "\n## ")
	docs := map[string]string{}
	for line := range strings.Lines(section) {
		cells := strings.Split(strings.TrimSpace(line), " | ")
		if !strings.HasPrefix(line, "| `") || len(cells) != 3 {
			continue
		}
		for name := range strings.SplitSeq(strings.TrimPrefix(cells[0], "| "), ", ") {
			docs[strings.Trim(name, "`")] = strings.TrimSuffix(cells[2], " |")
		}
	}
	return docs, nil
}

// errorCodes are the constants CodeX of rpc. Those that are another package's
// have their value in the comment.
func errorCodes(own *goPackage) (*named, error) {
	n := &named{name: "ErrorCode", shape: enumeration, typ: &typ{kind: integer}}
	n.doc = "The code of an error. Its data has the same as a word, `kind`."
	for _, c := range codeConstants(own) {
		name := strings.TrimPrefix(c.name, "Code")
		written := c.doc
		if v, ok := c.value.(*ast.UnaryExpr); ok {
			written = "-" + v.X.(*ast.BasicLit).Value
		}
		code, err := strconv.ParseInt(written, 10, 64)
		if err != nil {
			return nil, fmt.Errorf("the value of %s is neither a number nor its comment", c.name)
		}
		doc := c.doc
		if doc == written {
			doc = ""
		}
		n.values = append(n.values, value{name: name, doc: doc, number: code})
	}
	return n, nil
}

func codeConstants(own *goPackage) (codes []goConst) {
	for _, c := range own.consts[""] {
		if strings.HasPrefix(c.name, "Code") {
			codes = append(codes, c)
		}
	}
	return codes
}
