package config

import (
	"fmt"
	"reflect"
	"time"

	"github.com/graphc/graphc/ir"
)

// Limits bound what an untrusted model may take: ir.Limits by their keys. A number
// that is 0 or absent is the default.
type Limits struct {
	Depth    int    `yaml:"depth" doc:"How deep messages of the file may nest."`
	Nodes    int    `yaml:"nodes" doc:"Nodes of the file, with those of its functions."`
	Inlined  int    `yaml:"inlined" doc:"Nodes when bodies of functions stand in the place of calls."`
	Calls    int    `yaml:"calls" doc:"How deep calls of functions may nest."`
	FoldNode int    `yaml:"fold_node" doc:"Bytes of one tensor that is computed when compiling."`
	Fold     int    `yaml:"fold" doc:"Bytes by which tensors computed when compiling make a program grow."`
	Time     string `yaml:"time" doc:"How long compiling may take, as 90s."`
	Bytes    int    `yaml:"bytes" doc:"Bytes of the buffers of a run."`
}

// Set puts the limits that are given into l. The error names the key of a time that
// does not parse or is not positive.
func (c *Limits) Set(l *ir.Limits) error {
	if c == nil {
		return nil
	}
	v := reflect.ValueOf(c).Elem()
	for i := range v.NumField() {
		key := fieldKey(v.Type().Field(i))
		n := int64(0)
		switch f := v.Field(i); f.Kind() {
		case reflect.Int:
			n = f.Int()
		case reflect.String:
			if f.String() == "" {
				continue
			}
			d, err := time.ParseDuration(f.String())
			if err != nil || d <= 0 {
				return fmt.Errorf("limits.%s is %q, not a duration such as 90s", key, f.String())
			}
			n = int64(d)
		}
		if n == 0 {
			continue
		}
		if err := l.Set(key, n); err != nil {
			return err
		}
	}
	return nil
}
