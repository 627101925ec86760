package protocol

import "github.com/go-json-experiment/json/jsontext"

// nullableExec: null means something in two places only.
func ExecNull(p jsontext.Pointer) bool {
	return p == "/timeoutMs" || p.Parent() == "/env"
}

// NoNull: null means nothing anywhere.
func NoNull(jsontext.Pointer) bool { return false }

// AnyNull: null stands for absence wherever it is.
func AnyNull(jsontext.Pointer) bool { return true }

// CheckNull is nullableExec below /checks/N.
func CheckNull(p jsontext.Pointer) bool {
	inner := withinCheck(p)
	return inner != p && ExecNull(inner)
}

// withinCheck is the part of a pointer after /checks/N, or all of it.
func withinCheck(p jsontext.Pointer) jsontext.Pointer {
	at := 0
	for token := range p.Tokens() {
		if at == 0 && token != "checks" {
			break
		}
		if at++; at == 2 {
			return p[len("/checks/")+len(token):]
		}
	}
	return p
}
