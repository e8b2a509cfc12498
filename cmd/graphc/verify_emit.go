package main

import (
	"context"

	"github.com/graphc/graphc/internal/caserun"
	"github.com/graphc/graphc/internal/cases"
)

func (a *app) verifyEmitted(context.Context, verifyFlags, []*cases.Case, *reporter) error {
	return usagef("this build of graphc verifies with --exec only")
}

func emitCase(q caserun.Request, _ bool) caserun.Reply {
	return caserun.Verdict(q.Index, usagef("packages cannot be emitted"))
}
