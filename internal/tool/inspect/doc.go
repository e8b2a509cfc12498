// Package inspect implements graphc inspect, which describes models.
package inspect
