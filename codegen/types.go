package codegen

import (
	"slices"
	"strconv"

	"github.com/dave/jennifer/jen"

	"github.com/graphc/graphc/plan"
)

// States and pools of the run time have type arguments for each signature. If a signature does not
// need one of these types, the type argument is struct{} and no type is declared.

// types returns the type arguments of a signature's state and pool.
func (e *emitter) types(s *signature) []jen.Code {
	return []jen.Code{s.dimsType(), s.sizesType(), s.input(), e.varsType(), e.also(s)}
}

// typeOr returns the type with the given name, or struct{} if the type would be empty.
func typeOr(name string, empty bool) *jen.Statement {
	if empty {
		return jen.Struct()
	}
	return jen.Id(name)
}

// dimsType returns the type of the sizes read from the feeds. The parts of a signature share it,
// and so do signatures that share code.
func (s *signature) dimsType() *jen.Statement {
	if s.of != nil {
		return s.of.dimsType()
	}
	return typeOr(s.seen().prefix+"Dims", len(s.seen().plan.Dims) == 0)
}

// sizesType returns the type of the sizes that steps compute.
func (s *signature) sizesType() *jen.Statement { return typeOr(s.prefix+"Sizes", len(s.bound) == 0) }

// input returns the type of the feeds that the steps of a signature read.
func (s *signature) input() *jen.Statement { return typeOr(s.method+"Input", !s.readsFeeds()) }

// readsFeeds reports whether steps read elements of the feeds.
func (s *signature) readsFeeds() bool {
	return slices.ContainsFunc(s.plan.Feeds, func(f plan.Feed) bool { return f.Buf != nil })
}

// also(s) returns the type argument for the extra field of the states of signature s. Only the
// states of parts use such a field, so for other signatures the type is struct{}.
func (e *emitter) also(s *signature) *jen.Statement {
	switch {
	case s.whole == nil:
		return jen.Struct()
	case s.accelerated():
		return e.devwork("Link")
	}
	return e.parts("Link")
}

// declareTypes emits the types of a signature.
func (s *stepsFile) declareTypes(f *jen.File) {
	sig := s.sig
	var dims, found []jen.Code
	for _, d := range sig.plan.Dims {
		dims = append(dims, jen.Id(sig.field(d.Name)).Int().Comment("// dimension "+strconv.Itoa(d.Axis)+" of "+quote(sig.plan.Feeds[d.Feed].Name)))
	}
	for _, b := range sig.bound {
		found = append(found, jen.Id(sig.field(b)).Int())
	}
	if sig.number == 0 && len(dims) > 0 {
		f.Comment("// " + sig.seen().prefix + "Dims holds the sizes read from the feeds' shapes.")
		f.Type().Add(sig.dimsType()).Struct(dims...).Line()
	}
	if len(found) > 0 {
		f.Comment("// " + sig.prefix + "Sizes holds the sizes that steps compute.")
		f.Type().Add(sig.sizesType()).Struct(found...).Line()
	}
	if len(sig.plan.Steps) > 0 {
		f.Type().Id(sig.prefix + "State").Op("=").Add(s.e.rt("State")).Types(s.e.types(sig)...).Line()
	}
}
