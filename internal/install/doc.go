// Package install tests that users get graphc as docs/installing.md says: from a module
// proxy by tag and by commit, and from a clone. It has tests only.
package install
