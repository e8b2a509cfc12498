package plan

import "strings"

// The name of a buffer with a resource begins with a kind and a container, followed by a colon or a
// slash. A container's name may itself contain both characters, so they are escaped. Therefore no
// two resources have the same name.
var (
	containerText = strings.NewReplacer("%", "%25", "/", "%2F", ":", "%3A")
	containerName = strings.NewReplacer("%25", "%", "%2F", "/", "%3A", ":")
)

// ContainerKey returns a container's name in the form used in buffer names.
func ContainerKey(name string) string { return containerText.Replace(name) }

// ContainerOf returns the container for which ContainerKey returned key.
func ContainerOf(key string) string { return containerName.Replace(key) }
