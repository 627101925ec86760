package main

import (
	"fmt"
	"go/ast"
	"os"
	"path/filepath"
	"strconv"
	"strings"
)

const protocolPage = "docs/protocol.md"

// methodTable is the page about the protocol with its table of methods made anew.
func methodTable(root string, m *model) (string, error) {
	page, err := os.ReadFile(filepath.Join(root, protocolPage))
	if err != nil {
		return "", err
	}
	before, rest, found := strings.Cut(string(page), "\n## Methods\n\n")
	if !found {
		return "", fmt.Errorf("%s has no section Methods", protocolPage)
	}
	for strings.HasPrefix(rest, "|") { // the table that was there
		_, rest, _ = strings.Cut(rest, "\n")
	}
	var b strings.Builder
	b.WriteString("| method | | |\n|---|---|---|\n")
	for _, row := range m.methods {
		kind := "request"
		if row.notification {
			kind = "notification"
		}
		switch {
		case row.toClient && row.toServer:
			kind += ", both ways"
		case row.toClient:
			kind += " from the server"
		}
		fmt.Fprintf(&b, "| `%s` | %s | %s |\n", row.name, kind, row.doc)
	}
	return before + "\n## Methods\n\n" + b.String() + rest, nil
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
