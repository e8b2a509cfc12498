package plan

import "testing"

// TestAddRooms: a buffer that two conditionals use gets a Room step where the first of them has
// computed the buffer's size. A buffer that only one conditional uses gets none, and neither does a
// buffer whose size is known before the conditionals.
func TestAddRooms(t *testing.T) {
	const head = `plan "f"
feed "c:0" key "c" bool[] %0
buf %0 "c:0" fed bool len 1 shape []
buf %1 "late" grow f32 len n
buf %2 "inner" grow f32 len n
buf %3 "early" grow f32 len m
call "m" Size k.N(1) ret m
if "a" If r %0[0:1]
call "n" Size k.N(2) ret n
`
	const tail = `call "late" Fill k.F(w %1[0:n])
call "late" Fill k.G(rw %1[0:n])
call "inner" Fill k.F(w %2[0:n])
call "early" Fill k.F(w %3[0:m])
call "inner" Use k.U(r %2[0:n])
end
if "b" If r %0[0:1]
call "use" Use k.U(r %1[0:n])
call "use" Use k.U(r %3[0:m])
end
`
	p := parse(t, head+tail)
	p.AddRooms()
	if got, want := p.String(), head+"room \"late\" Fill %1\n"+tail; got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}
