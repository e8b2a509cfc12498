package resource

// Away is a variable's value in the memory of a device, in addition to the value in the host's
// memory. One of the two values may be newer. The caller of its methods holds the variable's lock.
type Away interface {
	// Home waits for the device's value and, if it is newer, copies it to Data. After an error
	// Data keeps its old value.
	Home(v *Var) error
	// Stale records that the host's value is newer from now on.
	Stale()
	// Free frees the memory once no work uses it any more.
	Free()
}

// Home updates Data if a device has changed the variable's value. Readers of Data must call it,
// with the variable's lock held.
func (v *Var) Home() error {
	if v.Away == nil {
		return nil
	}
	return v.Away.Home(v)
}

// Own is like Home, for callers that change elements of Data.
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

// Replace must be called before the variable gets a new value that does not depend on the old one.
func (v *Var) Replace() {
	if v.Away != nil {
		v.Away.Stale()
	}
}

// Forget removes the variable's value, on the host and on the device.
func (v *Var) Forget() {
	if v.Away != nil {
		v.Away.Free()
	}
	v.Away, v.Set, v.Shape, v.Data = nil, false, nil, nil
}
