package seccomp

import "golang.org/x/net/bpf"

// The seccomp filter is a list of rules tried in order over the call's number
// and arguments; what no rule names is allowed. It is pure data assembled with
// x/net/bpf, so its verdicts are tested in the BPF virtual machine on any OS.

// Return values of seccomp(2), without their data.
const (
	retKill   uint32 = 0x80000000
	retAllow  uint32 = 0x7fff0000
	retNotify uint32 = 0x7fc00000
	RetErrno  uint32 = 0x00050000
)

// X32Bit marks the x32 calls of x86-64, which reach the same kernel functions
// under other numbers and so past a filter that forgets them.
const X32Bit = 0x40000000

// op compares an argument.
type op uint8

const (
	opEqual op = iota
	opNotEqual
	opAnyBit // any bit of val is set
)

// Cond holds when (argument & mask) op val, on the low 32 bits of the argument,
// which is all the kernel looks at for flags, pids, families and commands.
type Cond struct {
	arg  uint32
	mask uint32
	op   op
	val  uint32
}

// Rule is one call, the conditions that must all hold, and what then happens.
type Rule struct {
	Nr    uint32
	Conds []Cond
	Ret   uint32
}

// Offsets into struct seccomp_data on a little-endian machine.
const (
	offNr   = 0
	offArch = 4
	offArgs = 16
)

// Assemble makes the program: foreign architectures die (int 0x80 is the classic way
// around a filter), calls that are newer than the newest we know don't exist, for the
// next rename would pass a list of those of today, and with them x32's; then the rules.
func Assemble(arch, newest uint32, rules []Rule) ([]bpf.RawInstruction, error) {
	prog := []bpf.Instruction{
		bpf.LoadAbsolute{Off: offArch, Size: 4},
		bpf.JumpIf{Cond: bpf.JumpEqual, Val: arch, SkipTrue: 1},
		bpf.RetConstant{Val: retKill},
		bpf.LoadAbsolute{Off: offNr, Size: 4},
		bpf.JumpIf{Cond: bpf.JumpGreaterThan, Val: newest, SkipFalse: 1},
		bpf.RetConstant{Val: RetErrno | ErrENOSYS},
	}
	for _, r := range rules {
		prog = append(prog, r.block()...)
	}
	return bpf.Assemble(append(prog, bpf.RetConstant{Val: retAllow}))
}

// block loads the number and falls through to the next block unless everything
// matches.
func (r Rule) block() []bpf.Instruction {
	var body []bpf.Instruction
	for i := len(r.Conds) - 1; i >= 0; i-- {
		c := r.Conds[i].test(uint8(len(body) + 1)) // +1: the return itself
		body = append(c, body...)
	}
	body = append(body, bpf.RetConstant{Val: r.Ret})
	head := []bpf.Instruction{
		bpf.LoadAbsolute{Off: offNr, Size: 4},
		bpf.JumpIf{Cond: bpf.JumpEqual, Val: r.Nr, SkipFalse: uint8(len(body))},
	}
	return append(head, body...)
}

// test jumps over skip instructions when the condition doesn't hold.
func (c Cond) test(skip uint8) []bpf.Instruction {
	load := bpf.LoadAbsolute{Off: offArgs + 8*c.arg, Size: 4}
	and := bpf.ALUOpConstant{Op: bpf.ALUOpAnd, Val: c.mask}
	jump := bpf.JumpIf{Cond: bpf.JumpEqual, Val: c.val, SkipFalse: skip}
	switch c.op {
	case opNotEqual:
		jump = bpf.JumpIf{Cond: bpf.JumpNotEqual, Val: c.val, SkipFalse: skip}
	case opAnyBit:
		jump = bpf.JumpIf{Cond: bpf.JumpBitsSet, Val: c.val, SkipFalse: skip}
	}
	return []bpf.Instruction{load, and, jump}
}

// Is asks whether an argument's lower half has a value.
func Is(arg, val uint32) Cond        { return Cond{arg, ^uint32(0), opEqual, val} }
func isNot(arg, val uint32) Cond     { return Cond{arg, ^uint32(0), opNotEqual, val} }
func hasAny(arg, bits uint32) Cond   { return Cond{arg, ^uint32(0), opAnyBit, bits} }
func masked(arg, m, val uint32) Cond { return Cond{arg, m, opEqual, val} }

// Newest is the highest number of a table: what is above it was not looked at.
func Newest(nr map[string]uint32) (most uint32) {
	for _, n := range nr {
		most = max(most, n)
	}
	return most
}
