"""Prints nfpm's configuration for what goreleaser would do with .goreleaser.yaml, so
that the package can be made without goreleaser, which takes minutes to build:

    packaging/test/nfpm.py VERSION ARCH DATE PROGRAMS
"""
import sys
import yaml

version, arch, date, programs = sys.argv[1:]
with open(".goreleaser.yaml") as file:
    config = yaml.safe_load(file)["nfpms"][0]
for ours in ("id", "formats", "file_name_template"):
    config.pop(ours)
config["name"] = config.pop("package_name")
bindir = config.pop("bindir")
config.update(version=version, arch=arch, platform="linux", mtime=date)
config["contents"] += [
    {"src": f"{programs}/{p}", "dst": f"{bindir}/{p}"} for p in ("pillion", "pillion-mcp")
]
yaml.safe_dump(config, sys.stdout)
