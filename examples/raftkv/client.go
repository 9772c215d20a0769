package main

import (
	"fmt"
	"strconv"
	"time"

	sim "simrun"
)

// runClient puts and gets at random, one after the other, and records what came out.
func runClient(client int, operations string, ports []string) {
	ops, _ := strconv.Atoi(operations)
	c := &kvClient{}
	for _, port := range ports {
		c.nodes = append(c.nodes, &peer{port: port})
	}
	sim.Eventually(c.ready, "a leader is elected", 10*time.Second)
	if client == 1 {
		sim.SetupComplete()
	}
	for n := 0; n < sim.Budget(ops); n++ {
		key := fmt.Sprintf("k%d", sim.Random()%2)
		if sim.Random()%2 == 0 {
			value := fmt.Sprintf("%d-%d", client, n)
			c.finish(sim.Put(client, key, value), &request{Kind: "put", Key: key, Value: value})
		} else {
			c.finish(sim.Get(client, key), &request{Kind: "get", Key: key})
		}
		time.Sleep(time.Duration(sim.Random()%200) * time.Millisecond)
	}
}

type kvClient struct {
	nodes []*peer
	at    int // who was the leader last
}

func (c *kvClient) ready() bool {
	for range c.nodes {
		if rep, err := c.nodes[c.at].ask(&request{Kind: "get", Key: "ready"}, time.Second); err == nil && rep.OK {
			return true
		}
		c.at = (c.at + 1) % len(c.nodes)
	}
	return false
}

// finish asks until a leader has taken the request. What happened to a request that somebody may have taken is unknown.
func (c *kvClient) finish(op sim.Op, r *request) {
	for tries := 0; ; tries++ {
		rep, err := c.nodes[c.at].ask(r, time.Second)
		if err == nil && rep.OK {
			op.Ok(rep.Value)
			return
		}
		c.at = (c.at + 1) % len(c.nodes)
		if err != nil || rep.Error == "lost" {
			sim.Reachable("the fate of an operation is unknown")
			op.Unknown()
			return
		}
		if tries > 20 {
			op.Failed()
			return
		}
		time.Sleep(50 * time.Millisecond)
	}
}
