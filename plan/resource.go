package plan

import "strings"

// The name of a buffer that holds a resource begins with the kind and the container of the
// resource. A colon or a slash ends the container's name. The name may itself contain these
// characters, so they are escaped in it. Therefore no two resources have buffers of the same name.
var (
	containerText = strings.NewReplacer("%", "%25", "/", "%2F", ":", "%3A")
	containerName = strings.NewReplacer("%25", "%", "%2F", "/", "%3A", ":")
)

// ContainerKey returns a container's name in the form used in buffer names.
func ContainerKey(name string) string { return containerText.Replace(name) }

// ContainerOf returns the container for which ContainerKey returned key.
func ContainerOf(key string) string { return containerName.Replace(key) }
