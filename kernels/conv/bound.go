package conv

// MaxBand bounds ScratchLen. For any number of rows, ScratchLen is at most the larger of
// MaxBand and the floats that one row of the result needs:
//
//	((KH-1)·DilH+1) · ((OW-1)·StrideW+(KW-1)·DilW+1) · C/Groups
const MaxBand = bandFloats
