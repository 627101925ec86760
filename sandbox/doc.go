// Package sandbox confines a child and ends its whole tree. It knows nothing
// of shells, JSON or policy files and imports nothing of ours.
//
// The documented surface is the same everywhere: Open a Manager, ask it for the
// Sandbox of a Policy, Start a Command in it, Wait, Kill, End. Platforms without
// a backend refuse with UnavailableError; nothing ever runs weaker in silence.
package sandbox
