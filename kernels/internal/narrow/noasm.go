//go:build !(amd64 || arm64) || noasm

package narrow

func runSIMD(c, a []float32, w *Panels, bias, res []float32, p *Block) {}

func expandSIMD(dst []float32, w *Panels, n, depth int) {}
