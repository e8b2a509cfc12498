package lower

// Method is how a convolution is computed.
type Method string

// The methods.
const (
	Direct   Method = "direct"   // as plain sums
	Winograd Method = "winograd" // by Winograd's method, where possible
)

// AnyNode is the key in Methods for all nodes that are not named.
const AnyNode = "*"

// Methods sets the method for convolutions by node, instead of the one estimated to be faster.
// ExactConv takes precedence.
func Methods(byNode map[string]Method) Option {
	return func(l *lowerer) { l.methods = byNode }
}

// method returns the method set for the current node, or "".
func (l *lowerer) method() Method {
	if m, ok := l.methods[l.node.Name]; ok {
		return m
	}
	return l.methods[AnyNode]
}
