package lower

// Method is how a convolution is computed.
type Method string

// The methods.
const (
	Direct   Method = "direct"   // as the sums it is
	Winograd Method = "winograd" // by Winograd's method, where that can be
)

// AnyNode stands in Methods for the nodes that are not named.
const AnyNode = "*"

// Methods has convolutions computed by the method given for their node, instead
// of the one that is estimated to be faster. ExactConv comes before it.
func Methods(byNode map[string]Method) Option {
	return func(l *lowerer) { l.methods = byNode }
}

// method is the method given for the node under way, empty where none is.
func (l *lowerer) method() Method {
	if m, ok := l.methods[l.node.Name]; ok {
		return m
	}
	return l.methods[AnyNode]
}
