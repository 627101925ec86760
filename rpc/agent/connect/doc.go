// Package connect puts pillion into the settings of coding agents, and takes it out
// again.
//
//	Find ──> Plan (the text before and after) ──> Change.Write
//
// It writes user files only. It leaves alone what it doesn't understand: layout, comments
// and other members stay, a file that can't be read is not written, and a copy of the
// original is beside it, from which Remove restores every byte.
package connect
