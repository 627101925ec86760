// Package journal keeps what commands are about to change in a workspace, so that it
// comes back.
//
// An entry is what one command did: a directory with a log, and what the log's records
// kept. A record is written before its change is made, and what it keeps before the
// record; who dies in between loses a change, never what was there. Files that lose their
// name are linked into the entry, files that are written to are copied, so the cost is
// that of the change and not of the tree.
//
// Undo reads an entry backwards. Each of its own changes is kept in an entry, too: what
// was undone can be done again. Nothing that was changed after the command is touched:
// the kernel's change time of a file (st_ctim, inode(7)) says so, which no program sets.
package journal
