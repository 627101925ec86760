// Package spool keeps what commands print: each stream's bytes in memory or in an
// unlinked file, within what all streams together may take of the disk. The pipes they
// come through are made here, too.
package spool
