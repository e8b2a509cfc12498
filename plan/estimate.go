package plan

import (
	"math"
	"time"
)

// Estimate returns the duration of a run on one thread, according to the cost model. It assumes
// usualTrips iterations for loops.
func (p *Plan) Estimate() time.Duration {
	ps := newCoster(p, nil).list(p.Steps)[0]
	if !(ps < math.MaxInt64) {
		return math.MaxInt64
	}
	return time.Duration(ps / 1000)
}
