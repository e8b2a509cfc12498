package cpu

import "testing"

func TestLimit(t *testing.T) {
	defer SetLimit(SetLimit(AVX512))
	for _, l := range []Level{Portable, AVX2, AVX512} {
		SetLimit(l)
		if got, want := UseAVX2(), HasAVX2FMA && l >= AVX2; got != want {
			t.Errorf("limit %v: UseAVX2 %v, want %v", l, got, want)
		}
		if got, want := UseAVX512(), HasAVX512 && l >= AVX512; got != want {
			t.Errorf("limit %v: UseAVX512 %v, want %v", l, got, want)
		}
		if got, want := UseNEON(), HasNEON && l >= NEON; got != want {
			t.Errorf("limit %v: UseNEON %v, want %v", l, got, want)
		}
		if old := SetLimit(l); old != l {
			t.Errorf("SetLimit returned %v, want %v", old, l)
		}
	}
	if HasAVX512 && !HasAVX2FMA {
		t.Error("AVX-512 without AVX2")
	}
	if HasNEON && (HasAVX2FMA || Available() != NEON || NEON.String() != "neon") {
		t.Error("NEON is not the level of arm64")
	}
}
