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

// Error codes of the driver that this package handles separately.
const (
	outOfMemory    = 2
	noBinary       = 209
	notReady       = 600
	peerEnabled    = 704
	notSupported   = 801
	firstOfContext = 700 // see lost
)

// lost reports whether the given error code means that the context refuses all further calls.
func lost(code int) bool {
	switch code {
	case 4, 214, 220, 702, 709, 710, 999: // deinitialised, ECC, NVLink, timeout, context destroyed, assert, unknown
		return true
	}
	return code == firstOfContext || code >= 714 && code <= 719 // illegal address, instruction and the like, launch failed
}

// The function number returns the driver's error code in an error from package cu, and 0 for nil.
// Package cu does not export the type of these errors, so the function uses reflection.
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

// fault returns an error that contains the driver's name for the code. The parameter what describes
// the failed action.
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

// check converts a result code of the driver to an error. If the error makes the device unusable,
// check stores it in the device.
func (d *dev) check(code int, what string) error {
	err := fault(code, what)
	if err != nil && lost(code) {
		err = tensor.Errorf(tensor.Internal, "%s; the device is unusable in this process", err.(*tensor.Error).Msg)
		d.broken.CompareAndSwap(nil, &err)
	}
	return err
}

// The method named did converts an error from package cu, as the method check converts a result
// code of the driver.
func (d *dev) did(err error, what string) error { return d.check(number(err), what) }

// ready interprets the result of asking the driver whether work is done. The code notReady means
// that the work is not done. Other errors are returned.
func ready(err error) (bool, error) {
	if number(err) == notReady {
		return false, nil
	}
	return true, err
}

var _ error = cu.OutOfMemory // checks that the type of cu.OutOfMemory is an error type, because number() looks for this type
