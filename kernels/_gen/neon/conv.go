package main

func convKernels(w *file) {}
