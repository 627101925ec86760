// Package hostgit asks the user's own git, outside the sandbox, what the user's settings
// point to inside a workspace. It is run by that git, or obeyed by another tool, whatever
// it is called: hooks in .husky, an include, a driver, a .vscode that is a link. It was
// there before the sandbox, and stays as it is. It is also asked what the user logs in with.
package hostgit
