// Package broker answers the calls that a sandbox's filter hands over: calls that make,
// change or remove something by name, changes of a file's mode, owner and times, what
// connects or binds a socket, and calls that act on another process by number. It runs in
// a command's runner, on a thread of its own, without capabilities, in the command's
// Landlock domain and mounts, and with a filter of its own. Its functions are Linux's.
//
// What a caller may do at any moment, and what follows:
//
//   - Its other threads change its memory. So a path is read once, and what was read is
//     judged and acted on; a path call never continues in the kernel.
//   - It renames directories and puts links in their place. So a path is resolved once,
//     to an open directory and one name, and everything after is done by descriptors.
//     What is opened is what was judged: the kernel follows no link for the broker.
//   - It dies, and its number is given out again. So nothing read through its number
//     counts before alive has said that it still waits.
//   - It never reads its answer, or keeps the other end of a FIFO to itself. So the
//     broker opens nothing in a way that waits.
//   - It opens, makes and keeps as much as it likes. So whatever the broker remembers of
//     a command is bounded, and gone at its end.
//   - It ends the broker, if it finds a way. Then the calls fail: a broker that is gone
//     refuses. What is on the disk never depends on a broker that has to come back.
//
// broker_linux.go takes the calls, calls_linux.go lists them, caller_linux.go reads their
// arguments, resolve_linux.go walks their paths, judge_linux.go decides, with package
// protect; gitdir_linux.go and text_linux.go are git directories and the texts in them.
// The other files carry out one kind of call each, and kept_linux.go keeps what a call
// would destroy.
package broker
