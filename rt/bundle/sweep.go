package bundle

import (
	"errors"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"time"

	"github.com/graphc/graphc/rt/files"
)

// stale is the age above which a file that no checkpoint needs counts as abandoned. The age decides
// only if the file's lock does not show whether its writer is active: TensorFlow does not lock its
// files, and some systems have no locks.
const stale = time.Hour

// The name of an unfinished file ends with one of these texts, followed by a number.
const (
	saving    = ".saving"    // an unfinished index; such files are locked
	tempState = ".tempstate" // an unfinished file of TensorFlow; such files are not locked
)

func savingSuffix() string { return saving + strconv.FormatUint(rand.Uint64(), 10) }

// openDir opens the directory of a checkpoint.
func openDir(fs Files, prefix string) (*os.File, error) {
	dir := filepath.Dir(prefix)
	return fs.OpenFile(dir, os.O_RDONLY, 0)
}

// syncDir flushes the file names in a directory to disk, if the system can do this.
func syncDir(fs Files, dir *os.File) error {
	if dir == nil {
		return nil
	}
	err := syncFile(fs, dir)
	if errors.Is(err, syscall.EINVAL) || errors.Is(err, errors.ErrUnsupported) || os.IsPermission(err) {
		return nil
	}
	return err
}

// sweep removes files that belong to the checkpoint's prefix but that no checkpoint needs: data
// files that the index does not name, and unfinished files. It does not remove files whose writers
// are still active.
func sweep(fs Files, prefix string) {
	d, err := openDir(fs, prefix)
	if err != nil {
		return
	}
	list, err := d.ReadDir(-1)
	d.Close()
	if err != nil {
		return
	}
	base, shards := filepath.Base(prefix), int32(-1)
	for _, e := range list {
		rest, ours := strings.CutPrefix(e.Name(), base+".")
		if !ours || !e.Type().IsRegular() {
			continue
		}
		name := filepath.Join(filepath.Dir(prefix), e.Name())
		switch n, data := dataShards(rest); {
		case data:
			if shards < 0 {
				shards = shardsOf(fs, prefix)
			}
			if n != shards { // vacate repeats this check, by calling its last argument, after it has locked the file
				vacate(fs, name, func() bool { s := shardsOf(fs, prefix); return s > 0 && s != n })
			}
		case strings.HasPrefix(rest, "index"+saving):
			vacate(fs, name, func() bool { return true })
		case strings.Contains(rest, tempState) && (strings.HasPrefix(rest, "data-") || strings.HasPrefix(rest, "index.")):
			if st, err := e.Info(); err == nil && time.Since(st.ModTime()) > stale {
				fs.Remove(name)
			}
		}
	}
}

// dataShards returns the number of shards in a data file's name. The parameter rest is the name
// without the checkpoint's base name and the dot.
func dataShards(rest string) (n int32, ok bool) {
	rest, ok = strings.CutPrefix(rest, "data-")
	k, of, two := strings.Cut(rest, "-of-")
	if !ok || !two || len(k) < 5 || len(of) < 5 {
		return 0, false
	}
	if _, err := strconv.ParseUint(k, 10, 31); err != nil {
		return 0, false
	}
	v, err := strconv.ParseUint(of, 10, 31)
	return int32(v), err == nil
}

// shardsOf returns the number of shards that the index names, or 0 if the index cannot be read.
func shardsOf(fs Files, prefix string) int32 {
	r, err := openV2(fs, prefix)
	if err != nil {
		return 0
	}
	return max(r.header.shards, 0)
}

// vacate removes a file if the file's writer has ended and the function needless returns true,
// which means that the file is not needed. If the system has file locks, vacate holds the file's
// lock during the call of that function, so that no other writer can use the file.
func vacate(fs Files, name string, needless func() bool) {
	f, err := fs.OpenFile(name, os.O_RDWR|files.DontWait, 0) // opened for writing, because some file systems cannot lock a file that is open only for reading
	if err != nil {
		return
	}
	defer f.Close()
	st, err := f.Stat()
	if err != nil || !st.Mode().IsRegular() {
		return
	}
	locked, unsupported := tryLock(f)
	switch {
	case unsupported && time.Since(st.ModTime()) > stale && needless():
		f.Close()
		fs.Remove(name)
	case locked:
		if ours, err := same(fs, name, f); err == nil && ours && needless() {
			fs.Remove(name)
		}
	}
}

// drop removes the data files of a replaced checkpoint. The parameter shards is the number of
// shards in their names.
func drop(fs Files, prefix string, shards int32) {
	for k := range min(shards, maxNames) {
		fs.Remove(dataName(prefix, k, shards))
	}
}
