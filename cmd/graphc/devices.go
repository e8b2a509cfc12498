package main

import (
	"fmt"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"github.com/graphc/graphc"
	"github.com/graphc/graphc/internal/pipeline"
	"github.com/graphc/graphc/rt/device"
)

func newDevices(a *app) *cobra.Command {
	var f deviceFlags
	var asJSON bool
	c := &cobra.Command{
		Use:   "devices [flags]",
		Short: "List the devices that nodes may be placed on",
		Long: `devices lists the devices that --devices or a session's configuration name, cpu:0
without them: full name, type, the memory in bytes that a program may take there,
and the incarnation, which is part of the keys by which partitions hand each
other tensors.`,
		Args: exactArgs(0),
		RunE: func(*cobra.Command, []string) error { return a.devices(&f, asJSON) },
	}
	f.register(c.Flags())
	c.Flags().BoolVar(&asJSON, "json", false, "print JSON")
	return c
}

func (a *app) devices(f *deviceFlags, asJSON bool) error {
	var o graphc.Options
	if err := f.apply(&o, a.err); err != nil {
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
		return a.writeJSON(rows)
	}
	w := tabwriter.NewWriter(a.out, 0, 8, 2, ' ', 0)
	for _, r := range rows {
		fmt.Fprintf(w, "%s\t%s\t%d\t%d\n", r.Name, r.Type, r.Memory, r.Incarnation)
	}
	return w.Flush()
}
