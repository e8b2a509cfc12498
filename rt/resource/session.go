package resource

import (
	"fmt"
	"sync"

	"github.com/graphc/graphc/rt/tensor"
)

// Session keeps tensors between runs, for ops such as GetSessionHandle. A tensor is identified by a
// string, its handle.
type Session struct {
	mu      sync.Mutex
	next    int
	tensors map[string]*Box
}

// NewSession returns the session store of an instance.
func NewSession() tensor.Handle {
	return tensor.Handle{V: &Session{tensors: map[string]*Box{}}}
}

// SessionOf returns the session that h holds. The error is NotFound for an empty handle and
// InvalidArgument for another kind of resource.
func SessionOf(h []tensor.Handle) (*Session, error) { return of[Session](h, "a session") }

// Keep stores a tensor and returns its handle in TensorFlow's form: the node's name, a number and
// the device.
func (s *Session) Keep(node string, b *Box) string {
	s.mu.Lock()
	defer s.mu.Unlock()
	h := fmt.Sprintf("%s;%d;/job:localhost/replica:0/task:0/device:CPU:0", node, s.next)
	s.next++
	s.tensors[h] = b
	return h
}

// Get returns the tensor with the given handle. The error is InvalidArgument for an unknown handle.
func (s *Session) Get(handle string) (*Box, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if b := s.tensors[handle]; b != nil {
		return b, nil
	}
	return nil, noTensor(handle)
}

// Delete removes the tensor with the given handle. The error is InvalidArgument for an unknown handle.
func (s *Session) Delete(handle string) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.tensors[handle] == nil {
		return noTensor(handle)
	}
	delete(s.tensors, handle)
	return nil
}

func noTensor(handle string) error {
	return tensor.Errorf(tensor.InvalidArgument, "The tensor with handle '%s' is not in the session store.", handle)
}
