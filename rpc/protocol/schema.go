package protocol

import (
	_ "embed"
	"strings"
)

// generate writes what clients are made from: docs/protocol.schema.json and the types in
// editors/.
//
//go:generate go run ./generate

//go:embed schema.sha256
var schemaHash string

// SchemaHash is of the names, types and words in docs/protocol.schema.json: this build's
// protocol.
func SchemaHash() string { return strings.TrimSpace(schemaHash) }
