// Package sandbox confines a child and ends its whole tree. It knows nothing
// of shells, JSON or policy files and imports nothing of ours.
//
// The documented surface is the same everywhere: Open a Manager, ask it for the
// Sandbox of a Policy, Start a Command in it, Wait, Kill, End. Platforms without
// a backend refuse with UnavailableError; nothing ever runs weaker in silence.
//
// To read all of it, in this order:
//
//   - What is asked and promised: policy.go, limits.go, violation.go, manager.go.
//   - What a machine gives: rung.go, probe_linux.go, canary_linux.go (what must be
//     refused is tried), assess.go, report.go.
//   - Who lives: box_linux.go and runnerproc_linux.go are the sidecar's end;
//     keeper_linux.go, holder_linux.go, spawner_linux.go and runner_linux.go the
//     processes; wire_linux.go and payload.go what they say to each other. pool.go,
//     named.go and reset.go keep sandboxes, occupancy.go counts who uses one, janitor.go
//     removes what killed ones left.
//   - What a command sees: plan.go chooses, mountlayers.go and mountplan.go decide
//     purely, sockets.go about those of the host, buildroot_linux.go and mount_linux.go mount.
//   - What a command may: restrict_linux.go and landlock_linux.go; calls.go,
//     calltable.go and filter.go are the seccomp filter.
//   - The one way out of a network with a proxy: egress.go, egress_linux.go, carry_linux.go.
//   - What is answered by the broker: broker_linux.go takes the calls, caller_linux.go
//     reads them, mediate_resolve_linux.go walks their paths, protect.go and its like
//     decide, the other mediate files and metadata_linux.go carry them out.
//   - What is left to the user's programs (docs/boundary.md): names.go is what they obey,
//     protect_git.go and gitdir_linux.go what a git directory is, vet.go, vet_edit.go and
//     texts.go which texts are harmless, text_linux.go who writes them; links_linux.go,
//     shared_linux.go and pointed_linux.go are links and what was there before.
//   - One command: startcommand_linux.go, serve_linux.go, fork_linux.go,
//     process_linux.go, processend_linux.go, reap_linux.go, tree_linux.go;
//     left_linux.go and parked_linux.go are what is left on purpose.
//   - What it may take: rlimit_linux.go, blame_linux.go, watch.go, measure_linux.go,
//     looker_linux.go, memory_linux.go, overrun_linux.go; cgroup.go, cgroup_linux.go and
//     groupmeter_linux.go where a control group is ours.
//   - macOS: seatbelt.go and its like are the profile, pure; belt_darwin.go names
//     paths as the kernel does; box_darwin.go, startcommand_darwin.go, runner_darwin.go
//     and process_darwin.go are one command's life; family.go, tree_darwin.go and
//     marks_darwin.go find its processes; keeper_darwin.go outlives us by a moment;
//     canary_darwin.go tries it.
//   - Windows: winplan.go says with what token and job, winfacts.go what the self-test
//     tries, wingrant.go and winacl.go what is changed of the user's files and taken
//     back; wincommand.go and winenv.go are what is started. box_windows.go and its like
//     are the calls.
package sandbox
