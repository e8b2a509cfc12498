package caserun

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"strings"
)

// Request is a line a worker reads: one case to deal with.
type Request struct {
	Index int    `json:"index"`         // of the case in the caller's list
	Dir   string `json:"dir"`           // its folder
	Out   string `json:"out,omitempty"` // where a compiling worker writes packages
	// Package is the case's in a program of emitted packages, Signatures are
	// those of the runs, in order.
	Package    string   `json:"package,omitempty"`
	Signatures []string `json:"signatures,omitempty"`
}

// Reply is the line a worker answers with.
type Reply struct {
	Index  int    `json:"index"`
	Passed bool   `json:"passed,omitempty"`
	Reason string `json:"reason,omitempty"` // why it failed
	// Refusal is why a case did not compile, be it expected or not.
	Refusal string `json:"refusal,omitempty"`
	PeakKB  int    `json:"peak_kb,omitempty"` // of the process's memory while it dealt with the case
	CPUMS   int    `json:"cpu_ms,omitempty"`  // that it computed
	// Package is what a compiling worker wrote, Signatures are those of the
	// runs, in order. The verdict is still open.
	Package    string   `json:"package,omitempty"`
	Signatures []string `json:"signatures,omitempty"`
}

// maxReason bounds the text of one failure.
const maxReason = 2000

// Verdict makes a reply of an error.
func Verdict(index int, err error) Reply {
	if err == nil {
		return Reply{Index: index, Passed: true}
	}
	reason := strings.TrimSpace(err.Error())
	if len(reason) > maxReason {
		reason = reason[:maxReason] + "…"
	}
	return Reply{Index: index, Reason: reason}
}

// Serve answers requests, a JSON object a line, until the input ends.
func Serve(in io.Reader, out io.Writer, handle func(Request) Reply) error {
	sc := bufio.NewScanner(in)
	sc.Buffer(nil, 1<<20)
	enc := json.NewEncoder(out)
	for sc.Scan() {
		var q Request
		if err := json.Unmarshal(sc.Bytes(), &q); err != nil {
			return fmt.Errorf("request: %w", err)
		}
		if err := enc.Encode(handle(q)); err != nil {
			return err
		}
	}
	return sc.Err()
}
