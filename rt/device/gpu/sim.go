//go:build simgpu

package gpu

import (
	"os"
	"strconv"

	"github.com/graphc/graphc/rt/device"
	"github.com/graphc/graphc/rt/device/sim"
	"github.com/graphc/graphc/rt/tensor"
)

// machine is the shared state of the simulated GPUs.
var machine sim.Machine

// simulated is the number of simulated GPUs.
const simulated = 8

// open creates a simulated GPU. The environment variable GRAPHC_SIM_SEED contains the seed of the
// simulation; see sim.Options.
func open(i int, o Options) (device.Device, error) {
	if i >= simulated {
		return nil, tensor.Errorf(tensor.NotFound, "there is no GPU %d: %d are simulated", i, simulated)
	}
	seed, err := strconv.ParseUint(os.Getenv("GRAPHC_SIM_SEED"), 10, 64)
	if err != nil {
		seed = 0
	}
	return sim.New(i, sim.Options{Limit: o.Limit, Seed: seed, Machine: &machine}), nil
}
