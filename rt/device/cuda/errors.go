//go:build cuda && cgo && linux

package cuda

/*
#include "call.h"
*/
import "C"

import (
	"errors"
	"reflect"

	"gorgonia.org/cu"

	"github.com/graphc/graphc/rt/tensor"
)

// The driver's errors that mean more than that a call failed.
const (
	outOfMemory    = 2
	noBinary       = 209
	notReady       = 600
	peerEnabled    = 704
	notSupported   = 801
	firstOfContext = 700 // see lost
)

// lost are the errors after which the context refuses everything.
func lost(code int) bool {
	switch code {
	case 4, 214, 220, 702, 709, 710, 999: // deinitialised, ECC, NVLink, timeout, context destroyed, assert, unknown
		return true
	}
	return code == firstOfContext || code >= 714 && code <= 719 // illegal address, instruction and the like, launch failed
}

// number is the driver's code of an error of cu's, whose type it does not export; 0 for none.
func number(err error) int {
	if err == nil {
		return 0
	}
	for e := err; e != nil; e = errors.Unwrap(e) {
		if v := reflect.ValueOf(e); v.Kind() == reflect.Int && v.Type().PkgPath() == "gorgonia.org/cu" {
			return int(v.Int())
		}
	}
	return 999
}

// fault is an error of the driver with its name, as what says what was being done.
func fault(code int, what string) error {
	if code == 0 {
		return nil
	}
	var name, text *C.char
	said := "an error that the driver does not know"
	if C.graphc_error(C.int(code), &name, &text) == 0 {
		said = C.GoString(name) + ", " + C.GoString(text)
	}
	c := tensor.Internal
	switch code {
	case outOfMemory:
		c = tensor.ResourceExhausted
	case notSupported:
		c = tensor.Unimplemented
	}
	return tensor.Errorf(c, "%s: error %d of the CUDA driver: %s", what, code, said)
}

// check makes an error of a result of the driver's, which the device keeps if it is of
// no use any more.
func (d *dev) check(code int, what string) error {
	err := fault(code, what)
	if err != nil && lost(code) {
		err = tensor.Errorf(tensor.Internal, "%s; the device is of no use any more in this process", err.(*tensor.Error).Msg)
		d.broken.CompareAndSwap(nil, &err)
	}
	return err
}

// did makes an error of one of cu's.
func (d *dev) did(err error, what string) error { return d.check(number(err), what) }

// ready reports whether cu's error says that there is none but that work is outstanding.
func ready(err error) (bool, error) {
	if number(err) == notReady {
		return false, nil
	}
	return true, err
}

var _ error = cu.OutOfMemory // number relies on this type
