package journal

import (
	"errors"
	"fmt"
	"path/filepath"

	"golang.org/x/sys/unix"

	"github.com/pillion-sidecar/pillion/sandbox/policy"
)

// wanted says that a record is about what was asked for.
func (u *undo) wanted(r record) bool {
	if len(u.opts.Paths) == 0 {
		return true
	}
	for _, p := range u.opts.Paths {
		if policy.Beneath(p, r.path) || r.kind == renamed && policy.Beneath(p, r.to) || r.kind == times && policy.Beneath(r.path, p) {
			return true
		}
	}
	return false
}

// blocked says that a path was left, or is below one: what came before can't be undone
// there.
func (u *undo) blocked(path string) bool {
	if dir := u.store.programs(path); dir != "" && !u.stuck[dir] && u.shared(dir) {
		u.leave(dir, errShared.Error())
	}
	for len(u.stuck) > 0 && path != "/" && path != "." {
		if u.stuck[path] {
			return true
		}
		path = filepath.Dir(path)
	}
	return false
}

var steps = map[kind]func(*undo, record, place) error{
	created: (*undo).unmake, linked: (*undo).unmake, removed: (*undo).putBack, rmdir: (*undo).makeDir,
	renamed: (*undo).moveBack, exchange: (*undo).changeBack, written: (*undo).rewrite,
	mode: (*undo).remode, attr: (*undo).reattribute, times: (*undo).retime,
}

// step takes one record back; left says that it stays to be taken back.
func (u *undo) step(r record) (left bool, err error) {
	do := steps[r.kind]
	switch r.kind {
	case refused:
		u.void = r.info.Size
		return false, nil
	case final:
		u.final[r.stamp().ID] = r.info
		return false, nil
	case returned:
		u.back[r.stamp()]--
		return false, nil
	case theirs: // see learn
		u.void = max(u.void-1, 0) // so it is, whatever the kernel said then
		return false, nil
	}
	if u.void > 0 {
		if u.void--; r.kind != times {
			u.refused(r)
			return false, nil
		}
	}
	if do == nil {
		return false, nil
	}
	if !u.wanted(r) || u.blocked(r.path) {
		return true, nil
	}
	at := r.path
	if r.kind == renamed {
		if at = r.to; u.blocked(at) {
			u.leave(r.path, "it was moved to "+r.to+", which was changed since")
			return true, nil
		}
	}
	find := u.find
	if r.kind == times || r.kind == mode {
		find = u.findRoot
	}
	p, err := u.reach(at, find)
	if errors.Is(err, unix.ENOENT) && u.opts.Force && (r.kind == removed || r.kind == rmdir || r.kind == written) {
		p, err = u.makeWay(at)
	}
	if err != nil {
		if r.kind != times {
			u.leave(r.path, "its directory: "+reason(err))
		}
		return true, nil
	}
	defer p.close()
	err = do(u, r, p)
	if errors.Is(err, unix.ENOSPC) || errors.Is(err, unix.EDQUOT) {
		return true, fmt.Errorf("%s: %w", r.path, err)
	}
	if err != nil {
		u.leaves(r, err)
	} else {
		u.putsBack(r, p)
	}
	return err != nil, nil
}

// refused is for what was never done. To keep a file may have changed its change time.
func (u *undo) refused(r record) {
	if r.kind != removed {
		return
	}
	p, err := u.find(r.path)
	if err != nil {
		return
	}
	defer p.close()
	if st, there := p.stat(); there && u.is(&st, r) && u.same(&st) {
		u.note(p, r.stamp())
	}
}
