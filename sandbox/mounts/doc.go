// Package mounts decides purely what a command sees of the file system, as steps in
// order, and carries them out in a mount namespace.
package mounts
