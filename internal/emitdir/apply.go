package emitdir

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path"
	"path/filepath"
	"slices"
)

// Apply changes all files of a folder in one atomic step, as seen by later runs of graphc. No
// system call does this. Apply therefore takes these steps:
//
//  1. All new files are written into a folder .graphc-… beside the old ones, and synced.
//  2. A journal of the change is written there, and synced: from here on the change will
//     be completed.
//  3. The package's main file is moved away, so that a mix of old and new files does not
//     build. Then stale files are moved away and new ones to their places, the main file last.
//  4. The journal is removed, then the folder.
//
// A step that fails before the journal exists leaves the folder as it was; later failures are
// undone. A process that is killed leaves .graphc-… behind. Every later run calls Recover first,
// which removes such a folder if it has no journal, and completes the change otherwise.
const (
	tempPrefix  = ".graphc-"
	journalName = "journal.json"
	heldName    = "held"
)

// journal is a change to make. File i of Write is in the temporary folder, under the name new0,
// new1 and so on, until it is moved to its place.
type journal struct {
	Write  []string `json:"write"`
	Remove []string `json:"remove"`
	// Held is the name of the main file if the change does not replace it, and "" otherwise. During
	// the change, the main file is moved away and back.
	Held string `json:"held,omitempty"`
}

// isMain reports whether data is the text of the main file, which declares the type Model. The
// package does not build without this file.
func isMain(data []byte) bool { return bytes.Contains(data, []byte("\ntype Model struct {\n")) }

// Apply makes the changes: all, or none if one fails. If the context is cancelled before the first
// file is moved, the folder stays as it was.
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
	root, err := os.OpenRoot(p.Dir)
	if err != nil {
		return err
	}
	defer root.Close()
	p.disk.root = root
	tmp, err := p.disk.tempDir()
	if err != nil {
		return tempError(p.Dir, err)
	}
	release := lock(root, tmp)
	defer release()
	keep := false
	defer func() {
		if !keep {
			err = errors.Join(err, root.RemoveAll(tmp))
		}
	}()
	for i, name := range p.Write {
		if err := ctx.Err(); err != nil {
			return fmt.Errorf("interrupted, %s is as it was: %w", p.Dir, err)
		}
		if err := p.disk.write(fmt.Sprintf("%s/new%d", tmp, i), p.files[name], 0o666); err != nil {
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
	log := path.Join(tmp, journalName)
	if err := p.disk.replace(log, text, 0o666); err != nil {
		_ = root.Remove(log) // the journal may exist despite the error
		return fmt.Errorf("%s is as it was: %w", p.Dir, withoutPath(err))
	}
	keep, err = p.commit(tmp, j)
	return err
}

// held returns the name of the main file if that file stays the same, and "" otherwise.
func (p *Plan) held() string {
	i := slices.IndexFunc(p.Same, func(name string) bool { return path.Dir(name) == "." && isMain(p.files[name]) })
	if i < 0 {
		return ""
	}
	return p.Same[i]
}

// full returns the path of a file of the folder.
func (p *Plan) full(name string) string { return filepath.Join(p.Dir, filepath.FromSlash(name)) }

// commit moves old files away and new ones to their places, and removes the journal. If a step
// fails, it undoes the earlier ones. keep reports whether undoing failed, too; in that case the
// journal must be kept for Recover.
func (p *Plan) commit(tmp string, j journal) (keep bool, err error) {
	var undo []func() error
	log := path.Join(tmp, journalName)
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
		if _, err := p.disk.root.Lstat(name); err != nil {
			return nil
		}
		return rename(name, path.Join(tmp, as))
	}
	if j.Held != "" {
		if err := away(j.Held, heldName); err != nil {
			return false, err
		}
	}
	order := p.order()
	for _, i := range slices.Backward(order) { // the main file first
		name := p.Write[i]
		made, err := p.disk.makeDirs(path.Dir(name))
		if err != nil {
			return false, err
		}
		undo = append(undo, func() error { p.disk.removeDirs(made); return nil })
		if err := away(name, fmt.Sprintf("old%d", i)); err != nil {
			return false, err
		}
	}
	for i, name := range p.Remove {
		if err := rename(name, fmt.Sprintf("%s/gone%d", tmp, i)); err != nil {
			return false, err
		}
	}
	for _, i := range order { // the main file last
		if err := rename(fmt.Sprintf("%s/new%d", tmp, i), p.Write[i]); err != nil {
			return false, err
		}
	}
	if j.Held != "" {
		if err := rename(path.Join(tmp, heldName), j.Held); err != nil {
			return false, err
		}
	}
	for _, dir := range p.touched() {
		if err := p.disk.syncDir(dir); err != nil {
			return false, err
		}
	}
	if err := p.disk.remove(log); err != nil {
		return false, err
	}
	dropEmpty(p.disk.root, p.Remove)
	return false, nil
}

// touched returns the folders whose entries change, sorted.
func (p *Plan) touched() []string {
	dirs := map[string]bool{".": true}
	for _, name := range slices.Concat(p.Write, p.Remove) {
		for _, dir := range parents(path.Dir(name)) {
			dirs[dir] = true
		}
	}
	return slices.Sorted(maps.Keys(dirs))
}

// order returns the indices of the files to write, the main file's last.
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

// Recover cleans up after killed processes: it completes a change that has a journal, and removes
// all other files that the killed processes wrote. It ignores the files of running processes. A
// forged journal cannot do more harm than a run of graphc: Recover moves only files that graphc
// wrote, only below dir, and never through a symbolic link.
func Recover(dir string) error { return recoverWith(dir, nil) }

// recoverWith does the work of Recover. Before each step it calls the function fault, which tests
// use to inject errors.
func recoverWith(dir string, fault func(step string) error) error {
	root, err := os.OpenRoot(dir)
	if err != nil {
		return nil // the folder does not exist, or cannot be opened; then New or Apply reports the error
	}
	defer root.Close()
	left, err := fs.ReadDir(root.FS(), ".")
	if err != nil {
		return nil // as above
	}
	for _, e := range left {
		if !isTemp(e.Name()) || !e.IsDir() && !e.Type().IsRegular() {
			continue
		}
		release, free := tryLock(root, e.Name())
		if !free {
			continue
		}
		if e.IsDir() {
			err = resume(disk{root: root, fault: fault}, e.Name())
		} else {
			err = root.Remove(e.Name()) // of WriteFile
		}
		release()
		if err != nil {
			return fmt.Errorf("%s was left half written by an interrupted run, and cannot be completed: %w; if %s is not graphc's, or its files are not needed, remove it", dir, err, filepath.Join(dir, e.Name()))
		}
	}
	return nil
}

// maxJournal bounds a journal. Usual ones list a few hundred files.
const maxJournal = 16 << 20

// resume completes the change whose files are in the folder tmp, and removes tmp. If this process
// is killed as well, the next process completes the change.
func resume(d disk, tmp string) error {
	root := d.root
	log := path.Join(tmp, journalName)
	switch st, err := root.Lstat(log); {
	case errors.Is(err, fs.ErrNotExist):
		return root.RemoveAll(tmp) // without a journal, no file has been moved yet
	case err != nil:
		return err
	case !st.Mode().IsRegular() || st.Size() > maxJournal:
		return errors.New("its journal is not valid")
	}
	text, err := root.ReadFile(log)
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
		if err := d.checkFolders(path.Dir(name)); err != nil {
			return err
		}
	}
	// As in commit, the main file is the first file to be moved away, and the new one is the last
	// to be moved in.
	order, last, err := j.order(root, tmp)
	if err != nil {
		return err
	}
	away := func(name, as string) error {
		if ours, err := oursFile(root, name); err != nil || !ours {
			// Either the file has been moved already, or graphc did not write it. The function
			// place, below, does not overwrite files that graphc did not write.
			return nil
		}
		return d.rename(name, path.Join(tmp, as))
	}
	for _, i := range last {
		if err := away(j.Write[i], fmt.Sprintf("old%d", i)); err != nil {
			return err
		}
	}
	if j.Held != "" {
		if err := away(j.Held, heldName); err != nil {
			return err
		}
	}
	for _, name := range j.Remove {
		if ours, err := oursFile(root, name); err == nil && ours {
			if err := d.remove(name); err != nil {
				return err
			}
		}
	}
	// If a file with this name was added after the interruption, it is overwritten only if graphc
	// wrote it.
	place := func(from, name string) error {
		switch ours, err := oursFile(root, from); {
		case errors.Is(err, fs.ErrNotExist):
			return nil
		case err != nil:
			return err
		case !ours:
			return fmt.Errorf("%s was not written by graphc", from)
		}
		switch ours, err := oursFile(root, name); {
		case err == nil && !ours:
			return fmt.Errorf("%s was not written by graphc", name)
		case err != nil && !errors.Is(err, fs.ErrNotExist):
			return err
		}
		if _, err := d.makeDirs(path.Dir(name)); err != nil {
			return err
		}
		return d.rename(from, name)
	}
	for _, i := range append(order, last...) {
		if err := place(fmt.Sprintf("%s/new%d", tmp, i), j.Write[i]); err != nil {
			return err
		}
	}
	if j.Held != "" {
		if err := place(path.Join(tmp, heldName), j.Held); err != nil {
			return err
		}
	}
	if err := d.remove(log); err != nil {
		return err
	}
	dropEmpty(root, j.Remove)
	return root.RemoveAll(tmp)
}

// order returns the indices of the files that are still to be moved to their places. The index of
// the main file is returned separately, in the slice last.
func (j *journal) order(root *os.Root, tmp string) (order, last []int, err error) {
	for i, name := range j.Write {
		from := fmt.Sprintf("%s/new%d", tmp, i)
		ours, err := oursFile(root, from)
		if errors.Is(err, fs.ErrNotExist) {
			continue // already in its place
		}
		if err == nil && ours && path.Dir(name) == "." {
			var data []byte
			if data, err = root.ReadFile(from); err == nil && isMain(data) {
				last = append(last, i)
				continue
			}
		}
		if err != nil {
			return nil, nil, err
		}
		order = append(order, i)
	}
	return order, last, nil
}

func or(s, t string) string {
	if s == "" {
		return t
	}
	return s
}

// dropEmpty removes folders that lost their last file.
func dropEmpty(root *os.Root, removed []string) {
	for _, name := range removed {
		for d := path.Dir(name); d != "."; d = path.Dir(d) {
			if root.Remove(d) != nil {
				break // it is not empty
			}
		}
	}
}
