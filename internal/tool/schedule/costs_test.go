package schedule

import "testing"

// TestMeasure: the costs of sharing work are positive. They are the usual ones if no second processor
// is free.
func TestMeasure(t *testing.T) {
	c := Measure()
	t.Logf("%+v", c)
	if c.Join <= 0 || c.Chunk < 0 || c.Wake <= 0 || c.Rouse < 0 || c.Patience <= 0 || c.Linger <= 0 {
		t.Errorf("%+v", c)
	}
	if c.Join > free {
		t.Errorf("a helper on a free processor joins a loop after %d ns", c.Join)
	}
}
