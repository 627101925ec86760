package rpc

import (
	_ "embed"
	"strings"
)

// What clients are made from is written by gen: docs/protocol.schema.json and
// the types in editors/.
//
//go:generate go run ./gen

//go:embed schema.sha256
var schemaHash string

// SchemaHash is the SHA-256 of docs/protocol.schema.json: what this build speaks.
func SchemaHash() string { return strings.TrimSpace(schemaHash) }
