// needs: go
// Goroutines, timers, the garbage collector, loops without calls, maps and select order, os/exec, signals, net/http.
package main

import (
	"context"
	"crypto/rand"
	"fmt"
	"io"
	mrand "math/rand"
	"net"
	"net/http"
	"os"
	"os/exec"
	"os/signal"
	"runtime"
	"sync"
	"sync/atomic"
	"syscall"
	"time"
)

func channels() {
	var wg sync.WaitGroup
	ch := make(chan int)
	for g := 0; g < 8; g++ {
		wg.Add(1)
		go func(g int) {
			defer wg.Done()
			for i := 0; i < 20; i++ {
				time.Sleep(time.Duration(mrand.Intn(1000)) * time.Microsecond)
				ch <- g
			}
		}(g)
	}
	go func() { wg.Wait(); close(ch) }()
	counts := map[int]int{}
	order := ""
	for g := range ch {
		counts[g]++
		order += fmt.Sprint(g)
	}
	b := make([]byte, 8)
	rand.Read(b)
	fmt.Printf("%s %x %d %v\n", order[:40], b, time.Now().UnixNano(), counts)
}

// The order of a map's keys and the case that select takes are drawn by the runtime.
func drawn() {
	m := map[string]bool{}
	for i := 0; i < 20; i++ {
		m[fmt.Sprint("k", i)] = true
	}
	for k := range m {
		fmt.Print(k, " ")
	}
	a, b := make(chan int, 50), make(chan int, 50)
	for i := 0; i < 30; i++ {
		a <- i
		b <- i
	}
	for i := 0; i < 30; i++ {
		select {
		case <-a:
			fmt.Print("a")
		case <-b:
			fmt.Print("b")
		}
	}
	fmt.Println()
}

// Loops that make no call: the runtime has to interrupt them by signals.
func busy() {
	var stop, seen atomic.Bool
	go func() {
		for {
		}
	}()
	go func() {
		for !stop.Load() {
		}
		seen.Store(true)
	}()
	time.Sleep(50 * time.Millisecond)
	runtime.Gosched()
	stop.Store(true)
	for !seen.Load() {
		time.Sleep(time.Millisecond)
	}
}

func garbage() {
	var keep [][]byte
	for i := 0; i < 3000; i++ {
		b := make([]byte, 20000)
		if i%100 == 0 {
			keep = append(keep, b)
		}
	}
	done := make(chan bool, 1)
	p := new(struct{ x [100]int })
	runtime.SetFinalizer(p, func(any) { done <- true })
	p = nil
	runtime.GC()
	<-done
	var s runtime.MemStats
	runtime.ReadMemStats(&s)
	fmt.Println(len(keep), s.NumGC > 2, runtime.NumCPU(), runtime.GOMAXPROCS(0))
}

func signals() {
	c := make(chan os.Signal, 1)
	signal.Notify(c, syscall.SIGUSR1, syscall.SIGTERM)
	time.AfterFunc(20*time.Millisecond, func() { syscall.Kill(os.Getpid(), syscall.SIGUSR1) })
	if s := <-c; s != syscall.SIGUSR1 {
		panic(s)
	}
	p := exec.Command("sleep", "1000")
	check(p.Start())
	time.AfterFunc(20*time.Millisecond, func() { p.Process.Signal(syscall.SIGTERM) })
	if err := p.Wait(); err.Error() != "signal: terminated" {
		panic(err)
	}
}

func main() {
	channels()
	drawn()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	check(err)
	go http.Serve(l, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { fmt.Fprint(w, "hello ", r.URL.Path) }))
	resp, err := http.Get("http://" + l.Addr().String() + "/x")
	check(err)
	body, err := io.ReadAll(resp.Body)
	check(err)
	if string(body) != "hello /x" {
		panic(string(body))
	}
	out, err := exec.Command("date", "+%s").Output()
	check(err)
	fmt.Printf("%s", out)
	ctx, cancel := context.WithTimeout(context.Background(), 90*time.Minute/5400)
	defer cancel()
	select {
	case <-ctx.Done():
	case <-time.After(time.Hour):
		panic("the timeout did not fire")
	}
	ticker, n := time.NewTicker(100*time.Millisecond), 0
	for range ticker.C {
		if n++; n == 20 {
			break
		}
	}
	check(os.WriteFile("/tmp/go-was-here", []byte("x"), 0o644))
	os.Remove("/tmp/go-was-here")
	signals()
	garbage()
	busy()
	fmt.Println(time.Now().UnixNano())
}

func check(err error) {
	if err != nil {
		panic(err)
	}
}
