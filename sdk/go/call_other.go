//go:build !(linux && amd64)

package simrun

func detect() bool { return false }

func hypercall(msg []byte) (int64, uint64) { return -1, 0 }
