package config

import (
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"github.com/pillion-sidecar/pillion/sandbox"
)

// ccacheVariables name those of ccache's settings that decide whether what the user has
// compiled is found again, or how much is kept, by the variables that set them, too. A
// command's ccache needs all of them; no other names a program, a server or a directory to
// write in. ccache(1)
var ccacheVariables = map[string]string{
	"base_dir":                   "BASEDIR",
	"compiler_check":             "COMPILERCHECK",
	"depend_mode":                "DEPEND",
	"direct_mode":                "DIRECT",
	"hash_dir":                   "HASHDIR",
	"ignore_headers_in_manifest": "IGNOREHEADERS",
	"ignore_options":             "IGNOREOPTIONS",
	"keep_comments_cpp":          "COMMENTS",
	"max_files":                  "MAXFILES",
	"max_size":                   "MAXSIZE",
	"namespace":                  "NAMESPACE",
	"pch_external_checksum":      "PCH_EXTSUM",
	"run_second_cpp":             "CPP2",
	"sloppiness":                 "SLOPPINESS",
}

// ccacheSettings is where in the private home ccache looks.
const ccacheSettings = ".config/ccache/ccache.conf"

// ccacheDir is the user's cache. One below ~/.ccache is older than the rules of XDG.
func ccacheDir(env getenv) string {
	if dir := env("CCACHE_DIR"); dir != "" {
		return dir
	}
	if old := below(env("HOME"), ".ccache"); isDir(old) {
		return old
	}
	return filepath.Join(env("XDG_CACHE_HOME"), "ccache")
}

// userCcache is what the user's own file says, and over it the variables.
func userCcache(env getenv, home string) map[string]string {
	file := below(xdgConfig(env, home), "ccache/ccache.conf")
	if dir := ccacheDir(env); env("CCACHE_DIR") != "" || filepath.Base(dir) == ".ccache" {
		file = below(dir, "ccache.conf")
	}
	said := map[string]string{}
	for line := range strings.Lines(readSmall(file)) {
		name, value, ok := strings.Cut(line, "=")
		if name = strings.TrimSpace(name); ok && ccacheVariables[name] != "" {
			said[name] = strings.TrimSpace(value)
		}
	}
	for name, variable := range ccacheVariables {
		if value := env("CCACHE_" + variable); value != "" {
			said[name] = value
		}
		if env("CCACHE_NO"+variable) != "" {
			said[name] = "false"
		}
	}
	maps.DeleteFunc(said, func(name, value string) bool {
		return strings.ContainsAny(value, "\r\n") || name == "compiler_check" && !plainCheck(value)
	})
	return said
}

// plainCheck says that a way to tell compilers apart is no command line.
func plainCheck(value string) bool {
	return value == "mtime" || value == "content" || value == "none" || strings.HasPrefix(value, "string:")
}

// ccacheFiles are ccache's files of the private home.
func ccacheFiles(env getenv, home string) []sandbox.HomeFile {
	said := userCcache(env, home)
	if len(said) == 0 {
		return nil
	}
	var text strings.Builder
	for _, name := range slices.Sorted(maps.Keys(said)) {
		text.WriteString(name + " = " + said[name] + "\n")
	}
	return []sandbox.HomeFile{{Path: ccacheSettings, Text: text.String()}}
}
