package emitdir

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
)

// How a folder of files is changed at once. There is no call for that, so:
//
//  1. All new files are written into a folder .graphc-… beside the old ones, and synced.
//  2. A journal of what is to be done is written there, and synced: from here on the
//     change is going to happen.
//  3. The package's main file is moved away, so that what is half old and half new does
//     not build; then stale files are moved away and new ones into their places, the main
//     file last.
//  4. The journal is removed, then the folder.
//
// A step that fails before the journal is there leaves the folder as it was; one that fails
// after it is undone. A process that is killed leaves .graphc-… behind: Recover, which every
// later run begins with, removes it where it has no journal, and does what the journal
// says where it has one.
const (
	tempPrefix  = ".graphc-"
	journalName = "journal.json"
	heldName    = "held"
)

// journal is what is to be done. File i of Write is newI in the temporary folder until it
// is in its place.
type journal struct {
	Write  []string `json:"write"`
	Remove []string `json:"remove"`
	// Held is the main file that is in its place while nothing else changes; "" for none.
	Held string `json:"held,omitempty"`
}

// isMain reports the file without which the package does not build.
func isMain(data []byte) bool { return bytes.Contains(data, []byte("\ntype Model struct {\n")) }

// Apply makes the changes: all, or none when one fails. A context that is cancelled
// before the first file is moved leaves the folder as it was.
func (p *Plan) Apply(ctx context.Context) (err error) {
	if !p.Changes() {
		return nil
	}
	made, err := makeDirs(p.Dir)
	if err != nil {
		return err
	}
	defer func() {
		if err != nil {
			removeDirs(made)
		}
	}()
	tmp, err := p.disk.tempDir(p.Dir)
	if err != nil {
		return tempError(p.Dir, err)
	}
	release := lockDir(tmp)
	defer release()
	keep := false
	defer func() {
		if !keep {
			err = errors.Join(err, os.RemoveAll(tmp))
		}
	}()
	for i, name := range p.Write {
		if err := ctx.Err(); err != nil {
			return fmt.Errorf("interrupted, %s is as it was: %w", p.Dir, err)
		}
		if err := p.disk.write(filepath.Join(tmp, fmt.Sprintf("new%d", i)), p.files[name], 0o666); err != nil {
			return fmt.Errorf("%s is as it was: %w", p.Dir, withoutPath(err))
		}
	}
	if err := ctx.Err(); err != nil {
		return fmt.Errorf("interrupted, %s is as it was: %w", p.Dir, err)
	}
	j := journal{Write: p.Write, Remove: p.Remove, Held: p.held()}
	text, err := json.Marshal(j)
	if err != nil {
		return err
	}
	log := filepath.Join(tmp, journalName)
	if err := p.disk.replace(log, text, 0o666); err != nil {
		_ = os.Remove(log) // it may be there already
		return fmt.Errorf("%s is as it was: %w", p.Dir, withoutPath(err))
	}
	keep, err = p.commit(tmp, j)
	return err
}

// held is the main file where it does not change itself and other files do.
func (p *Plan) held() string {
	i := slices.IndexFunc(p.Same, func(name string) bool { return path.Dir(name) == "." && isMain(p.files[name]) })
	if i < 0 {
		return ""
	}
	return p.Same[i]
}

// full is where a file of the folder is.
func (p *Plan) full(name string) string { return filepath.Join(p.Dir, filepath.FromSlash(name)) }

// commit moves old files out of the way and new ones into place, and removes the journal.
// When one step fails those before it are undone; keep reports that this failed too, so
// that the journal must stay for Recover.
func (p *Plan) commit(tmp string, j journal) (keep bool, err error) {
	var undo []func() error
	log := filepath.Join(tmp, journalName)
	defer func() {
		if err == nil {
			return
		}
		var failed error
		for i := len(undo) - 1; i >= 0; i-- {
			failed = errors.Join(failed, undo[i]())
		}
		if failed == nil {
			failed = p.disk.remove(log)
		}
		if failed != nil {
			keep, err = true, errors.Join(err, failed, fmt.Errorf("%s is half written; the next run of graphc completes it", p.Dir))
		}
	}()
	rename := func(from, to string) error {
		if err := p.disk.rename(from, to); err != nil {
			return err
		}
		undo = append(undo, func() error { return p.disk.rename(to, from) })
		return nil
	}
	away := func(name, as string) error {
		if _, err := os.Lstat(p.full(name)); err != nil {
			return nil
		}
		return rename(p.full(name), filepath.Join(tmp, as))
	}
	if j.Held != "" {
		if err := away(j.Held, heldName); err != nil {
			return false, err
		}
	}
	order := p.order()
	for _, i := range slices.Backward(order) { // the main file first
		name := p.Write[i]
		made, err := makeDirs(filepath.Dir(p.full(name)))
		if err != nil {
			return false, err
		}
		undo = append(undo, func() error { removeDirs(made); return nil })
		if err := away(name, fmt.Sprintf("old%d", i)); err != nil {
			return false, err
		}
	}
	for i, name := range p.Remove {
		if err := rename(p.full(name), filepath.Join(tmp, fmt.Sprintf("gone%d", i))); err != nil {
			return false, err
		}
	}
	for _, i := range order { // the main file last
		if err := rename(filepath.Join(tmp, fmt.Sprintf("new%d", i)), p.full(p.Write[i])); err != nil {
			return false, err
		}
	}
	if j.Held != "" {
		if err := rename(filepath.Join(tmp, heldName), p.full(j.Held)); err != nil {
			return false, err
		}
	}
	if err := p.disk.syncDir(p.Dir); err != nil {
		return false, err
	}
	if err := p.disk.remove(log); err != nil {
		return false, err
	}
	dropEmpty(p.Dir, p.Remove)
	return false, nil
}

// order lists the numbers of the files to write, the main file's last.
func (p *Plan) order() []int {
	var order, last []int
	for i, name := range p.Write {
		if path.Dir(name) == "." && isMain(p.files[name]) {
			last = append(last, i)
			continue
		}
		order = append(order, i)
	}
	return append(order, last...)
}

// Recover puts right what processes that were killed have left in a folder: a change
// whose journal is there is completed, everything else that they wrote is removed.
// What a process that still runs is writing is left alone.
func Recover(dir string) error {
	left, err := os.ReadDir(dir)
	if err != nil {
		return nil // there is nothing to put right, or whoever writes will say so
	}
	for _, e := range left {
		if !strings.HasPrefix(e.Name(), tempPrefix) {
			continue
		}
		tmp := filepath.Join(dir, e.Name())
		release, free := tryLockDir(tmp)
		if !free {
			continue
		}
		err = resume(dir, tmp)
		release()
		if err != nil {
			return fmt.Errorf("%s was left half written by a run that was ended, and cannot be completed: %w", dir, err)
		}
	}
	return nil
}

// resume completes the change whose files are in tmp, and removes it.
func resume(dir, tmp string) error {
	log := filepath.Join(tmp, journalName)
	text, err := os.ReadFile(log)
	if st, e := os.Lstat(tmp); e == nil && st.Mode().IsRegular() || errors.Is(err, fs.ErrNotExist) {
		return os.RemoveAll(tmp) // one of WriteFile, or a change that was not to happen yet
	}
	if err != nil {
		return err
	}
	var j journal
	if err := json.Unmarshal(text, &j); err != nil {
		return err
	}
	for _, name := range slices.Concat(j.Write, j.Remove, []string{or(j.Held, ".")}) {
		if !fs.ValidPath(name) {
			return fmt.Errorf("its journal names %q", name)
		}
	}
	full := func(name string) string { return filepath.Join(dir, filepath.FromSlash(name)) }
	for _, name := range j.Remove {
		if ours, err := oursFile(full(name)); err == nil && ours {
			if err := os.Remove(full(name)); err != nil {
				return err
			}
		}
	}
	// What is in its place again since is not ours to replace.
	place := func(from, name string) error {
		if _, err := os.Lstat(from); err != nil {
			return nil
		}
		if ours, err := oursFile(full(name)); err == nil && !ours {
			return fmt.Errorf("%s is not written by graphc", full(name))
		}
		if err := os.MkdirAll(filepath.Dir(full(name)), 0o777); err != nil {
			return err
		}
		return os.Rename(from, full(name))
	}
	for i, name := range j.Write {
		if err := place(filepath.Join(tmp, fmt.Sprintf("new%d", i)), name); err != nil {
			return err
		}
	}
	if j.Held != "" {
		if err := place(filepath.Join(tmp, heldName), j.Held); err != nil {
			return err
		}
	}
	if err := os.Remove(log); err != nil {
		return err
	}
	dropEmpty(dir, j.Remove)
	return os.RemoveAll(tmp)
}

func or(s, t string) string {
	if s == "" {
		return t
	}
	return s
}

// dropEmpty removes folders that lost their last file.
func dropEmpty(dir string, removed []string) {
	for _, name := range removed {
		for d := path.Dir(name); d != "."; d = path.Dir(d) {
			if os.Remove(filepath.Join(dir, filepath.FromSlash(d))) != nil {
				break // it holds something
			}
		}
	}
}
