// Package caches keeps the build caches of commands: directories of ours that outlive
// a sandbox, one set for all commands that may write the same places, and never the
// user's own. It names them to tools and removes those that were not used for longest.
package caches
