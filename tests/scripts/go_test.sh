#!/bin/bash
# A test in Go that starts its server with os/exec.
# needs: go redis-server
set -e
PATH=$PATH:/usr/local/go/bin
cd "$(mktemp -d)"
export HOME=$PWD GOFLAGS=-mod=mod GOCACHE=${GOCACHE:-$PWD/cache} GOTOOLCHAIN=local CGO_ENABLED=0
cat >go.mod <<'M'
module demo

go 1.19
M
cat >redis_test.go <<'G'
package demo

import (
	"bufio"
	"context"
	"fmt"
	"net"
	"os/exec"
	"sync"
	"testing"
	"time"
)

func dial(t *testing.T) net.Conn {
	for i := 0; i < 100; i++ {
		if c, err := net.DialTimeout("tcp", "127.0.0.1:22001", time.Second); err == nil {
			return c
		}
		time.Sleep(100 * time.Millisecond)
	}
	t.Fatal("no server")
	return nil
}

func TestCounter(t *testing.T) {
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	cmd := exec.CommandContext(ctx, "redis-server", "--port", "22001", "--bind", "127.0.0.1", "--save", "")
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	defer func() { cancel(); cmd.Wait() }()
	dial(t).Close()
	var wg sync.WaitGroup
	for i := 0; i < 5; i++ {
		wg.Add(1)
		go func() {
			defer wg.Done()
			c := dial(t)
			defer c.Close()
			r := bufio.NewReader(c)
			for j := 0; j < 10; j++ {
				fmt.Fprint(c, "INCR n\r\n")
				r.ReadString('\n')
			}
		}()
	}
	wg.Wait()
	c := dial(t)
	defer c.Close()
	fmt.Fprint(c, "INCR n\r\n")
	if s, _ := bufio.NewReader(c).ReadString('\n'); s != ":51\r\n" {
		t.Fatalf("got %q", s)
	}
}
G
go test -c -o t .
./t -test.v
