package cases

import (
	"archive/zip"
	"bytes"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"github.com/graphc/graphc/rt/files"
)

// Bounds of an archive of cases. The sizes in its header are not trusted.
const (
	maxArchive  = 256 << 20 // bytes of the zip file
	maxMember   = 64 << 20  // bytes of one file
	maxUnpacked = 1 << 30   // bytes of all files
)

// Extract writes the files of a zip archive of case folders below dir.
func Extract(archive, dir string) error {
	data, err := readArchive(archive)
	if err != nil {
		return err
	}
	return extract(archive, data, dir)
}

func readArchive(archive string) ([]byte, error) {
	f, err := os.Open(archive)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	data, err := io.ReadAll(io.LimitReader(f, maxArchive+1))
	if err == nil && len(data) > maxArchive {
		err = fmt.Errorf("the archive has more than %d bytes", maxArchive)
	}
	if err != nil {
		return nil, files.In(archive, err)
	}
	return data, nil
}

func extract(archive string, data []byte, dir string) error {
	z, err := zip.NewReader(bytes.NewReader(data), int64(len(data)))
	if err != nil {
		return files.In(archive, err)
	}
	left := int64(maxUnpacked)
	for _, f := range z.File {
		n, err := member(f, dir, min(left, maxMember))
		if err != nil {
			return fmt.Errorf("%s: %s: %w", archive, f.Name, err)
		}
		left -= n
	}
	return nil
}

// member writes one file of an archive and returns its size. A file with more than `most` bytes is
// an error.
func member(f *zip.File, dir string, most int64) (int64, error) {
	if !filepath.IsLocal(f.Name) {
		return 0, errors.New("the name leads out of the folder")
	}
	if f.FileInfo().IsDir() {
		return 0, nil
	}
	r, err := f.Open()
	if err != nil {
		return 0, err
	}
	defer r.Close()
	data, err := io.ReadAll(io.LimitReader(r, most+1))
	if err != nil {
		return 0, err
	}
	if int64(len(data)) > most {
		return 0, fmt.Errorf("more than %d bytes", most)
	}
	path := filepath.Join(dir, filepath.FromSlash(f.Name))
	if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
		return 0, err
	}
	return int64(len(data)), os.WriteFile(path, data, 0o666)
}

// unpacked returns the folder with the files of an archive. The folder is in the user's cache, and
// all processes share it. Its name is the SHA-256 of the archive.
func unpacked(archive string) (string, error) {
	data, err := readArchive(archive)
	if err != nil {
		return "", err
	}
	root, err := os.UserCacheDir()
	if err != nil {
		root = os.TempDir()
	}
	root = filepath.Join(root, "graphc", "cases")
	dir := filepath.Join(root, fmt.Sprintf("%x", sha256.Sum256(data)))
	if st, err := os.Stat(dir); err == nil && st.IsDir() {
		return dir, nil
	}
	if err := os.MkdirAll(root, 0o777); err != nil {
		return "", err
	}
	fresh, err := os.MkdirTemp(root, "unpack")
	if err != nil {
		return "", err
	}
	defer os.RemoveAll(fresh)
	if err := extract(archive, data, fresh); err != nil {
		return "", err
	}
	if err := os.Rename(fresh, dir); err != nil {
		// Another process may have created the folder in the meantime.
		if st, e := os.Stat(dir); e != nil || !st.IsDir() {
			return "", err
		}
	}
	return dir, nil
}
