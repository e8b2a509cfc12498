//go:build !amd64 || noasm

package roofline

// multiplyAdds and byteDots return 0, which means unknown: this build has no assembly loops.
func multiplyAdds(int) int { return 0 }

func byteDots(int) int { return 0 }

const line = 512

func readAll(b []byte) { readPlain(b) }
