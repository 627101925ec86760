package sandbox

import (
	"golang.org/x/net/bpf"
)

// The seccomp filter is a list of rules tried in order over the call's number
// and arguments; what no rule names is allowed. It is pure data assembled with
// x/net/bpf, so its verdicts are tested in the BPF virtual machine on any OS.

// Return values of seccomp(2), without their data.
const (
	retKill   uint32 = 0x80000000
	retAllow  uint32 = 0x7fff0000
	retNotify uint32 = 0x7fc00000
	retErrno  uint32 = 0x00050000
)

// x32Bit marks the x32 calls of x86-64, which reach the same kernel functions
// under other numbers and so past a filter that forgets them.
const x32Bit = 0x40000000

// op compares an argument.
type op uint8

const (
	opEqual op = iota
	opNotEqual
	opAnyBit // any bit of val is set
)

// cond holds when (argument & mask) op val, on the low 32 bits of the argument,
// which is all the kernel looks at for flags, pids, families and commands.
type cond struct {
	arg  uint32
	mask uint32
	op   op
	val  uint32
}

// sysRule is one call, the conditions that must all hold, and what then happens.
type sysRule struct {
	nr    uint32
	conds []cond
	ret   uint32
}

// Offsets into struct seccomp_data on a little-endian machine.
const (
	offNr   = 0
	offArch = 4
	offArgs = 16
)

// assemble makes the program: foreign architectures die (int 0x80 is the classic way
// around a filter), calls that are newer than the newest we know don't exist, for the
// next rename would pass a list of those of today, and with them x32's; then the rules.
func assemble(arch, newest uint32, rules []sysRule) ([]bpf.RawInstruction, error) {
	prog := []bpf.Instruction{
		bpf.LoadAbsolute{Off: offArch, Size: 4},
		bpf.JumpIf{Cond: bpf.JumpEqual, Val: arch, SkipTrue: 1},
		bpf.RetConstant{Val: retKill},
		bpf.LoadAbsolute{Off: offNr, Size: 4},
		bpf.JumpIf{Cond: bpf.JumpGreaterThan, Val: newest, SkipFalse: 1},
		bpf.RetConstant{Val: retErrno | errENOSYS},
	}
	for _, r := range rules {
		prog = append(prog, r.block()...)
	}
	return bpf.Assemble(append(prog, bpf.RetConstant{Val: retAllow}))
}

// block loads the number and falls through to the next block unless everything
// matches.
func (r sysRule) block() []bpf.Instruction {
	var body []bpf.Instruction
	for i := len(r.conds) - 1; i >= 0; i-- {
		c := r.conds[i].test(uint8(len(body) + 1)) // +1: the return itself
		body = append(c, body...)
	}
	body = append(body, bpf.RetConstant{Val: r.ret})
	head := []bpf.Instruction{
		bpf.LoadAbsolute{Off: offNr, Size: 4},
		bpf.JumpIf{Cond: bpf.JumpEqual, Val: r.nr, SkipFalse: uint8(len(body))},
	}
	return append(head, body...)
}

// test jumps over skip instructions when the condition doesn't hold.
func (c cond) test(skip uint8) []bpf.Instruction {
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

func is(arg, val uint32) cond        { return cond{arg, ^uint32(0), opEqual, val} }
func isNot(arg, val uint32) cond     { return cond{arg, ^uint32(0), opNotEqual, val} }
func hasAny(arg, bits uint32) cond   { return cond{arg, ^uint32(0), opAnyBit, bits} }
func masked(arg, m, val uint32) cond { return cond{arg, m, opEqual, val} }

// newestOf is the highest number of a table: what is above it was not looked at.
func newestOf(nr map[string]uint32) (most uint32) {
	for _, n := range nr {
		most = max(most, n)
	}
	return most
}
