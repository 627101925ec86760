package wintoken

import (
	"fmt"

	"github.com/pillion-sidecar/pillion/sandbox/policy"
)

// What a command of Windows is started with. Two things confine it, and a write
// must pass both:
//
//   - Low integrity, as browsers give to their renderers: nothing without a low label
//     can be written, no window of another program be sent keys, no process of the
//     user be opened to change it.
//   - A list of restricting SIDs that counts for writing (WRITE_RESTRICTED): the
//     user's own rights are not enough, one of these must be granted them as well.
//     It closes what low integrity leaves writable: AppData\LocalLow, and whatever
//     other programs have labelled so.
//
// Neither alone would do. Without the low level a command could type into the
// user's terminal; without the SIDs it could leave files in LocalLow for the next
// program that reads there. Where a machine can't start programs with both, the rung
// below keeps the level and reports the rest.
type tokenPlan struct {
	flags       uint32   // of CreateRestrictedToken
	denyOnly    []string // groups that may only deny from now on
	restricting []string // SIDs, "" for the logon session's
	integrity   string   // SID of the level
	created     string   // SDDL: who may open what a command creates without saying so
}

// CreateRestrictedToken's flags, from winnt.h.
const (
	disableMaxPrivilege = 0x1
	writeRestricted     = 0x8
)

// Well-known SIDs.
const (
	sidEveryone     = "S-1-1-0"
	sidLowIntegrity = "S-1-16-4096"
	sidLogon        = "" // differs from one logon to the next; the primitive knows it
)

// adminGroups are those whose members may change the machine. An elevated editor
// has them enabled: a command must not.
var adminGroups = []string{
	"S-1-5-32-544", // Administrators
	"S-1-5-32-547", // Power Users
	"S-1-5-32-548", // Account Operators
	"S-1-5-32-549", // Server Operators
	"S-1-5-32-550", // Print Operators
	"S-1-5-32-551", // Backup Operators
	"S-1-5-32-556", // Network Configuration Operators
	"S-1-5-32-578", // Hyper-V Administrators
	"S-1-5-114",    // local account and member of Administrators
}

// PlanToken says what token commands of a rung get. own is the sandbox's SID alone, user
// the user's. The zero plan is mode off.
func PlanToken(rung string, p policy.Policy, own, user string) tokenPlan {
	if p.Mode == policy.Off {
		return tokenPlan{}
	}
	t := tokenPlan{
		flags: disableMaxPrivilege, denyOnly: adminGroups, integrity: sidLowIntegrity,
		created: fmt.Sprintf("D:(A;;GA;;;%s)(A;;GA;;;SY)(A;;GA;;;%s)", user, own),
	}
	if rung == policy.RungWriteRestricted {
		t.flags |= writeRestricted
		// Everyone and the logon session are in the rules of what every program needs:
		// NUL, the console, the desktop. Files that everyone may write are kept by the
		// level.
		t.restricting = []string{own, sidEveryone, sidLogon}
	}
	return t
}

// JobPlan is what the job object of one command holds.
type JobPlan struct {
	Limits    uint32 // JOB_OBJECT_LIMIT flags
	UI        uint32 // JOB_OBJECT_UILIMIT flags
	Processes uint32
	Memory    uint64 // bytes of all processes together
	CPU       int64  // of all processes together in user mode, in 100 ns
}

// Flags of job objects, from winnt.h. Breaking away from one is not among them: it
// is refused unless a job allows it, and a process outside of the job would outlive
// its command.
const (
	jobActiveProcess  = 0x8
	jobTime           = 0x4
	jobMemory         = 0x200
	jobDieOnException = 0x400 // no dialog that waits for a person who can't see it
	jobKillOnClose    = 0x2000

	jobUIAll = 0xff // handles, clipboard, system parameters, display, atoms, desktop, exit
)

// PlanJob says so. KILL_ON_JOB_CLOSE is what ends every command with the sidecar,
// however that ends: the kernel closes its handles. A sidecar that is in a job itself,
// as below many editors, starts commands that are in two, and Windows lets none of two
// limit the user interface: clipboard and broadcasts stay open then, and the report
// says so. Windows of programs above low integrity are out of reach in any case.
func PlanJob(p policy.Policy, nested bool) JobPlan {
	if p.Mode == policy.Off {
		return JobPlan{Limits: jobKillOnClose | jobDieOnException}
	}
	l := p.Limits
	j := JobPlan{
		Limits: jobKillOnClose | jobDieOnException | jobActiveProcess | jobMemory, UI: jobUIAll,
		Processes: uint32(min(l.Processes, 1<<31-1)), Memory: uint64(l.Memory),
	}
	if nested {
		j.UI = 0
	}
	if l.CPU > 0 {
		j.Limits |= jobTime
		j.CPU = l.CPU.Nanoseconds() / 100
	}
	return j
}
