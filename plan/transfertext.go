package plan

// transfer reads the line of a transfer.
func (p *reader) transfer(verb string) bool {
	switch verb {
	case "put":
		s := &Put{Node: p.quoted(), Op: p.op()}
		s.Dst, s.Src = p.twoViews()
		p.step(s)
	case "get":
		s := &Get{Node: p.quoted(), Op: p.op()}
		s.Dst, s.Src = p.twoViews()
		p.step(s)
	default:
		return false
	}
	return true
}

// twoViews reads two windows with a comma between them.
func (p *reader) twoViews() (dst, src View) {
	dst = p.view()
	p.want(",")
	return dst, p.view()
}
