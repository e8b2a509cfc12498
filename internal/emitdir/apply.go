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
		_ = root.Remove(log) // it may be there already
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

// touched are the folders whose names change, sorted.
func (p *Plan) touched() []string {
	dirs := map[string]bool{".": true}
	for _, name := range slices.Concat(p.Write, p.Remove) {
		for _, dir := range parents(path.Dir(name)) {
			dirs[dir] = true
		}
	}
	return slices.Sorted(maps.Keys(dirs))
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
// What a process that still runs is writing is left alone. What others may have put there
// in the form of such a change moves nothing into the folder, or out of it, that a
// run of graphc would not: files of ours only, below the folder, and through no symbolic link.
func Recover(dir string) error { return recoverWith(dir, nil) }

// recoverWith is Recover on a disk whose steps fail as fault says.
func recoverWith(dir string, fault func(step string) error) error {
	root, err := os.OpenRoot(dir)
	if err != nil {
		return nil // there is nothing to put right, or whoever writes will say so
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
			err = root.Remove(e.Name()) // one of WriteFile
		}
		release()
		if err != nil {
			return fmt.Errorf("%s was left half written by a run that was ended, and cannot be completed: %w; when %s is not graphc's, or its files are not wanted, remove it", dir, err, filepath.Join(dir, e.Name()))
		}
	}
	return nil
}

// maxJournal bounds a journal. One names a few hundred files.
const maxJournal = 16 << 20

// resume completes the change whose files are in tmp, and removes it.
// A process that is killed meanwhile leaves what the next one completes.
func resume(d disk, tmp string) error {
	root := d.root
	log := path.Join(tmp, journalName)
	switch st, err := root.Lstat(log); {
	case errors.Is(err, fs.ErrNotExist):
		return root.RemoveAll(tmp) // a change that was not to happen yet
	case err != nil:
		return err
	case !st.Mode().IsRegular() || st.Size() > maxJournal:
		return errors.New("its journal is none")
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
	// As in commit the main file goes first and comes last.
	order, last, err := j.order(root, tmp)
	if err != nil {
		return err
	}
	away := func(name, as string) error {
		if ours, err := oursFile(root, name); err != nil || !ours {
			return nil // it is away; or it is not ours, which place will say
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
	// What is in its place again since is not ours to replace.
	place := func(from, name string) error {
		switch ours, err := oursFile(root, from); {
		case errors.Is(err, fs.ErrNotExist):
			return nil
		case err != nil:
			return err
		case !ours:
			return fmt.Errorf("%s is not written by graphc", from)
		}
		switch ours, err := oursFile(root, name); {
		case err == nil && !ours:
			return fmt.Errorf("%s is not written by graphc", name)
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

// order lists the numbers of the files that are still to be put into their places, those of
// main files in last.
func (j *journal) order(root *os.Root, tmp string) (order, last []int, err error) {
	for i, name := range j.Write {
		from := fmt.Sprintf("%s/new%d", tmp, i)
		ours, err := oursFile(root, from)
		if errors.Is(err, fs.ErrNotExist) {
			continue // it is in its place
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
				break // it holds something
			}
		}
	}
}
