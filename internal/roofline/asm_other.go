//go:build !amd64 || noasm

package roofline

// multiplyAdds and byteDots are not measured on this platform.
func multiplyAdds(int) int { return 0 }

func byteDots(int) int { return 0 }

const line = 512

func readAll(b []byte) { readPlain(b) }
