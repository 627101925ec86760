// A module of its own, so that what writes SBOMs isn't in pillion's.
module github.com/pillion-sidecar/pillion/packaging/sbom

go 1.26.0

require github.com/CycloneDX/cyclonedx-go v0.12.0
