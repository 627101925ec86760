package protocol

import (
	"github.com/go-json-experiment/json/jsontext"

	"github.com/pillion-sidecar/pillion/config"
)

// DidChangeConfigurationParams of workspace/didChangeConfiguration.
type DidChangeConfigurationParams struct {
	// All settings that hold now: {"pillion": …}, beside which other servers' sections may
	// be, or the section itself. Null asks a client that serves workspace/configuration to
	// be asked for it.
	Settings jsontext.Value `json:"settings" wire:"PillionSection | Settings | null"`
}

// PillionSection is the settings of an editor with the section that is meant
// here; the other sections are ignored.
type PillionSection struct {
	Pillion *Settings `json:"pillion" wire:"_ | null"`
}

// Settings are what may change while a session runs: what initializationOptions
// may say about commands. They are decoded strictly, replace all earlier settings
// and may only tighten what initialize set, unless it said policy.loosen. If
// anything in them is wrong, all of them are refused.
//
//wire:strict
type Settings struct {
	// As in initialize. Editors that send their initializationOptions as
	// settings too may repeat it; it can't be changed.
	ProtocolVersion *int  `json:"protocolVersion,omitzero"`
	ExecuteCommand  *bool `json:"executeCommand,omitzero"` // likewise
	config.InitOptions
}

// ConfigurationParams of workspace/configuration, which the server sends.
type ConfigurationParams struct {
	Items []ConfigurationItem `json:"items"` // one
}

// ConfigurationItem is LSP's.
type ConfigurationItem struct {
	Section string `json:"section"` // "pillion"
}

// ConfigurationResult has the settings of each item; null: there are none.
type ConfigurationResult []*Settings

// ShowMessageParams of window/showMessage.
type ShowMessageParams struct {
	Type    int    `json:"type"` // 1 error, 2 warning, 3 info, 4 log
	Message string `json:"message"`
}
