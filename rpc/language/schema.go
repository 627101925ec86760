package language

import (
	"cmp"
	"fmt"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/pillion-sidecar/pillion/config"
)

// node is what the schema says of a key.
type node struct {
	Description          string           `json:"description"`
	Type                 string           `json:"type"`
	Enum                 []string         `json:"enum"`
	Properties           map[string]*node `json:"properties"`
	Items                *node            `json:"items"`
	PropertyNames        *node            `json:"propertyNames"`
	AdditionalProperties jsontext.Value   `json:"additionalProperties"`
	rest                 *node            // of AdditionalProperties
}

func readSchema(data []byte) (map[config.FileKind]*node, error) {
	var schema struct {
		Defs map[config.FileKind]*node `json:"$defs"`
	}
	if err := json.Unmarshal(data, &schema); err != nil {
		return nil, err
	}
	for _, kind := range []config.FileKind{config.UserFile, config.WorkspaceFileKind} {
		if schema.Defs[kind] == nil {
			return nil, fmt.Errorf("it has no file of the kind %q", kind)
		}
		if err := schema.Defs[kind].complete(); err != nil {
			return nil, err
		}
	}
	return schema.Defs, nil
}

// complete reads what is a schema in some keys and false in others.
func (n *node) complete() error {
	if n.AdditionalProperties.Kind() == '{' {
		if err := json.Unmarshal(n.AdditionalProperties, &n.rest); err != nil {
			return err
		}
	}
	for _, p := range n.Properties {
		if err := p.complete(); err != nil {
			return err
		}
	}
	if n.Items != nil {
		return n.Items.complete()
	}
	return nil
}

// at is the key that a JSON pointer leads to, nil if there is none.
func (n *node) at(pointer string) *node {
	for name := range strings.SplitSeq(strings.TrimPrefix(pointer, "/"), "/") {
		switch {
		case n == nil || pointer == "":
			return n
		case n.Items != nil:
			n = n.Items
		default:
			n = cmp.Or(n.Properties[name], n.rest)
		}
	}
	return n
}

// table is the brackets that a key's table stands in, "" if it is none.
func (n *node) table() string {
	switch {
	case n.Type == "object":
		return "["
	case n.Items != nil && n.Items.Type == "object":
		return "[["
	}
	return ""
}

// values are what may be written for a key, as TOML; nil where that is not a choice.
func (n *node) values() []string {
	if n == nil {
		return nil
	}
	if n.Type == "boolean" {
		return []string{"true", "false"}
	}
	var list []string
	for _, v := range n.Enum {
		list = append(list, quoted(v))
	}
	return list
}

// names are the keys that may be in a table, as TOML.
func (n *node) names() map[string]*node {
	all := map[string]*node{}
	if n == nil {
		return all
	}
	for name, p := range n.Properties {
		all[name] = p
	}
	if n.PropertyNames != nil {
		for _, name := range n.PropertyNames.Enum {
			all[quoted(name)] = n.rest
		}
	}
	return all
}

// quoted is a string of TOML; what the schema names has no character to escape.
func quoted(s string) string { return `"` + s + `"` }
