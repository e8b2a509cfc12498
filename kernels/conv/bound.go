package conv

// MaxBand bounds ScratchLen where one row of the result needs no more: for any
// number of rows it is at most the larger of MaxBand and
//
//	((KH-1)·DilH+1) · ((OW-1)·StrideW+(KW-1)·DilW+1) · C/Groups
const MaxBand = bandFloats
