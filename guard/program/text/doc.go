// Package text knows what prints, filters and edits text: what comes out of it where
// that can be told, and what its own commands run.
package text
