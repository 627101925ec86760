// Package judge judges commands as exec would, without running them: the one of check
// or hook, or a batch in JSON Lines. It needs no server: it asks the executor what it
// would think of a command, for a workspace that need not exist.
package judge
