package main

import (
	"github.com/spf13/cobra"

	"github.com/graphc/graphc/internal/tool/base"
	"github.com/graphc/graphc/internal/tool/flags"
	"github.com/graphc/graphc/internal/tool/lists"
)

func newDevices(a *base.App) *cobra.Command {
	var f flags.Devices
	var asJSON bool
	c := &cobra.Command{
		Use:   "devices [flags]",
		Short: "List the devices that nodes may be placed on",
		Long: `devices lists the devices named by --devices or a session's configuration (default:
cpu:0): full name, type, the memory in bytes that a program may use there, and the
incarnation, which is part of the keys of tensors sent between partitions.`,
		Args: exactArgs(0),
		RunE: func(*cobra.Command, []string) error { return lists.Devices(a, &f, asJSON) },
	}
	f.Register(c.Flags())
	c.Flags().BoolVar(&asJSON, "json", false, "print JSON")
	return c
}
