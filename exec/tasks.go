package exec

import (
	"math/rand/v2"

	"github.com/graphc/graphc/plan"
	"github.com/graphc/graphc/rt/tensor"
)

// tasks runs tasks alternately, step by step. A task that uses another task's private data thus
// gives wrong results. So does a task that does not wait for its input. The next step to run
// belongs to the last ready task, or to a random ready task if Order is set. If several tasks fail,
// tasks returns the error of the first task in the list.
func (r *run) tasks(n *node, s *plan.Tasks) error {
	var pick *rand.Rand
	if r.Order != 0 {
		pick = rand.New(rand.NewPCG(r.Order, 0))
	}
	at := make([]int, len(s.Tasks))
	done := make([]bool, len(s.Tasks))
	failed, first := len(s.Tasks), error(nil)
	for {
		var ready []int
		for k, t := range s.Tasks {
			if done[k] || k >= failed {
				continue
			}
			ok := true
			for _, j := range t.After {
				ok = ok && done[j]
			}
			if ok {
				ready = append(ready, k)
			}
		}
		if len(ready) == 0 {
			return first
		}
		k := ready[len(ready)-1]
		if pick != nil {
			k = ready[pick.IntN(len(ready))]
		}
		l := n.lists[k]
		if at[k] < len(l) {
			at[k]++
			ended, err := r.list(l[at[k]-1 : at[k]])
			if ended {
				err = tensor.Errorf(tensor.Internal, "a break in a task")
			}
			if err != nil {
				failed, first = k, err
				continue
			}
		}
		done[k] = at[k] == len(l)
	}
}
