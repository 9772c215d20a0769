package main

import (
	"fmt"
	"os"

	"github.com/antithesishq/antithesis-sdk-go/assert"
	"github.com/antithesishq/antithesis-sdk-go/lifecycle"
	"github.com/antithesishq/antithesis-sdk-go/random"
)

func main() {
	mode := ""
	if len(os.Args) > 1 {
		mode = os.Args[1]
	}
	lifecycle.SetupComplete(map[string]any{"nodes": 3})
	for i := 0; i < 5; i++ {
		assert.Always(i < 5, "go counts", map[string]any{"i": i})
		assert.Sometimes(i == 3, "go three", map[string]any{"i": i})
		assert.SometimesGreaterThan(i, 10, "go more than ten", nil)
		assert.AlwaysLessThanOrEqualTo(i, 4, "go at most four", nil)
	}
	assert.Reachable("go reached", nil)
	assert.AlwaysSome([]assert.NamedBool{{First: "a", Second: false}, {First: "b", Second: true}}, "go one of them", nil)
	lifecycle.SendEvent("go event", map[string]any{"x": 1})
	fmt.Printf("random %x\n", random.GetRandom())
	if mode == "bad" {
		assert.Always(false, "go violated", map[string]any{"left": 1})
	}
	if mode == "unreachable" {
		assert.Unreachable("go not here", nil)
	}
	fmt.Println("end")
}
