// A Go program that says something of everything: tests/properties.sh builds and runs it.
package main

import (
	"fmt"
	"os"
	"time"

	sim "simrun"
)

func main() {
	mode := ""
	if len(os.Args) > 1 {
		mode = os.Args[1]
	}
	sim.SetupComplete()
	if sim.Active() || mode != "bad" {
		sim.Always(mode != "bad", "go holds", 1, "x")
	}
	sim.AlwaysGreaterThan(len(os.Args)+1, len(os.Args), "go numbers")
	sim.SometimesAll(map[string]bool{"a": true}, "go all")
	sim.Eventually(func() bool { return true }, "go eventually", time.Second)
	sim.QuietFor(time.Millisecond)
	sim.Event("go event", map[string]int{"n": 1})
	if len(os.Args) > 5 {
		sim.Reachable("go unreached")
	}
	op := sim.Put(1, "k", "v")
	op.Ok("")
	op = sim.Get(2, "k")
	if mode == "stale" {
		op.Ok("")
	} else {
		op.Ok("v")
	}
	fmt.Printf("active %v, budget %d\n", sim.Active(), sim.Budget(200))
}
