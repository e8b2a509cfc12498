package plan

import "strings"

// The names of buffers that hold resources begin with a kind and a container, up to a
// colon or a slash. A container's name may have both, so that it is written here
// without them: no two resources have one name.
var (
	containerText = strings.NewReplacer("%", "%25", "/", "%2F", ":", "%3A")
	containerName = strings.NewReplacer("%25", "%", "%2F", "/", "%3A", ":")
)

// ContainerKey is a container's name as it stands in the names of buffers.
func ContainerKey(name string) string { return containerText.Replace(name) }

// ContainerOf is the container of which ContainerKey made key.
func ContainerOf(key string) string { return containerName.Replace(key) }
