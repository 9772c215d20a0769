// Package hub hands events to whoever listens.
package hub

import "os"

// A Hub passes each event on to its one subscriber. Nobody waits for a subscriber that is not there.
type Hub struct {
	events chan string
}

// Publish returns at once, whether somebody listens or not.
func (h *Hub) Publish(event string) {
	select {
	case h.events <- event:
	default:
	}
}

// Subscribe closes ready as soon as events will reach the handler, which is called for the first one.
func (h *Hub) Subscribe(ready chan<- struct{}, handler func(string)) {
	close(ready)
	os.Stdout.WriteString("subscribed\n")
	handler(<-h.events)
}
