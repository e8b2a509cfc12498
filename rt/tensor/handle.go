package tensor

// Handle is an element of type Resource or Variant: a reference to an object of the run or the
// model, such as a variable, a queue or a list.
type Handle struct{ V any }
