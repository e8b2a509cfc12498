package ragged

// ToSparse writes the indices and the dense shape of the sparse tensor that holds all values of a
// ragged tensor. dims are the dimensions of the values, and the row splits must satisfy Strict. The
// rank of the sparse tensor is len(lens)+len(dims). indices has the shape [∏dims, rank], and shape
// has rank elements. pos is scratch with an element for each partition.
func ToSparse(indices, shape, splits []int64, lens, dims []int, pos []int64) error {
	if err := Strict(splits, lens, dims[0]); err != nil {
		return err
	}
	depth := len(lens)
	rank := depth + len(dims)
	shape[0] = int64(lens[0] - 1)
	for k := range lens {
		s := part(splits, lens, k)
		widest := int64(0)
		for i := 1; i < len(s); i++ {
			widest = max(widest, s[i]-s[i-1])
		}
		shape[k+1] = widest
	}
	inner := 1
	for k, d := range dims[1:] {
		shape[depth+1+k] = int64(d)
		inner *= d
	}
	clear(pos)
	at := 0
	for v := range dims[0] {
		// pos[k] is the row of partition k that holds value v.
		child := int64(v)
		off := len(splits)
		for k := depth - 1; k >= 0; k-- {
			off -= lens[k]
			s := splits[off : off+lens[k]]
			for s[pos[k]+1] <= child {
				pos[k]++
			}
			child = pos[k]
		}
		for e := range inner {
			row := indices[at : at+rank]
			at += rank
			row[0] = pos[0]
			off := 0
			for k := range depth {
				next := int64(v)
				if k+1 < depth {
					next = pos[k+1]
				}
				row[k+1] = next - splits[off+int(pos[k])]
				off += lens[k]
			}
			r := e
			for k := len(dims) - 1; k > 0; k-- {
				row[depth+k] = int64(r % dims[k])
				r /= dims[k]
			}
		}
	}
	return nil
}
