package install

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"golang.org/x/mod/module"
	modzip "golang.org/x/mod/zip"
)

// release is a version of the module that the proxy offers.
type release struct {
	version string
	mod     []byte
	zip     []byte
	time    time.Time
}

// proxy is a module proxy. It serves versions of graphc, and other modules from the module cache of
// this machine. Requests for modules that the cache lacks are redirected to the real proxy.
type proxy struct {
	url      string
	releases map[string]*release // keyed by the version, and by other names of it, such as the hash of its commit
	tags     []string
	cache    string // the folder of the cache's downloads
	next     string // the URL of the real proxy, or "" if GOPROXY names no proxy
}

// newProxy starts a proxy without versions.
func newProxy(t *testing.T) *proxy {
	t.Helper()
	out, err := exec.Command("go", "env", "GOMODCACHE", "GOPROXY").Output()
	if err != nil {
		t.Fatal(err)
	}
	f := strings.Fields(string(out))
	p := &proxy{releases: map[string]*release{}, cache: filepath.Join(f[0], "cache", "download")}
	for url := range strings.FieldsFuncSeq(strings.Join(f[1:], ""), func(r rune) bool { return r == ',' || r == '|' }) {
		if p.next == "" && strings.HasPrefix(url, "http") {
			p.next = strings.TrimSuffix(url, "/")
		}
	}
	s := httptest.NewServer(p)
	t.Cleanup(s.Close)
	p.url = s.URL
	return p
}

// add adds a version of the module to the proxy, with the files of a revision of the git repository
// repo. The last parameter lists further names, such as the name of a branch, for which the proxy
// also serves this version.
func (p *proxy) add(t *testing.T, repo, version, revision string, names ...string) {
	t.Helper()
	var b bytes.Buffer
	if err := modzip.CreateFromVCS(&b, module.Version{Path: modulePath, Version: version}, repo, revision, ""); err != nil {
		t.Fatal(err)
	}
	mod, err := os.ReadFile(filepath.Join(repo, "go.mod"))
	if err != nil {
		t.Fatal(err)
	}
	r := &release{version: version, mod: mod, zip: b.Bytes(), time: commitTime(t, repo, revision)}
	for _, name := range append(names, version) {
		p.releases[name] = r
	}
	if !module.IsPseudoVersion(version) {
		p.tags = append(p.tags, version)
	}
}

// ServeHTTP answers as go.dev/ref/mod#goproxy-protocol says.
func (p *proxy) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	name := strings.TrimPrefix(r.URL.Path, "/")
	if rest, ours := strings.CutPrefix(name, modulePath+"/@v/"); ours {
		p.own(w, rest)
		return
	}
	if name == modulePath || strings.HasPrefix(name, modulePath+"/") || strings.HasPrefix(modulePath, strings.Split(name, "/@")[0]+"/") {
		http.Error(w, "not found: the module is "+modulePath, http.StatusNotFound)
		return
	}
	cached := filepath.Join(p.cache, filepath.FromSlash(name))
	if _, err := os.Stat(cached); err == nil && !strings.HasSuffix(name, "/list") {
		http.ServeFile(w, r, cached)
		return
	}
	if p.next == "" {
		http.Error(w, "not found", http.StatusNotFound)
		return
	}
	http.Redirect(w, r, p.next+r.URL.Path, http.StatusFound)
}

// own answers a request for a file of this module, which is "list", or a version followed by .info,
// .mod or .zip.
func (p *proxy) own(w http.ResponseWriter, name string) {
	if name == "list" {
		fmt.Fprintln(w, strings.Join(p.tags, "\n"))
		return
	}
	ext := filepath.Ext(name)
	v := p.releases[strings.TrimSuffix(name, ext)]
	switch {
	case v == nil:
	case ext == ".info":
		_ = json.NewEncoder(w).Encode(map[string]any{"Version": v.version, "Time": v.time})
		return
	case ext == ".mod":
		_, _ = w.Write(v.mod)
		return
	case ext == ".zip":
		_, _ = w.Write(v.zip)
		return
	}
	http.Error(w, "not found: unknown version", http.StatusNotFound)
}
