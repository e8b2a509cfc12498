package ir

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/graphc/graphc/rt/tensor"
)

func TestDeadline(t *testing.T) {
	if err := (Deadline{}).Err(); err != nil {
		t.Errorf("no deadline: %v", err)
	}
	if err := In(context.Background(), time.Hour).Err(); err != nil {
		t.Errorf("an hour: %v", err)
	}
	past := Deadline{time.Minute, context.Background(), time.Now().Add(-time.Hour), CPUTime()}
	if err := past.Err(); tensor.CodeOf(err) != tensor.ResourceExhausted || !strings.Contains(err.Error(), "longer than 1m0s; --max-time") {
		t.Error(err)
	}
	if d := past.Within(time.Hour); d != past {
		t.Errorf("the earlier of two deadlines is %v", d)
	}
	if d := (Deadline{}).Within(time.Hour); d.Limit != time.Hour || d.Err() != nil {
		t.Errorf("an hour from now is %v", d)
	}
	if d := In(context.Background(), time.Hour).Within(time.Minute); d.Limit != time.Minute {
		t.Errorf("a minute from now is %v", d)
	}
	ctx, cancel := context.WithCancel(context.Background())
	d := In(ctx, time.Hour)
	if d.Err() != nil {
		t.Error(d.Err())
	}
	cancel()
	if err := d.Err(); tensor.CodeOf(err) != tensor.Cancelled {
		t.Errorf("its context has ended: %v", err)
	}
}

// TestDeadlineCPU: only time in which this process computes counts. Once that time is used up, the
// deadline's context ends.
func TestDeadlineCPU(t *testing.T) {
	waited := Deadline{time.Minute, context.Background(), time.Now().Add(-2 * time.Minute), CPUTime()}
	if err := waited.Err(); err != nil {
		t.Errorf("two minutes in which nothing was computed: %v", err)
	}
	computed := Deadline{time.Minute, context.Background(), time.Now().Add(-2 * time.Minute), CPUTime() - time.Minute}
	if err := computed.Err(); tensor.CodeOf(err) != tensor.ResourceExhausted {
		t.Errorf("a minute of computing: %v", err)
	}
	ctx, cancel := computed.Context()
	defer cancel()
	<-ctx.Done()
	for d := In(context.Background(), 5*time.Millisecond); d.Err() == nil; { // until d comes
	}
}

// TestDeadlineAfter: the time given to After counts as used.
func TestDeadlineAfter(t *testing.T) {
	d := In(context.Background(), time.Hour)
	if d.Err() != nil || d.Spent() < 0 || d.Spent() > time.Minute {
		t.Errorf("%v, %v are spent", d.Err(), d.Spent())
	}
	if err := d.After(59 * time.Minute).Err(); err != nil {
		t.Errorf("a minute is left: %v", err)
	}
	late := d.After(2 * time.Hour)
	if err := late.Err(); tensor.CodeOf(err) != tensor.ResourceExhausted || late.Left() > -time.Minute || late.Spent() < 2*time.Hour {
		t.Errorf("%v, %v left, %v spent", err, late.Left(), late.Spent())
	}
}
