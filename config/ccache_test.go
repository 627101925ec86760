package config

import (
	"os"
	"path/filepath"
	"testing"
)

// What finds compiled objects again comes along, by file or by variable, and nothing that
// names a program, a server or a place.
func TestCcacheSettingsThatComeAlong(t *testing.T) {
	for name, tc := range map[string]struct {
		file string // where
		text string
		env  map[string]string
		want string
	}{
		"none": {},
		"plain ones": {
			file: ".config/ccache/ccache.conf",
			text: "# mine\nbase_dir = /home/me\nmax_size=20G\nremote_storage = redis://:secret@host\nprefix_command = distcc\ncache_dir = /elsewhere\n",
			want: "base_dir = /home/me\nmax_size = 20G\n",
		},
		"variables are over the file": {
			file: ".config/ccache/ccache.conf",
			text: "hash_dir = true\nsloppiness = locale\n",
			env:  map[string]string{"CCACHE_NOHASHDIR": "1", "CCACHE_SLOPPINESS": "time_macros", "CCACHE_REMOTE_STORAGE": "http://me:secret@host"},
			want: "hash_dir = false\nsloppiness = time_macros\n",
		},
		"beside an old cache":        {file: ".ccache/ccache.conf", text: "max_size = 1G\n", want: "max_size = 1G\n"},
		"a command tells them apart": {file: ".config/ccache/ccache.conf", text: "compiler_check = %compiler% -v\n"},
		"a text tells them apart":    {file: ".config/ccache/ccache.conf", text: "compiler_check = string:1\n", want: "compiler_check = string:1\n"},
		"no line is added":           {env: map[string]string{"CCACHE_NAMESPACE": "a\nprefix_command = sh"}},
	} {
		t.Run(name, func(t *testing.T) {
			home := t.TempDir()
			if tc.file != "" {
				path := filepath.Join(home, tc.file)
				if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
					t.Fatal(err)
				}
				if err := os.WriteFile(path, []byte(tc.text), 0o600); err != nil {
					t.Fatal(err)
				}
			}
			env := map[string]string{"HOME": home}
			for k, v := range tc.env {
				env[k] = v
			}
			got := ""
			for _, f := range ccacheFiles(environment(env), home) {
				got += f.Text
			}
			if got != tc.want {
				t.Errorf("got %q, want %q", got, tc.want)
			}
		})
	}
}
