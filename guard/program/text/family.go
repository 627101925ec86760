// Package text knows what prints, filters and edits text: what comes out of it where
// that can be told, and what its own commands run.
package text

import (
	"encoding/base32"
	"encoding/base64"
	"encoding/hex"
	"slices"
	"strings"

	"github.com/pillion-sidecar/pillion/guard/argv"
	"github.com/pillion-sidecar/pillion/guard/effect"
	"github.com/pillion-sidecar/pillion/guard/program/run"
	"github.com/pillion-sidecar/pillion/guard/shell"
)

// Family is what prints, filters and edits text.
func Family() run.Family {
	return run.Family{
		Does: map[string]shell.Handler{
			"cat": cat, "tee": tee, "sponge": tee, "ls": ls, "sed": sed, "gsed": sed, "awk": awk, "gawk": awk, "mawk": awk,
			"nawk": awk,
			"jq":   jq, "gojq": jq, "grep": search, "egrep": search, "fgrep": search, "rg": search, "ag": search,
			"cut": cutNames,
			"zip": pack, "patch": patch,
			"history": printsHistory, "fc": printsHistory,
		},
		Kinds:  map[string]run.Kind{"vim": vimCommand, "plus": plusCommand, "elisp": elisp},
		Prints: printedBy,
	}
}

// decodes reports a program that makes readable what was not.
func decodes(name string, args []effect.Arg) bool {
	has := func(letter, long string) bool {
		return slices.ContainsFunc(args, func(a effect.Arg) bool {
			return argv.Cluster(a.Text, letter) || len(a.Text) > 4 && strings.HasPrefix(long, a.Text)
		})
	}
	switch name {
	case "base64", "base32", "basenc":
		return has("dD", "--decode")
	case "openssl":
		return has("d", "--d")
	case "xxd":
		return has("r", "-revert")
	}
	return name == "uudecode"
}

func decodeBase64(args []effect.Arg, text string) (string, bool) {
	if !decodes("base64", args) {
		return base64.StdEncoding.EncodeToString([]byte(text)) + "\n", true
	}
	for _, enc := range []*base64.Encoding{base64.StdEncoding, base64.RawStdEncoding, base64.URLEncoding} {
		if out, err := enc.DecodeString(strings.Join(strings.Fields(text), "")); err == nil {
			return string(out), true
		}
	}
	return "", false
}

func decodeBase32(args []effect.Arg, text string) (string, bool) {
	if !decodes("base32", args) {
		return base32.StdEncoding.EncodeToString([]byte(text)) + "\n", true
	}
	out, err := base32.StdEncoding.DecodeString(strings.Join(strings.Fields(text), ""))
	return string(out), err == nil
}

// decodeHex is xxd -r -p; a plain -r reads a dump, which nobody writes by hand.
func decodeHex(args []effect.Arg, text string) (string, bool) {
	if !decodes("xxd", args) || !slices.ContainsFunc(args, func(a effect.Arg) bool { return argv.Cluster(a.Text, "p") }) {
		return "", false
	}
	out, err := hex.DecodeString(strings.Join(strings.Fields(text), ""))
	return string(out), err == nil
}
