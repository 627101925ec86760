package codex

import (
	"encoding/base64"
	"errors"
	"io"
	"io/fs"
	"net/url"
	"os"
	"path/filepath"
	"strings"

	"github.com/pillion-sidecar/pillion/rpc/protocol"
)

func toURI(path string) string {
	return (&url.URL{Scheme: "file", Path: filepath.ToSlash(path)}).String()
}

func fromURI(uri string) (string, error) {
	u, err := url.Parse(uri)
	if err != nil || u.Scheme != "file" || u.Host != "" && u.Host != "localhost" || !filepath.IsAbs(u.Path) || strings.ContainsRune(u.Path, 0) {
		return "", fault{invalidParams, "expected a file: URI with an absolute path"}
	}
	return filepath.Clean(u.Path), nil
}

// folders are the workspace: what Codex says, which is what its user has opened.
func (s *server) folders(i *sandboxIntent) ([]string, error) {
	if i == nil || len(i.Roots) == 0 {
		return []string{s.host.Cwd}, nil
	}
	var list []string
	for _, uri := range i.Roots {
		path, err := fromURI(uri)
		if err != nil {
			return nil, err
		}
		list = append(list, path)
	}
	return list, nil
}

// session is the one of a workspace, which is opened when it is first needed.
func (s *server) session(i *sandboxIntent) (Session, error) {
	folders, err := s.folders(i)
	if err != nil {
		return nil, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	key := strings.Join(folders, "\x00")
	if open := s.sessions[key]; open != nil {
		return open, nil
	}
	open, err := s.host.Open(s.ctx, folders, s.event)
	if err != nil {
		return nil, fault{failed, s.host.Reason(err)}
	}
	s.sessions[key] = open
	return open, nil
}

type pathParams struct {
	Path      string         `json:"path"`
	Data      string         `json:"dataBase64"`
	Recursive bool           `json:"recursive"`
	Force     bool           `json:"force"`
	From      string         `json:"sourcePath"`
	To        string         `json:"destinationPath"`
	Sandbox   *sandboxIntent `json:"sandbox"`
}

var errOutside = fault{notFound, "there is no such file in the workspace"}

// inside opens the folder that a path lies in. Links that lead out of it are refused
// by os.Root; what lies outside is answered as if it were not there.
func (s *server) inside(p pathParams) (root *os.Root, rel, folder string, err error) {
	path, err := fromURI(p.Path)
	if err != nil {
		return nil, "", "", err
	}
	folders, err := s.folders(p.Sandbox)
	if err != nil {
		return nil, "", "", err
	}
	for _, folder := range folders {
		rel, err := filepath.Rel(folder, path)
		if err != nil || rel != "." && !filepath.IsLocal(rel) {
			continue
		}
		root, err := os.OpenRoot(folder)
		if err != nil {
			return nil, "", "", errOutside
		}
		return root, rel, folder, nil
	}
	return nil, "", "", errOutside
}

// told is an error of a file in Codex's words.
func told(err error) error {
	switch {
	case err == nil:
		return nil
	case errors.Is(err, fs.ErrNotExist):
		return errOutside
	}
	var p *fs.PathError
	if errors.As(err, &p) {
		err = p.Err
	}
	return fault{failed, "the file can't be read: " + err.Error()}
}

// maxFile bounds a file that is read or written whole.
const maxFile = 32 << 20

func (s *server) readFile(p pathParams) (any, error) {
	root, rel, _, err := s.inside(p)
	if err != nil {
		return nil, err
	}
	defer root.Close()
	info, err := root.Stat(rel)
	if err == nil && !info.Mode().IsRegular() {
		return nil, fault{failed, "it is not a regular file"}
	}
	if err != nil {
		return nil, told(err)
	}
	f, err := root.Open(rel)
	if err != nil {
		return nil, told(err)
	}
	defer f.Close()
	b, err := io.ReadAll(io.LimitReader(f, maxFile+1))
	if len(b) > maxFile {
		return nil, fault{failed, "the file is too long"}
	}
	return struct {
		Data string `json:"dataBase64"`
	}{base64.StdEncoding.EncodeToString(b)}, told(err)
}

func (s *server) metadata(p pathParams) (any, error) {
	root, rel, _, err := s.inside(p)
	if err != nil {
		return nil, err
	}
	defer root.Close()
	link, err := root.Lstat(rel)
	if err != nil {
		return nil, told(err)
	}
	info, err := root.Stat(rel)
	if err != nil {
		info = link
	}
	return struct {
		Dir      bool  `json:"isDirectory"`
		File     bool  `json:"isFile"`
		Link     bool  `json:"isSymlink"`
		Size     int64 `json:"size"`
		Created  int64 `json:"createdAtMs"`
		Modified int64 `json:"modifiedAtMs"`
	}{info.IsDir(), info.Mode().IsRegular(), link.Mode()&fs.ModeSymlink != 0, info.Size(), info.ModTime().UnixMilli(), info.ModTime().UnixMilli()}, nil
}

// canonicalize leaves a path as it is: which links it has, a command can say.
func (s *server) canonicalize(p pathParams) (any, error) {
	root, rel, folder, err := s.inside(p)
	if err != nil {
		return nil, err
	}
	defer root.Close()
	if _, err := root.Stat(rel); err != nil {
		return nil, told(err)
	}
	return struct {
		Path string `json:"path"`
	}{toURI(filepath.Join(folder, rel))}, nil
}

func (s *server) readDirectory(p pathParams) (any, error) {
	root, rel, _, err := s.inside(p)
	if err != nil {
		return nil, err
	}
	defer root.Close()
	f, err := root.Open(rel)
	if err != nil {
		return nil, told(err)
	}
	defer f.Close()
	list, err := f.ReadDir(100_000)
	if err != nil && !errors.Is(err, io.EOF) {
		return nil, told(err)
	}
	type entry struct {
		Name string `json:"fileName"`
		Dir  bool   `json:"isDirectory"`
		File bool   `json:"isFile"`
	}
	entries := []entry{}
	for _, e := range list {
		entries = append(entries, entry{e.Name(), e.IsDir(), e.Type().IsRegular()})
	}
	return struct {
		Entries []entry `json:"entries"`
	}{entries}, nil
}

// command changes a file as any command would: judged, and in the sandbox.
func (s *server) command(p pathParams, stdin []byte, argv ...string) (any, error) {
	session, err := s.session(p.Sandbox)
	if err != nil {
		return nil, err
	}
	folders, err := s.folders(p.Sandbox)
	if err != nil {
		return nil, err
	}
	params := protocol.ExecParams{Argv: argv, Cwd: folders[0], Description: "Codex, a file"}
	params.Output.Merge = true
	if stdin != nil {
		params.Stdin = &protocol.StdinParams{Data: stdin}
	}
	if p.Sandbox.readOnly() {
		params.Sandbox.Mode = "read-only"
	}
	var r protocol.ExecResult
	if err := session.Call(s.ctx, "exec", params, &r); err != nil {
		return nil, fault{failed, s.host.Reason(err)}
	}
	if r.ExitCode == nil || *r.ExitCode != 0 {
		text := "the sandbox refused it"
		if out, ok := r.Output["stdout"]; ok && out.Text != nil && *out.Text != "" {
			text = strings.TrimSpace(*out.Text)
		}
		return nil, fault{failed, text}
	}
	return struct{}{}, nil
}

func (s *server) writeFile(p pathParams) (any, error) {
	path, err := fromURI(p.Path)
	if err != nil {
		return nil, err
	}
	data, err := base64.StdEncoding.DecodeString(p.Data)
	if err != nil || len(data) > maxFile {
		return nil, fault{invalidParams, "dataBase64 is not base64, or too long"}
	}
	// tee writes what it was given under the name it was given, and nothing else.
	if len(data) == 0 {
		return s.command(p, nil, "cp", "--", "/dev/null", path)
	}
	return s.command(p, data, "dd", "of="+path, "status=none")
}

func (s *server) createDirectory(p pathParams) (any, error) {
	path, err := fromURI(p.Path)
	if err != nil {
		return nil, err
	}
	if p.Recursive {
		return s.command(p, nil, "mkdir", "-p", "--", path)
	}
	return s.command(p, nil, "mkdir", "--", path)
}

func (s *server) remove(p pathParams) (any, error) {
	path, err := fromURI(p.Path)
	if err != nil {
		return nil, err
	}
	argv := []string{"rm"}
	if p.Recursive {
		argv = append(argv, "-r")
	}
	if p.Force {
		argv = append(argv, "-f")
	}
	return s.command(p, nil, append(argv, "--", path)...)
}

func (s *server) copyFile(p pathParams) (any, error) {
	from, err := fromURI(p.From)
	if err != nil {
		return nil, err
	}
	to, err := fromURI(p.To)
	if err != nil {
		return nil, err
	}
	if p.Recursive {
		return s.command(p, nil, "cp", "-R", "--", from, to)
	}
	return s.command(p, nil, "cp", "--", from, to)
}
