package resource

// Away is a variable's value in the memory of a device, beside the host's. One of the
// two may be newer. Its methods are called with the variable's lock held.
type Away interface {
	// Home waits until the device's value can be read and copies it to Data, where it
	// is newer. After an error Data is as old as before.
	Home(v *Var) error
	// Stale says that the host's value is newer from now on.
	Stale()
	// Free gives the memory back when no work uses it any more.
	Free()
}

// Home has Data be the variable's value, which a device may have changed. Whoever reads Data
// calls it, the variable's lock held.
func (v *Var) Home() error {
	if v.Away == nil {
		return nil
	}
	return v.Away.Home(v)
}

// Own is Home for who changes elements of Data.
func (v *Var) Own() error {
	if v.Away == nil {
		return nil
	}
	err := v.Away.Home(v)
	if err == nil {
		v.Away.Stale()
	}
	return err
}

// Replace is for who gives the variable another value, whatever it had.
func (v *Var) Replace() {
	if v.Away != nil {
		v.Away.Stale()
	}
}

// Forget takes the variable's value away, on all sides.
func (v *Var) Forget() {
	if v.Away != nil {
		v.Away.Free()
	}
	v.Away, v.Set, v.Shape, v.Data = nil, false, nil, nil
}
