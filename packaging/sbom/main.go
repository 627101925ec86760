// Command sbom writes what a Go program was made of, as CycloneDX:
//
//	sbom VERSION PROGRAM FILE
//
// It reads the list that the linker left in the program itself, so it can't say
// anything else than what is inside. Every run gives the same bytes: the serial
// number is made from the program's checksum, and there is no date.
package main

import (
	"crypto/sha256"
	"debug/buildinfo"
	"encoding/base64"
	"encoding/hex"
	"fmt"
	"os"
	"path/filepath"
	"runtime/debug"
	"strings"

	cdx "github.com/CycloneDX/cyclonedx-go"
)

func main() {
	if len(os.Args) != 4 {
		fmt.Fprintln(os.Stderr, "usage: sbom VERSION PROGRAM FILE")
		os.Exit(2)
	}
	if err := write(os.Args[1], os.Args[2], os.Args[3]); err != nil {
		fmt.Fprintln(os.Stderr, "sbom:", err)
		os.Exit(1)
	}
}

func write(version, program, file string) error {
	info, err := buildinfo.ReadFile(program)
	if err != nil {
		return fmt.Errorf("%s is no Go program: %w", program, err)
	}
	content, err := os.ReadFile(program)
	if err != nil {
		return err
	}
	bom, err := list(version, strings.TrimSuffix(filepath.Base(program), ".exe"), info, sha256.Sum256(content))
	if err != nil {
		return err
	}
	f, err := os.Create(file)
	if err != nil {
		return err
	}
	if err := cdx.NewBOMEncoder(f, cdx.BOMFileFormatJSON).SetPretty(true).EncodeVersion(bom, cdx.SpecVersion1_6); err != nil {
		return err
	}
	return f.Close()
}

// list is the document for one program.
func list(version, name string, info *debug.BuildInfo, sum [32]byte) (*cdx.BOM, error) {
	main := cdx.Component{
		Type: cdx.ComponentTypeApplication, Name: name, Version: version,
		BOMRef: purl(info.Main.Path, "v"+version) + "#" + name, PackageURL: purl(info.Main.Path, "v"+version),
		Licenses: &cdx.Licenses{{License: &cdx.License{ID: "Apache-2.0"}}},
		Hashes:   &[]cdx.Hash{{Algorithm: cdx.HashAlgoSHA256, Value: hex.EncodeToString(sum[:])}},
	}
	toolchain := strings.TrimPrefix(info.GoVersion, "go")
	std := cdx.Component{
		Type: cdx.ComponentTypeLibrary, Name: "std", Version: toolchain,
		BOMRef: purl("std", toolchain), PackageURL: purl("std", toolchain),
	}
	parts, refs := []cdx.Component{std}, []string{std.BOMRef}
	for _, m := range info.Deps {
		c, err := component(m)
		if err != nil {
			return nil, err
		}
		parts, refs = append(parts, c), append(refs, c.BOMRef)
	}
	bom := cdx.NewBOM()
	bom.SerialNumber = serial(sum)
	bom.Metadata = &cdx.Metadata{Component: &main}
	bom.Components = &parts
	bom.Dependencies = &[]cdx.Dependency{{Ref: main.BOMRef, Dependencies: &refs}}
	return bom, nil
}

// component is one module. Its sum in go.sum is a SHA-256 of its files.
func component(m *debug.Module) (cdx.Component, error) {
	if m.Replace != nil {
		m = m.Replace
	}
	sum, err := base64.StdEncoding.DecodeString(strings.TrimPrefix(m.Sum, "h1:"))
	if err != nil || len(sum) != sha256.Size {
		return cdx.Component{}, fmt.Errorf("%s %s was linked without a checksum (%q); build it from go.sum", m.Path, m.Version, m.Sum)
	}
	ref := purl(m.Path, m.Version)
	return cdx.Component{
		Type: cdx.ComponentTypeLibrary, Name: m.Path, Version: m.Version, BOMRef: ref, PackageURL: ref,
		Hashes: &[]cdx.Hash{{Algorithm: cdx.HashAlgoSHA256, Value: hex.EncodeToString(sum)}},
	}, nil
}

// purl names a module as scanners look for it.
func purl(module, version string) string {
	return "pkg:golang/" + strings.ToLower(module) + "@" + strings.ReplaceAll(version, "+", "%2B")
}

// serial is an UUID of the kind that is made from a checksum.
func serial(sum [32]byte) string {
	id := sum[:16]
	id[6], id[8] = id[6]&0x0f|0x80, id[8]&0x3f|0x80
	return fmt.Sprintf("urn:uuid:%x-%x-%x-%x-%x", id[:4], id[4:6], id[6:8], id[8:10], id[10:])
}
