// A map that goroutines write without a lock: its header is torn, or the runtime notices and ends the program.
package main

import (
	"fmt"
	"os"
	"sync"
)

var fixed string

func main() {
	m := map[int]int{}
	var lock sync.Mutex
	var wg sync.WaitGroup
	for w := 0; w < 4; w++ {
		wg.Add(1)
		go func() {
			defer wg.Done()
			for i := 0; i < 200; i++ {
				if fixed != "" {
					lock.Lock()
				}
				m[i*4+w] = i
				if fixed != "" {
					lock.Unlock()
				}
			}
		}()
	}
	wg.Wait()
	if len(m) != 800 {
		fmt.Println("entries were lost:", len(m))
		os.Exit(1)
	}
}
