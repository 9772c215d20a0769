package hub

import (
	"crypto/sha256"
	"fmt"
	"testing"
	"time"
)

// snapshot is an event that takes a while to make.
func snapshot() string {
	return fmt.Sprintf("%x", sha256.Sum256(make([]byte, 16<<20)))
}

func TestEventReachesSubscriber(t *testing.T) {
	h := New()
	ready := make(chan struct{})
	got := make(chan string)
	go h.Subscribe(ready, func(event string) { got <- event })
	<-ready
	h.Publish(snapshot())
	select {
	case event := <-got:
		if len(event) != 64 {
			t.Fatalf("got %q", event)
		}
	case <-time.After(10 * time.Second):
		t.Fatal("no event after 10 seconds")
	}
}
