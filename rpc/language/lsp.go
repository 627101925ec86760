package language

// The types of the Language Server Protocol that are used here, as it names them.

type object = map[string]any

type params struct {
	TextDocument struct {
		URI     string `json:"uri"`
		Version int64  `json:"version"`
		Text    string `json:"text"`
	} `json:"textDocument"`
	ContentChanges []struct {
		Text string `json:"text"`
	} `json:"contentChanges"`
	Position position `json:"position"`
	Range    span     `json:"range"`
}

// position counts lines and UTF-16 units, both from 0.
type position struct {
	Line      int `json:"line"`
	Character int `json:"character"`
}

type span struct {
	Start position `json:"start"`
	End   position `json:"end"`
}

type diagnostic struct {
	Range    span   `json:"range"`
	Severity int    `json:"severity"`
	Source   string `json:"source"`
	Message  string `json:"message"`
}

// severities
const (
	asError   = 1
	asWarning = 2
)

type textEdit struct {
	Range   span   `json:"range"`
	NewText string `json:"newText"`
}

type completion struct {
	Label         string   `json:"label"`
	Kind          int      `json:"kind"`
	Documentation string   `json:"documentation,omitzero"`
	FilterText    string   `json:"filterText"`
	TextEdit      textEdit `json:"textEdit"`
}

// kinds of completions
const (
	aModule   = 9
	aProperty = 10
	aValue    = 12
)

const quickFix = "quickfix"
