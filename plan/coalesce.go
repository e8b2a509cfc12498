package plan

func (p *Plan) coalesce() {}
