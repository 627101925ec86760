// Package config turns the user's environment, policy files and the editor's
// initializationOptions into the plain structs the other rooms run with:
// guard.Policy, sandbox.Policy and executor.Limits.
//
// Trust decides what may happen here. The user's policy.toml and the editor are
// trusted, so LoadUser and With can loosen what Builtin decided, but the sandbox
// only through the members of PolicyOptions whose names say so (allowOff,
// allowNetwork, …). A file of the workspace is not trusted: Tighten takes from
// it only what is stricter. docs/policy.md explains every key.
package config
