package lists

import (
	"fmt"
	"text/tabwriter"

	"github.com/graphc/graphc"
	"github.com/graphc/graphc/internal/pipeline"
	"github.com/graphc/graphc/internal/tool/base"
	"github.com/graphc/graphc/internal/tool/flags"
	"github.com/graphc/graphc/rt/device"
)

// Devices prints the devices that nodes may be placed on.
func Devices(a *base.App, f *flags.Devices, asJSON bool) error {
	var o graphc.Options
	if err := f.Apply(&o, a.Err); err != nil {
		return err
	}
	names, err := pipeline.DeviceNames(o.Devices)
	if err != nil {
		return err
	}
	type row struct {
		Name        string `json:"name"`
		Type        string `json:"type"`
		Memory      int64  `json:"memory_limit_bytes"`
		Incarnation uint64 `json:"incarnation"`
	}
	var rows []row
	for _, name := range names {
		rows = append(rows, row{name, "CPU", device.DefaultLimit, device.Incarnation(name)})
	}
	if asJSON {
		return a.WriteJSON(rows)
	}
	w := tabwriter.NewWriter(a.Out, 0, 8, 2, ' ', 0)
	for _, r := range rows {
		fmt.Fprintf(w, "%s\t%s\t%d\t%d\n", r.Name, r.Type, r.Memory, r.Incarnation)
	}
	return w.Flush()
}
