package plan

import "strings"

// The name of a buffer that holds a resource consists of the kind of the resource, its container,
// and its own name. A colon or a slash ends the container's name. These characters may also occur
// in a container's name itself, so they are escaped there. Therefore no two resources have buffers
// of the same name.
var (
	containerText = strings.NewReplacer("%", "%25", "/", "%2F", ":", "%3A")
	containerName = strings.NewReplacer("%25", "%", "%2F", "/", "%3A", ":")
)

// ContainerKey returns a container's name in the form used in buffer names.
func ContainerKey(name string) string { return containerText.Replace(name) }

// ContainerOf returns the container for which ContainerKey returned key.
func ContainerOf(key string) string { return containerName.Replace(key) }
