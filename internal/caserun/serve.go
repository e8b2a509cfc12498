package caserun

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"strings"
)

// Request is a line of a worker's input: one case to process.
type Request struct {
	Index int    `json:"index"`         // index of the case in the caller's list
	Dir   string `json:"dir"`           // its folder
	Out   string `json:"out,omitempty"` // where a compile worker writes packages
	// Package is the case's package in a program that contains several emitted packages. Signatures
	// are the signatures of the case's runs, in order.
	Package    string   `json:"package,omitempty"`
	Signatures []string `json:"signatures,omitempty"`
}

// Reply is a line of a worker's output.
type Reply struct {
	Index  int    `json:"index"`
	Passed bool   `json:"passed,omitempty"`
	Reason string `json:"reason,omitempty"` // why it failed
	// Refusal is the text of the compile error, even if the case expects the error. It is "" if
	// there is no compile error.
	Refusal string `json:"refusal,omitempty"`
	PeakKB  int    `json:"peak_kb,omitempty"` // peak memory of the process during the case
	CPUMS   int    `json:"cpu_ms,omitempty"`  // processor time of the case
	// Package is the package that a compile worker wrote, and Signatures are the signatures of the
	// case's runs, in order. If Package is set, the case has not been run yet.
	Package    string   `json:"package,omitempty"`
	Signatures []string `json:"signatures,omitempty"`
}

// maxReason bounds the text of one failure.
const maxReason = 2000

// Verdict returns the reply for the case with the given index, where err is the reason why the case
// failed, or nil.
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

// Serve answers requests, one JSON object a line, until the input ends.
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
