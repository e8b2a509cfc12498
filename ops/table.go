package ops

// families lists every family's table: a new file of ops adds a line.
func families() [][]*Def {
	return [][]*Def{
		coreDefs,
		quantDefs,
		normGradDefs,
		colourDefs,
		linalgDefs,
		volumeDefs,
		parseDefs,
		einsumDefs,
		nmsDefs,
		printDefs,
		stringDefs,
		randomDefs,
		imageDefs,
		normDefs,
		arrayDefs,
		poolDefs,
		convDefs,
		elementwiseDefs,
		compareDefs,
		castDefs,
		reduceDefs,
		scanDefs,
		softmaxDefs,
		chooseDefs,
		sumDefs,
		gradientDefs,
		complexDefs,
		likeDefs,
		specialDefs,
		countDefs,
		numericsDefs,
		matmulDefs,
	}
}
