package main

import (
	"fmt"
	"go/ast"
	"strconv"
	"strings"
)

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
