package tensor

// Handle is an element of type Resource or Variant: a reference to something
// that a run or the model keeps, such as a variable, a queue or a list.
type Handle struct{ V any }
