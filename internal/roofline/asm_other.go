//go:build !amd64 || noasm

package roofline

// multiplyAdds returns 0, which means that the speed is unknown, because this build has no assembly
// loops. The same holds for byteDots.
func multiplyAdds(int) int { return 0 }

func byteDots(int) int { return 0 }

const line = 512

func readAll(b []byte) { readPlain(b) }
