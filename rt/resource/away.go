package resource

// Away is a second copy of a variable's value, in the memory of a device. The first copy is in the
// host's memory, in Var.Data. Either copy may be newer than the other. The caller of these methods
// holds the variable's lock.
type Away interface {
	// Home waits until the device has computed its copy. If that copy is newer, Home copies it to
	// v.Data. After an error v.Data keeps its old value.
	Home(v *Var) error
	// Stale records that the host's copy is the newer one from now on.
	Stale()
	// Free frees the device memory as soon as no work of the device uses it.
	Free()
}

// Home updates v.Data if a device has changed the variable's value. Code that reads v.Data must call
// Home first, with the variable's lock held.
func (v *Var) Home() error {
	if v.Away == nil {
		return nil
	}
	return v.Away.Home(v)
}

// Own is like Home, for callers that change elements of v.Data. It also records that the device's
// copy is out of date.
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

// Replace must be called before v.Data gets a new value that does not depend on the old one. Unlike
// Own, it does not copy the old value from the device.
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
