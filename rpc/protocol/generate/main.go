// Command generate writes what clients of the protocol are made from: JSON Schema,
// TypeScript, Lua, Kotlin and the settings of VS Code. The methods are the rows of
// protocol.Methods; members and comments are read off the Go source of their types.
// `make generate` runs it. It is not part of pillion.
//
// A type's tags say what Go doesn't say about it:
//
//	//wire:type string | integer     what it is on the wire
//	//wire:strict                    unknown members are refused, also further down
//	Value any `json:"v" wire:"A | null"`
//
// The words are names of types, string, integer, null, 'text' for that very
// text, _ for the type that Go says, and partial for what streams of any method
// carry.
package main

import (
	"crypto/sha256"
	"fmt"
	"os"
	"path/filepath"

	"github.com/pillion-sidecar/pillion/rpc/protocol"
)

func main() {
	if err := run("../.."); err != nil {
		fmt.Fprintln(os.Stderr, "generate:", err)
		os.Exit(1)
	}
}

// run writes the files of the module at root.
func run(root string) error {
	files, err := generate(root)
	if err != nil {
		return err
	}
	for name, text := range files {
		path := filepath.Join(root, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			return err
		}
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			return err
		}
	}
	return nil
}

// generate makes the text of every file, by its path below root.
func generate(root string) (map[string]string, error) {
	m, err := read(root, protocol.Methods)
	if err != nil {
		return nil, err
	}
	schema := jsonSchema(m)
	hash := fmt.Sprintf("sha256:%x", sha256.Sum256([]byte(document(bare(schema).(object)))))
	manifest, err := vscode(root, m)
	if err != nil {
		return nil, err
	}
	return map[string]string{
		"docs/protocol.schema.json":       document(schema),
		"editors/protocol/protocol.ts":    typeScript(m, hash),
		"editors/protocol/protocol.lua":   lua(m, hash),
		vscodeManifest:                    manifest,
		"editors/protocol/Protocol.kt":    kotlin(m, hash),
		"editors/conformance/types.jsonl": goldens(m),
		"rpc/protocol/schema.sha256":      hash + "\n",
	}, nil
}
