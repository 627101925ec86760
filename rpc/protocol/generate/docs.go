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

// methodList is the page about the protocol with its list of methods made anew.
func methodList(root string, m *model) (string, error) {
	page, err := os.ReadFile(filepath.Join(root, protocolPage))
	if err != nil {
		return "", err
	}
	before, rest, found := strings.Cut(string(page), "\n## Methods\n")
	_, rest, ends := strings.Cut(rest, "\n<!-- end of methods -->\n")
	if !found || !ends {
		return "", fmt.Errorf("%s has no section Methods, or no end of it", protocolPage)
	}
	var b strings.Builder
	for _, group := range []struct {
		title                string
		client, notification bool
	}{
		{"Requests of the client", false, false},
		{"Notifications of the client", false, true},
		{"Requests of the server", true, false},
		{"Notifications of the server", true, true},
	} {
		fmt.Fprintf(&b, "\n%s:\n\n", group.title)
		for _, row := range m.methods {
			if row.sentTo(group.client) && row.notification == group.notification {
				fmt.Fprintf(&b, "- `%s`: %s\n", row.name, row.doc)
			}
		}
	}
	return before + "\n## Methods\n" + b.String() + "\n<!-- end of methods -->\n" + rest, nil
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
