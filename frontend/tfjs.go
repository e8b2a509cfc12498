package frontend

func loadTFJS(path string, o Options) (*Model, error) { return nil, invalid("tfjs") }
