package replay

import (
	"fmt"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/rogpeppe/go-internal/txtar"

	"github.com/pillion-sidecar/pillion/rpc/jsonrpc"
)

// Scenario is one parsed *.rpc.txtar file.
type Scenario struct {
	File   string   // as given to Load
	Name   string   // the file's name without .rpc.txtar
	Title  string   // the header line without its covers
	Covers []string // ids of the rules it exercises

	GOOS     []string // empty is everywhere
	Needs    []string // "sandbox:MODE", "rung:NAME", "cmd:NAME"
	Timeout  time.Duration
	Alone    bool     // it takes the machine: nothing is played beside it
	NoInit   bool     // the script initializes by itself
	Parent   bool     // processId is a process that kill-client kills
	Variants []string // "inprocess", "binary"; empty is all
	Framings []string // "header", "jsonl"; empty is all

	Init, Capabilities string            // JSON objects
	Policy             string            // the user's policy.toml, "" for none
	Files, Goldens     map[string]string // by slash-separated path below the workspace

	archive *txtar.Archive
	script  []statement
	first   int // line number of the script's first line in File
}

// defaultTimeout is generous: it ends what hangs, on machines that are busy, too.
const defaultTimeout = 60 * time.Second

// Load reads and parses a scenario file.
func Load(file string) (*Scenario, error) {
	data, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	return Parse(file, data)
}

// Parse parses a scenario. Errors name file and line.
func Parse(file string, data []byte) (*Scenario, error) {
	s := &Scenario{
		File: file, Name: strings.TrimSuffix(filepath.Base(file), ".rpc.txtar"),
		Timeout: defaultTimeout, Init: "{}", Capabilities: `{"general":{"positionEncodings":["utf-8"]}}`,
		Files: map[string]string{}, Goldens: map[string]string{}, archive: txtar.Parse(data),
	}
	s.header(string(s.archive.Comment))
	line := 1 + strings.Count(string(s.archive.Comment), "\n")
	for _, f := range s.archive.Files {
		line++ // the section's own marker
		if err := s.section(f.Name, string(f.Data), line); err != nil {
			return nil, err
		}
		line += strings.Count(string(f.Data), "\n")
	}
	if s.script == nil {
		return nil, fmt.Errorf("%s: there is no section \"-- script --\", which would hold the conversation", file)
	}
	return s, nil
}

func (s *Scenario) header(comment string) {
	title, covers, _ := strings.Cut(comment, "covers:")
	s.Title = strings.TrimSpace(title)
	s.Covers = strings.Fields(covers)
}

func (s *Scenario) section(name, data string, line int) (err error) {
	switch {
	case name == "flags":
		err = s.flags(data)
	case name == "init.json":
		s.Init = data
	case name == "policy.toml":
		s.Policy = data
	case name == "capabilities.json":
		s.Capabilities = data
	case name == "script":
		s.first = line
		s.script, err = parseScript(data, line)
	case strings.HasPrefix(name, "ws/") && path.Clean(name) == name:
		s.Files[strings.TrimPrefix(name, "ws/")] = data
	case strings.HasPrefix(name, "golden/") && path.Clean(name) == name:
		s.Goldens[strings.TrimPrefix(name, "golden/")] = data
	default:
		err = fmt.Errorf("unknown section %q; there are script, flags, policy.toml, init.json, capabilities.json, ws/PATH and golden/PATH", name)
	}
	if err != nil {
		return fmt.Errorf("%s:%w", s.File, atLine(err, line))
	}
	return nil
}

func (s *Scenario) flags(data string) error {
	for _, word := range strings.Fields(data) {
		key, value, _ := strings.Cut(word, "=")
		list := strings.Split(value, ",")
		if err := checkFlag(key, list); err != nil {
			return err
		}
		switch key {
		case "goos":
			s.GOOS = list
		case "needs":
			s.Needs = list
		case "variant":
			s.Variants = list
		case "framing":
			s.Framings = list
		case "noinit":
			s.NoInit = true
		case "parent":
			s.Parent = true
		case "alone":
			s.Alone = true
		case "timeout":
			d, err := time.ParseDuration(value)
			if err != nil {
				return err
			}
			s.Timeout = d
		default:
			return fmt.Errorf("unknown flag %q", word)
		}
	}
	return nil
}

// checkFlag refuses a value that nothing can ever meet: the scenario would be left out
// everywhere, and that would go unnoticed.
func checkFlag(key string, list []string) error {
	known := map[string][]string{
		"goos":    {"linux", "darwin", "windows"},
		"variant": {"inprocess", "binary"},
		"framing": {string(jsonrpc.FramingHeader), string(jsonrpc.FramingLines)},
		"needs":   {"sandbox", "rung", "cmd"},
	}[key]
	for _, value := range list {
		if key == "needs" {
			value, _, _ = strings.Cut(value, ":")
		}
		if known != nil && !slices.Contains(known, value) {
			return fmt.Errorf("%s=%s: expected one of %s", key, value, strings.Join(known, ", "))
		}
	}
	return nil
}

// Runs reports whether the scenario is meant for this system, variant and framing.
func (s *Scenario) Runs(goos, variant string, framing jsonrpc.Framing) bool {
	return s.Excludes(goos, variant, framing) == nil
}

// Excludes says which of its flags keeps the scenario from this system, variant or
// framing; nil: none does.
func (s *Scenario) Excludes(goos, variant string, framing jsonrpc.Framing) *Unmet {
	for _, f := range []struct {
		flag string
		list []string
		is   string
	}{{"goos", s.GOOS, goos}, {"variant", s.Variants, variant}, {"framing", s.Framings, string(framing)}} {
		if len(f.list) > 0 && !slices.Contains(f.list, f.is) {
			return &Unmet{f.flag + "=" + strings.Join(f.list, ","), "here it is " + f.is}
		}
	}
	return nil
}
