package lower

// Method is how a convolution is computed.
type Method string

// The methods.
const (
	Direct   Method = "direct"   // as plain sums
	Winograd Method = "winograd" // use Winograd's method where possible
)

// AnyNode is the key in the map for Methods that stands for all nodes without an entry.
const AnyNode = "*"

// Methods chooses the method for convolutions by the node's name. For a node that is not in the
// map, Lower chooses the method that it estimates to be faster. The option ExactConv takes
// precedence.
func Methods(byNode map[string]Method) Option {
	return func(l *lowerer) { l.methods = byNode }
}

// method returns the method that Methods set for the current node, or "".
func (l *lowerer) method() Method {
	if m, ok := l.methods[l.node.Name]; ok {
		return m
	}
	return l.methods[AnyNode]
}
