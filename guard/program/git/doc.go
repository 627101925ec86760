// Package git knows git: its options, settings and hooks that run programs, and what
// of its work is lost; of other version controls only the last.
package git
