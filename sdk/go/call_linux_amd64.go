package simrun

import (
	"encoding/binary"
	"os"
	"syscall"
	"unsafe"
)

// Of <elf.h>; the package debug/elf is large.
const (
	atSysinfoEhdr = 33
	elfMagic      = 0x464c457f
	ptDynamic     = 2
	dtHash        = 4
	dtStrtab      = 5
	dtSymtab      = 6
)

// detect looks for the mark in the vDSO: simrun's own has it, and a host's does not. Without /proc there is no
// simulation as far as this package can tell.
func detect() bool {
	auxv, err := os.ReadFile("/proc/self/auxv")
	if err != nil {
		return false
	}
	for ; len(auxv) >= 16; auxv = auxv[16:] {
		if binary.LittleEndian.Uint64(auxv) == atSysinfoEhdr {
			return hasMark(uintptr(binary.LittleEndian.Uint64(auxv[8:])))
		}
	}
	return false
}

// The image, read where it lies; addresses in it are relative to that.
type image uintptr

func (m image) u16(at uint64) uint16 { return *(*uint16)(m.ptr(at)) }
func (m image) u32(at uint64) uint32 { return *(*uint32)(m.ptr(at)) }
func (m image) u64(at uint64) uint64 { return *(*uint64)(m.ptr(at)) }

func (m image) ptr(at uint64) unsafe.Pointer {
	p := uintptr(m) + uintptr(at)
	return *(*unsafe.Pointer)(unsafe.Pointer(&p)) // memory of the kernel's, which does not move
}

func hasMark(base uintptr) bool {
	m := image(base)
	if base == 0 || m.u32(0) != elfMagic {
		return false
	}
	var dynamic, sym, str, hash uint64
	phoff, phnum := m.u64(32), uint64(m.u16(56))
	for i := uint64(0); i < phnum; i++ {
		if ph := phoff + i*56; m.u32(ph) == ptDynamic {
			dynamic = m.u64(ph + 16)
		}
	}
	for d := dynamic; d != 0 && m.u64(d) != 0; d += 16 {
		switch m.u64(d) {
		case dtSymtab:
			sym = m.u64(d + 8)
		case dtStrtab:
			str = m.u64(d + 8)
		case dtHash:
			hash = m.u64(d + 8)
		}
	}
	if sym == 0 || str == 0 || hash == 0 {
		return false
	}
	for i, n := uint64(0), uint64(m.u32(hash+4)); i < n; i++ {
		if m.isNamed(str+uint64(m.u32(sym+i*24)), mark) {
			return true
		}
	}
	return false
}

func (m image) isNamed(at uint64, name string) bool {
	for i := 0; i < len(name); i++ {
		if *(*byte)(m.ptr(at + uint64(i))) != name[i] {
			return false
		}
	}
	return *(*byte)(m.ptr(at + uint64(len(name)))) == 0
}

func hypercall(msg []byte) (int64, uint64) {
	var reply uint64
	r, _, errno := syscall.Syscall6(callNumber, wireVersion, uintptr(unsafe.Pointer(&msg[0])), uintptr(len(msg)),
		uintptr(unsafe.Pointer(&reply)), unsafe.Sizeof(reply), 0)
	if errno != 0 {
		return -int64(errno), 0
	}
	return int64(r), reply
}
