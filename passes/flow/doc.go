// Package flow makes regions of control flow: functions are put in the place of their calls, loops and branches of TensorFlow 1 become regions, and lists and arrays of loops dense tensors.
package flow
