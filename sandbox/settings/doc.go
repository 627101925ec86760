// Package settings finds the files in a workspace that the user's own settings point to.
// A program of the user's runs or obeys them, whatever they are called: hooks in .husky,
// an include, a driver, what a link called .vscode leads to. The package reads files and
// starts nothing. Its functions are Linux's.
package settings
