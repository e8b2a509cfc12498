package plan

import (
	"math"
	"time"
)

// Estimate is how long a run on one thread takes by the cost model: of a loop whose
// iterations nobody knows, some of them.
func (p *Plan) Estimate() time.Duration {
	ps := newCoster(p, nil).list(p.Steps)[0]
	if !(ps < math.MaxInt64) {
		return math.MaxInt64
	}
	return time.Duration(ps / 1000)
}
