// Command shim writes bcryptprimitives.dll, which Wine 8 lacks and without which no
// program of Go starts: its runtime takes random numbers from ProcessPrng.
//
//	go run ./test/wine/shim FILE
//
// The DLL has no code. Its one export is a forwarder, the text
// "advapi32.SystemFunction036", which the loader resolves to the function of the same
// signature of RtlGenRandom.
package main

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"os"
)

const (
	dllName   = "bcryptprimitives.dll"
	export    = "ProcessPrng"
	forwarder = "advapi32.SystemFunction036"

	fileAlign = 0x200
	pageAlign = 0x1000
	imageBase = 0x1_8000_0000
)

func main() {
	if len(os.Args) != 2 {
		fmt.Fprintln(os.Stderr, "usage: shim FILE")
		os.Exit(2)
	}
	if err := os.WriteFile(os.Args[1], image(), 0o644); err != nil {
		fmt.Fprintln(os.Stderr, "shim:", err)
		os.Exit(1)
	}
}

// image is the whole file: headers in one page, exports in the next. The layout is
// that of Microsoft's "PE Format".
func image() []byte {
	edata, size := exports(pageAlign)
	var b bytes.Buffer
	put := func(fields ...any) {
		for _, f := range fields {
			_ = binary.Write(&b, binary.LittleEndian, f) // a Buffer takes everything
		}
	}
	put([]byte("MZ"), make([]byte, 58), uint32(64)) // DOS header: where the next one is
	put([]byte("PE\x00\x00"))
	put(uint16(0x8664), uint16(1), uint32(0), uint32(0), uint32(0), uint16(240), uint16(0x2022)) // x64, one section, a large-address-aware DLL
	put(uint16(0x20b), uint16(0), uint32(0), uint32(len(edata)), uint32(0), uint32(0), uint32(0))
	put(uint64(imageBase), uint32(pageAlign), uint32(fileAlign))
	put(uint16(6), uint16(0), uint16(0), uint16(0), uint16(6), uint16(0), uint32(0))
	put(uint32(2*pageAlign), uint32(fileAlign), uint32(0), uint16(3), uint16(0x100)) // NX compatible
	put(uint64(1<<20), uint64(1<<12), uint64(1<<20), uint64(1<<12), uint32(0), uint32(16))
	put(uint32(pageAlign), size, make([]byte, 15*8)) // the first of 16 directories: exports
	put([]byte(".edata\x00\x00"), size, uint32(pageAlign), uint32(len(edata)), uint32(fileAlign), make([]byte, 12), uint32(0x4000_0040))
	b.Write(make([]byte, fileAlign-b.Len()))
	b.Write(edata)
	return b.Bytes()
}

// exports is the export directory at an address, and how long it is without the
// padding. An address of a function within the directory is a forwarder's text.
func exports(at uint32) ([]byte, uint32) {
	const tables = 40
	functions := at + tables
	names, ordinals := functions+4, functions+8
	file := functions + 10
	name := file + uint32(len(dllName)) + 1
	text := name + uint32(len(export)) + 1
	var b bytes.Buffer
	for _, f := range []any{
		uint32(0), uint32(0), uint32(0), file, uint32(1), uint32(1), uint32(1), functions, names, ordinals,
		text, name, uint16(0), []byte(dllName + "\x00" + export + "\x00" + forwarder + "\x00"),
	} {
		_ = binary.Write(&b, binary.LittleEndian, f)
	}
	size := uint32(b.Len())
	b.Write(make([]byte, fileAlign-b.Len()))
	return b.Bytes(), size
}
