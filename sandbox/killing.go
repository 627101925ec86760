package sandbox

// The calls that end a tree, in the order in which each gets its turn. A test knows that
// no other file sends a signal that ends something (test/arch, TestWhoEndsATreeIsListed).
//
// Linux:
//
//   - inside.runner.signal: kill(-1) by the runner's restricted thread, for End, Kill, a
//     limit and the end of the sidecar. It means everything in the commands' Landlock
//     scope, or pid namespace, in one walk of the kernel's own list, which no fork bomb
//     outruns. It does not reach what is stuck in the kernel: killTree asks again.
//   - proc.SignalTree: the same in mode off, which has no scope, by a walk through /proc. A
//     tree that forks faster than the walk is ended by the next one.
//   - sandbox.runnerProc.kill: SIGKILL by pidfd to a runner that does not answer, or is not
//     ready in time. In a pid namespace the kernel ends all the rest; else its children go
//     to the keeper.
//   - limits.Leaf.Kill: cgroup.kill, for what a lost runner left. There is no such group
//     where none was delegated to us.
//   - proc.KillChildren: what a lost runner left has become a child of the nearest
//     subreaper, the keeper (inside.spawner.endOrphans), or, if that was lost, too, of the
//     sidecar (proc.KillOrphans). The sidecar tells it from its other children by the
//     filter, which mode off has not.
//   - sandbox.keeperProc.kill, sandbox.keeperProc.close: a keeper that does not end. Its
//     holder goes with it by PR_SET_PDEATHSIG, which is also how a command's first process
//     goes with its runner and a holder with its keeper; inside.awaitEnd kills a holder that
//     does not end, and inside.spawner.finish wakes stopped runners.
//
// macOS, where nothing holds processes together:
//
//   - proc.Tree.Signal: whoever hangs together with the command, or is in its sandbox, is
//     stopped and killed, until a look at the process table finds nobody. It can miss one
//     that left its session while its parents died, where the system does not tell whose
//     sandbox a process is in, and what the kernel does not end.
//   - sandbox.box.start: a command that could not be told from others, by its group.
//   - sandbox.keeperProc.close: a keeper that does not end.
//
// Windows:
//
//   - sandbox.Process.signal, sandbox.job.end: TerminateJobObject. Closing the job's last
//     handle does the same when the sidecar dies. It does not reach what a service of the
//     system started on the command's behalf.
//   - sandbox.spawn: a process that was not put into its job, before its first instruction.
