package plan

import (
	"strings"
	"testing"
)

// moved is the text of a plan with buffers on the host and on the device, and without steps.
const moved = `plan "moved"
buf %0 "d" device f32 len 3
buf %1 "h" arena f32 len 3
buf %2 "h" arena u8 len 12 alias %1 off 0
buf %3 "e" device f32 len 3
`

// transfers is the text of transfer steps of each kind and route.
const transfers = `put "a" Op w %0[0:3], r %2[0:12]
get "b" Op w %2[0:12], r %0[0:3]
send "c" _Send slot 0 host r %1[0:3]
send "d" _Send slot 1 staged r %0[0:3]
send "e" _Send slot 2 staged r %0[0:3] reused
send "f" _Send slot 3 peer r %0[0:3]
send "g" _SendControl slot 4 control
recv "h" _Recv slot 5 host w %1[0:3]
recv "i" _Recv slot 6 staged w %0[0:3]
recv "j" _Recv slot 7 peer w %0[0:3]
recv "k" _RecvControl slot 8 control
`

// TestTransferText: a parsed text of transfers is printed as the same text.
func TestTransferText(t *testing.T) {
	p := parse(t, moved+transfers)
	if got := p.String(); !strings.HasSuffix(got, transfers) {
		t.Errorf("printed as\n%s", got)
	}
	for i, want := range []string{"Put", "Get", "SendF32", "SendFrom", "SendFrom", "SendPeer", "Signal", "RecvF32", "RecvTo", "RecvPeer", "Wait"} {
		c, _ := CallOf(p.Steps[i])
		if _, name, _ := c.Symbol(); name != want || c.Check() != nil {
			t.Errorf("step %d is the call %+v", i, c)
		}
		if Recorded(p.Steps[i]) || Queues(p.Steps[i]) != c.hasQueue() {
			t.Errorf("step %d: it is recorded, or it is not known whether the device has to do with it", i)
		}
	}
}

// TestTransferCheck checks the errors that Check returns for invalid transfers.
func TestTransferCheck(t *testing.T) {
	for _, c := range []struct{ steps, want string }{
		{`put "a" Op w %0[0:3], r %0[0:3]`, "d is not in the host's memory"},
		{`put "a" Op w %1[0:3], r %2[0:12]`, "h is not in the memory of the device"},
		{`put "a" Op r %0[0:3], r %2[0:12]`, "the mode of r %0[0:3] is wrong"},
		{`put "a" Op w %0[0:3], r %1[0:3]`, "h must be a buffer of bytes"},
		{`put "a" Op w %0[0:3], r %2[0:8]`, "8 bytes on the host, but 12 on the device"},
		{`put "a" Op w %0[0:3], r %2[0:12]`, "reads h before it is written"},
		{`put "a" Op w _[0:3], r %2[0:12]`, "a window without a buffer"},
		{`get "a" Op w %2[0:12], r %1[0:3]`, "h is not in the memory of the device"},
		{`get "a" Op w %0[0:3], r %0[0:3]`, "d is not in the host's memory"},
		{`get "a" Op w %2[0:12], r %0[0:3]`, "reads d before it is written"},
		{`send "a" _Send slot -1 host r %1[0:3]`, "unknown slot -1"},
		{`send "a" _Send slot 0 host r %1[0:3]`, "reads h before it is written"},
		{`send "a" _Send slot 0 host r %0[0:3]`, "d is not in the host's memory"},
		{`send "a" _Send slot 0 staged r %1[0:3]`, "h is not in the memory of the device"},
		{`send "a" _Send slot 0 peer w %0[0:3]`, "the mode of w %0[0:3] is wrong"},
		{`recv "a" _Recv slot 0 host w _[0:3]`, "a window without a buffer"},
		{`recv "a" _Recv slot 0 peer w %1[0:3]`, "h is not in the memory of the device"},
		{`recv "a" _Recv slot 0 host w %1[0:4]`, "a window of h ends at 4 of 3"},
		{"par 3 grain 1 most - wrap - work - join -\n" + `get "a" Op w %2[0:12], r %0[0:3]` + "\nend", "unexpected step of type *plan.Get"},
	} {
		err := parse(t, moved+c.steps).Check()
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %q", c.steps, err, c.want)
		}
	}
}
