package layout

import "testing"

func TestTranspose(t *testing.T) {
	for _, s := range [][3]int{{1, 1, 1}, {2, 3, 5}, {1, 16, 16}, {3, 17, 33}, {0, 3, 4}, {2, 0, 4}} {
		n, r, c := s[0], s[1], s[2]
		src, dst, back := make([]int32, n*r*c), make([]int32, n*r*c), make([]int32, n*r*c)
		for i := range src {
			src[i] = int32(i)
		}
		I32(dst, src, n, r, c)
		for i := range n {
			for y := range r {
				for x := range c {
					if dst[(i*c+x)*r+y] != src[(i*r+y)*c+x] {
						t.Fatalf("%v: element %d,%d,%d", s, i, y, x)
					}
				}
			}
		}
		I32(back, dst, n, c, r)
		for i := range src {
			if back[i] != src[i] {
				t.Fatalf("%v does not come back", s)
			}
		}
	}
}
