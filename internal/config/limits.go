package config

import (
	"fmt"
	"reflect"
	"time"

	"github.com/graphc/graphc/ir"
)

// Limits are the bounds in graphc.yaml on the resources that an untrusted model may use. Each field
// replaces the limit of ir.Limits that has the same key. A field that is 0 or "" keeps the default.
type Limits struct {
	Depth    int    `yaml:"depth" doc:"Maximum nesting of the file's messages."`
	Nodes    int    `yaml:"nodes" doc:"Nodes of the file, including those of its functions."`
	Inlined  int    `yaml:"inlined" doc:"Nodes after calls have been replaced by the bodies of functions."`
	Calls    int    `yaml:"calls" doc:"Maximum nesting of function calls."`
	FoldNode int    `yaml:"fold_node" doc:"Bytes of one tensor computed when compiling."`
	Fold     int    `yaml:"fold" doc:"Bytes that tensors computed when compiling add to a program."`
	Time     string `yaml:"time" doc:"Time for compiling, such as 90s."`
	Bytes    int    `yaml:"bytes" doc:"Bytes of the buffers of a run."`
}

// Set copies each field of c that is not 0 or "" to the limit of l that has the same key. It
// returns an error that contains the key if a duration is not valid or a value is not positive.
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
