// Package config turns the user's environment and the editor's
// initializationOptions into the plain structs the other rooms run with:
// guard.Policy, sandbox.Policy and executor.Limits.
//
// Trust decides what may happen here. The environment and the editor are
// trusted, so With can loosen what Default decided, but only through the
// members of PolicyOptions whose names say so (allowOff, allowNetwork, …);
// everything else tightens or is refused. Nothing in this package reads a file
// of the workspace.
package config
