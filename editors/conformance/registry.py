"""Four fresh projects, and a registry for each: registry.py DIRECTORY

Makes npm/, pip/, cargo/ and go/ in DIRECTORY and says in a line of JSON what installs each of
them, and at which host and port its registry is. It serves until its input ends. The address is
this machine's own and no loopback, which tools take for the sandbox's; where there is none,
127.0.0.2, to which go takes no proxy.
"""

import base64
import hashlib
import http.server
import io
import json
import pathlib
import shutil
import socket
import subprocess
import sys
import tarfile
import tempfile
import threading
import zipfile

directory, served = pathlib.Path(sys.argv[1]), {}
temporary = tempfile.mkdtemp()


def own_address():
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
        try:
            probe.connect(("192.0.2.1", 9))  # nothing is sent
            return probe.getsockname()[0]
        except OSError:
            return "127.0.0.2"


class Registry(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        path = self.path.partition("?")[0]
        body = served.get(path)
        file = pathlib.Path(temporary, path[1:])
        if path.startswith("/index/.git/") and file.is_file():
            body = file.read_bytes()
        self.send_response(404 if body is None else 200)
        self.send_header("Content-Length", str(len(body or b"")))
        if self.path.endswith("/dep/"):
            self.send_header("Content-Type", "text/html")
        self.end_headers()
        self.wfile.write(body or b"")

    def log_message(self, *_):
        pass


def tar(**files):
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode="w:gz") as archive:
        for name, text in files.items():
            member = tarfile.TarInfo(name)
            member.size = len(text)
            archive.addfile(member, io.BytesIO(text.encode()))
    return out.getvalue()


def zipped(**files):
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as archive:
        for name, text in files.items():
            archive.writestr(name, text)
    return out.getvalue()


def project(name, **files):
    for path, text in files.items():
        file = directory / name / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text)


def npm(url):
    archive = tar(**{"package/package.json": '{"name":"dep","version":"1.0.0"}', "package/index.js": ""})
    dist = {"tarball": url + "/dep/-/dep-1.0.0.tgz", "shasum": hashlib.sha1(archive).hexdigest()}
    version = {"name": "dep", "version": "1.0.0", "dist": dist}
    served["/dep"] = json.dumps({"name": "dep", "dist-tags": {"latest": "1.0.0"}, "versions": {"1.0.0": version}}).encode()
    served["/dep/-/dep-1.0.0.tgz"] = archive
    settings = f"registry={url}/\naudit=false\nfund=false\n"
    project("npm", **{"package.json": '{"dependencies":{"dep":"1.0.0"}}', ".npmrc": settings})


def pip(url):
    wheel = "dep-1.0-py3-none-any.whl"
    served["/simple/dep/"] = f'<a href="{wheel}">{wheel}</a>'.encode()
    served["/simple/dep/" + wheel] = zipped(**{
        "dep.py": "",
        "dep-1.0.dist-info/METADATA": "Metadata-Version: 2.1\nName: dep\nVersion: 1.0\n",
        "dep-1.0.dist-info/WHEEL": "Wheel-Version: 1.0\nGenerator: test\nRoot-Is-Purelib: true\nTag: py3-none-any\n",
        "dep-1.0.dist-info/RECORD": "dep.py,,\n",
    })
    project("pip", **{"requirements.txt": f"--index-url {url}/simple/\n--trusted-host {address}\ndep==1.0\n"})


def cargo(url):
    manifest = '[package]\nname = "dep"\nversion = "1.0.0"\n'
    archive = tar(**{"dep-1.0.0/Cargo.toml": manifest, "dep-1.0.0/src/lib.rs": ""})
    row = {"name": "dep", "vers": "1.0.0", "deps": [], "cksum": hashlib.sha256(archive).hexdigest(), "features": {}, "yanked": False}
    index = pathlib.Path(temporary, "index")  # by git: cargo knows no other kind before 1.68
    (index / "3/d").mkdir(parents=True)
    (index / "config.json").write_text(json.dumps({"dl": url + "/dl/{crate}-{version}"}))
    (index / "3/d/dep").write_text(json.dumps(row) + "\n")
    git = ["git", "-C", index, "-c", "user.name=a", "-c", "user.email=a@example.org"]
    for arguments in (["init", "-q"], ["add", "."], ["commit", "-qm", "dep"], ["update-server-info"]):
        subprocess.run(git + arguments, check=True)
    served["/dl/dep-1.0.0"] = archive
    mine = '[net]\ngit-fetch-with-cli = true # what serves it is not smart\n[source.crates-io]\nreplace-with = "mine"\n'
    mine += f'[source.mine]\nregistry = "{url}/index/.git"\n'
    own = '[package]\nname = "own"\nversion = "0.1.0"\n[dependencies]\ndep = "1"\n'
    project("cargo", **{"Cargo.toml": own, "src/lib.rs": "", ".cargo/config.toml": mine})


def dirhash(**files):
    rows = "".join(f"{hashlib.sha256(text.encode()).hexdigest()}  {name}\n" for name, text in sorted(files.items()))
    return "h1:" + base64.b64encode(hashlib.sha256(rows.encode()).digest()).decode()


def go(url):
    mod, source = "module example.test/dep\n", "package dep\n"
    files = {"example.test/dep@v1.0.0/go.mod": mod, "example.test/dep@v1.0.0/dep.go": source}
    served["/example.test/dep/@v/v1.0.0.info"] = b'{"Version":"v1.0.0"}'
    served["/example.test/dep/@v/v1.0.0.mod"] = mod.encode()
    served["/example.test/dep/@v/v1.0.0.zip"] = zipped(**files)
    sums = f"example.test/dep v1.0.0 {dirhash(**files)}\nexample.test/dep v1.0.0/go.mod {dirhash(**{'go.mod': mod})}\n"
    own = "module example.test/own\n\ngo 1.22\n\nrequire example.test/dep v1.0.0\n"
    # A person's own GOPROXY is a setting of their machine; the command says it here. An editor
    # may have the PATH of a login shell.
    script = f"GOPROXY={url} {shutil.which('go') or 'go'} mod download\n"
    project("go", **{"go.mod": own, "go.sum": sums, "go.sh": script})


def program(name, path):
    """A program of the system: one of a person's home may want to write there."""
    return path if pathlib.Path(path).exists() else name


install = {
    "npm": "npm install",
    "pip": program("pip3", "/usr/bin/pip3") + " install -q --target lib -r requirements.txt",
    "cargo": program("cargo", "/usr/bin/cargo") + " fetch",
    "go": "sh go.sh",
}
address, said = own_address(), {}
for name, command in install.items():
    server = http.server.ThreadingHTTPServer((address, 0), Registry)
    host = f"{address}:{server.server_port}"
    {"npm": npm, "pip": pip, "cargo": cargo, "go": go}[name]("http://" + host)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    said[name] = {"host": host, "command": command}
print(json.dumps(said), flush=True)
sys.stdin.read()
shutil.rmtree(temporary)
