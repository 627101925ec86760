// Package sandbox confines a child and ends its whole tree. It knows no shells, JSON or
// policy files and imports only its own rooms.
//
// The documented surface is the same everywhere: Open a Manager, ask it for the
// Sandbox of a Policy, Start a Command in it, Wait, Kill, End. It refuses what it can't
// enforce with UnavailableError; nothing ever runs weaker in silence.
//
// Its parts, each to be read alone, and each importing only what is above it:
//
//   - policy is what is asked and promised, and what a sandbox's own processes need to
//     know; proc reads the process table; files opens files by descriptors.
//   - protect says which names and texts of a workspace a command may change, and what a
//     git directory is.
//   - settings finds what the user's own settings point to; hostgit asks the user's git for
//     them, before a command starts.
//   - wire is what the sandbox's own processes and the sidecar say to each other.
//   - broker answers the calls that the filter hands over; inside is everything that runs
//     in our own processes.
//   - seatbelt and wintoken are what macOS and Windows are told.
//   - canary tries what must be refused.
//   - seccomp, landlock, mounts and limits are one mechanism each.
//   - assess says what a self-test's facts are worth, on every platform.
//
// The rest is the host's side. What is promised: aliases.go, errors.go, manager.go,
// process.go, named.go. What a machine gives: selftest.go, tested.go, findings.go,
// report.go. Which commands use a sandbox and for how long: box.go, janitor.go. What each
// system does for one is the interfaces of box.go, in files of its own: box_linux.go and
// its like are the sandbox, process_linux.go and its like one command.
package sandbox
