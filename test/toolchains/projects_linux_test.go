package toolchains

import (
	"archive/tar"
	"archive/zip"
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"crypto/sha512"
	"encoding/base64"
	"encoding/hex"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"testing"
)

// project copies a project of testdata/projects into the user's folder.
func (u *user) project(name string) (dir string) {
	u.t.Helper()
	dir = filepath.Join(u.work, name)
	if err := os.CopyFS(dir, os.DirFS(filepath.Join(module, "testdata/projects", name))); err != nil {
		u.t.Fatal(err)
	}
	u.own(dir)
	return dir
}

func fixture(t *testing.T, path string) []byte {
	t.Helper()
	data, err := os.ReadFile(filepath.Join(module, "testdata/projects", path))
	if err != nil {
		t.Fatal(err)
	}
	return data
}

// goProject has a dependency, which the user has downloaded once.
func (u *user) goProject() (dir string) {
	u.t.Helper()
	u.compiled()
	dir = u.project("go")
	proxy := filepath.Join(u.home, "proxy")
	at := filepath.Join(proxy, "example.org/dep/@v")
	var zipped bytes.Buffer
	z := zip.NewWriter(&zipped)
	for _, name := range []string{"go.mod", "dep.go"} {
		w, err := z.Create("example.org/dep@v1.0.0/" + name)
		if err == nil {
			_, err = w.Write(fixture(u.t, "go-dep/"+name))
		}
		if err != nil {
			u.t.Fatal(err)
		}
	}
	if err := z.Close(); err != nil {
		u.t.Fatal(err)
	}
	u.write(filepath.Join(at, "list"), "v1.0.0\n")
	u.write(filepath.Join(at, "v1.0.0.info"), `{"Version":"v1.0.0"}`)
	u.write(filepath.Join(at, "v1.0.0.mod"), string(fixture(u.t, "go-dep/go.mod")))
	u.write(filepath.Join(at, "v1.0.0.zip"), zipped.String())
	u.own(proxy)
	if out, code := u.run(dir, []string{"GOPROXY=file://" + proxy}, "go", "mod", "tidy"); code != 0 {
		u.t.Fatalf("%s", out)
	}
	return dir
}

// compiled gives the user what a person who works with Go has: a cache with the standard
// library in it. To compile it for each test took longer than the tests.
func (u *user) compiled() {
	u.t.Helper()
	from, err := standardLibrary()
	if err != nil {
		u.t.Fatal(err)
	}
	cache := filepath.Join(u.home, ".cache")
	if err := os.CopyFS(filepath.Join(cache, "go-build"), os.DirFS(from)); err != nil {
		u.t.Fatal(err)
	}
	u.own(cache)
}

// standardLibrary is a cache that holds what the projects import of it, compiled as run
// would have it.
var standardLibrary = sync.OnceValues(func() (cache string, err error) {
	cache = filepath.Join(filepath.Dir(bin), "go-build")
	build := exec.Command("go", "build", "net/http", "testing", "testing/internal/testdeps")
	build.Env = []string{"HOME=" + filepath.Dir(bin), "PATH=" + os.Getenv("PATH"), "GOFLAGS=-buildvcs=false", "GOCACHE=" + cache}
	if out, err := build.CombinedOutput(); err != nil {
		return "", fmt.Errorf("%w\n%s", err, out)
	}
	return cache, nil
})

// crateProject depends on a crate of a registry, which the user has fetched once.
func (u *user) crateProject() (dir string) {
	u.t.Helper()
	dir = u.project("rust")
	var packed bytes.Buffer
	gz := gzip.NewWriter(&packed)
	w := tar.NewWriter(gz)
	for _, name := range []string{"Cargo.toml", "src/lib.rs"} {
		data := fixture(u.t, "rust-dep/"+name)
		if err := w.WriteHeader(&tar.Header{Name: "dep-1.0.0/" + name, Mode: 0o644, Size: int64(len(data))}); err != nil {
			u.t.Fatal(err)
		}
		if _, err := w.Write(data); err != nil {
			u.t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		u.t.Fatal(err)
	}
	if err := gz.Close(); err != nil {
		u.t.Fatal(err)
	}
	sum := sha256.Sum256(packed.Bytes())
	registry := filepath.Join(u.home, "registry")
	u.write(filepath.Join(registry, "dl/dep-1.0.0.crate"), packed.String())
	u.write(filepath.Join(registry, "index/config.json"), `{"dl":"file://`+registry+`/dl/{crate}-{version}.crate"}`)
	u.write(filepath.Join(registry, "index/3/d/dep"),
		`{"name":"dep","vers":"1.0.0","deps":[],"cksum":"`+hex.EncodeToString(sum[:])+`","features":{},"yanked":false}`+"\n")
	u.own(registry)
	u.repository(filepath.Join(registry, "index"))
	u.write(filepath.Join(dir, ".cargo/config.toml"), "[registries.mine]\nindex = \"file://"+registry+"/index\"\n")
	u.write(filepath.Join(dir, "Cargo.toml"), string(fixture(u.t, "rust/Cargo.toml"))+"\n[dependencies]\ndep = { version = \"1\", registry = \"mine\" }\n")
	u.write(filepath.Join(dir, "src/main.rs"), "fn main() {\n    println!(\"sum {}\", dep::add(1, 2));\n}\n\n#[test]\nfn add() {\n    assert_eq!(dep::add(1, 2), 3);\n}\n")
	u.outside(dir, "cargo", "fetch")
	return dir
}

// npmProject has a lock file, and what it locks as a file beside it.
func (u *user) npmProject() (dir string) {
	u.t.Helper()
	dir = u.project("npm")
	dep := u.project("npm-dep")
	u.outside(dep, "npm", "pack", "--pack-destination", dir)
	data, err := os.ReadFile(filepath.Join(dir, "dep-1.0.0.tgz"))
	if err != nil {
		u.t.Fatal(err)
	}
	sum := sha512.Sum512(data)
	u.write(filepath.Join(dir, "package-lock.json"), `{
  "name": "project",
  "version": "1.0.0",
  "lockfileVersion": 3,
  "requires": true,
  "packages": {
    "": {
      "name": "project",
      "version": "1.0.0",
      "dependencies": {
        "dep": "1.0.0"
      }
    },
    "node_modules/dep": {
      "version": "1.0.0",
      "resolved": "https://registry.npmjs.org/dep/-/dep-1.0.0.tgz",
      "integrity": "sha512-`+base64.StdEncoding.EncodeToString(sum[:])+`"
    }
  }
}
`)
	return dir
}

// repository makes dir a git repository with one commit.
func (u *user) repository(dir string) {
	u.t.Helper()
	u.outside(dir, "git", "-c", "init.defaultBranch=main", "init", "-q")
	u.outside(dir, "git", "add", "-A")
	u.outside(dir, "git", "-c", "user.name=a", "-c", "user.email=a@example.org", "-c", "commit.gpgSign=false", "commit", "-qm", "first")
}
