// A loop that counts while it waits for a goroutine.
package main

import (
	"fmt"
	"sync/atomic"
	"time"
)

func main() {
	var flag atomic.Bool
	n := 0
	go func() {
		time.Sleep(time.Millisecond)
		flag.Store(true)
	}()
	for !flag.Load() {
		n++
	}
	fmt.Println("ok", n > 0)
}
