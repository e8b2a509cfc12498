package main

func vmathKernels(w *file) {}
func writeCalls(string)    {}
