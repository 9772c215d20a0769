// Package simrun is what a Go program can tell the simulator, and ask of it.
//
// In a simulation (see simrun(1)) properties are tracked over all seeds, operations are recorded and checked, events stand
// in the trace. Anywhere else nothing is sent to anybody: properties that are violated panic, everything else does
// nothing. So the same source runs in both, and in ordinary tests. No cgo, no dependencies.
//
// A property is identified by its message. Keep messages constant, as literals: then `simrun catalog` finds them in the
// source, and one that never runs is known all the same. What changes from run to run belongs into the details.
//
// The module's path has no dot, so a go.mod names its place:
//
//	require simrun v0.0.0
//	replace simrun => /usr/local/share/simrun/go
package simrun
