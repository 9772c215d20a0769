package main

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"time"

	sim "simrun"
)

const (
	heartbeat = 50 * time.Millisecond
	election  = 200 * time.Millisecond // to twice that
	patience  = 500 * time.Millisecond // for a client's entry to be committed
)

type entry struct {
	Term             int
	Kind, Key, Value string
}

// What is on disk, as it was before any answer that follows from it.
type stable struct {
	Term, Vote int
	Log        []entry
}

type role int

const (
	follower role = iota
	candidate
	leader
)

type node struct {
	mu    sync.Mutex
	wake  *sync.Cond // something was committed, or the term has changed
	id    int
	ports []string
	file  string
	stable
	role         role
	votes        int
	commit, done int // entries
	kv           map[string]string
	results      map[int]string // of gets, by index
	next, match  []int
	heard        time.Time // from a leader, or a vote given
	patience     time.Duration
	settled      bool
}

func runNode(id int, dir string, ports []string) {
	n := &node{id: id, ports: ports, file: filepath.Join(dir, fmt.Sprintf("raft%d.json", id)), kv: map[string]string{},
		results: map[int]string{}, next: make([]int, len(ports)), match: make([]int, len(ports))}
	n.wake = sync.NewCond(&n.mu)
	n.Vote = -1
	n.recover()
	n.rest()
	go n.clock()
	for i, port := range ports {
		if i != id {
			go n.replicate(i, &peer{port: port})
		}
	}
	serve(ports[id], n.handle)
}

func (n *node) recover() {
	b, err := os.ReadFile(n.file)
	if err != nil {
		return
	}
	if err := json.Unmarshal(b, &n.stable); err != nil {
		sim.Fail("the state of a node cannot be read: " + err.Error())
	}
	sim.Sometimes(len(n.Log) > 0, "a node was restarted with a log")
}

func (n *node) save() {
	s := n.stable
	if bug == 4 {
		s.Log = nil
	}
	b, _ := json.Marshal(s)
	err := os.WriteFile(n.file+".new", b, 0o666)
	if err == nil {
		err = os.Rename(n.file+".new", n.file)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// A time until the next election that is not the others'.
func (n *node) rest() {
	n.heard = time.Now()
	n.patience = election + time.Duration(sim.Random()%uint64(election))
}

func (n *node) lastTerm(index int) int {
	if index == 0 || index > len(n.Log) {
		return 0
	}
	return n.Log[index-1].Term
}

func (n *node) newTerm(term int) {
	n.Term, n.Vote, n.role = term, -1, follower
	n.save()
	n.wake.Broadcast()
}

// ---- elections ----

func (n *node) clock() {
	for {
		time.Sleep(10 * time.Millisecond)
		n.mu.Lock()
		if n.role != leader && time.Since(n.heard) > n.patience {
			n.stand()
		}
		n.mu.Unlock()
	}
}

func (n *node) stand() {
	n.newTerm(n.Term + 1)
	n.role, n.Vote, n.votes = candidate, n.id, 1
	n.save()
	n.rest()
	r := request{Kind: "vote", Term: n.Term, From: n.id, LastIndex: len(n.Log), LastTerm: n.lastTerm(len(n.Log))}
	for i, port := range n.ports {
		if i != n.id {
			go n.askForVote(port, r)
		}
	}
}

func (n *node) askForVote(port string, r request) {
	p := peer{port: port}
	rep, err := p.ask(&r, election)
	p.hangUp()
	if err != nil {
		return
	}
	n.mu.Lock()
	defer n.mu.Unlock()
	if rep.Term > n.Term {
		n.newTerm(rep.Term)
	}
	if n.role != candidate || n.Term != r.Term || !rep.OK {
		return
	}
	if n.votes++; n.votes > len(n.ports)/2 {
		n.lead()
	}
}

func (n *node) lead() {
	n.role = leader
	for i := range n.ports {
		n.next[i], n.match[i] = len(n.Log)+1, 0
	}
	sim.Event("leader", map[string]int{"term": n.Term, "node": n.id})
	sim.SometimesGreaterThan(n.Term, 2, "a third election was won")
	// An entry of its own term, by which it learns what is committed.
	n.Log = append(n.Log, entry{Term: n.Term, Kind: "none"})
	n.save()
	n.count()
}

func (n *node) vote(r *request) *reply {
	if r.Term > n.Term {
		n.newTerm(r.Term)
	}
	rep := &reply{Term: n.Term}
	behind := r.LastTerm < n.lastTerm(len(n.Log)) || r.LastTerm == n.lastTerm(len(n.Log)) && r.LastIndex < len(n.Log)
	if r.Term < n.Term || behind && bug != 5 || n.Vote != -1 && n.Vote != r.From && bug != 1 {
		sim.Sometimes(behind, "a candidate whose log was behind got no vote")
		return rep
	}
	n.Vote = r.From
	n.save()
	n.rest()
	rep.OK = true
	return rep
}

// ---- the log ----

func (n *node) replicate(i int, p *peer) {
	for {
		n.mu.Lock()
		if n.role != leader {
			n.mu.Unlock()
			time.Sleep(10 * time.Millisecond)
			continue
		}
		before := n.next[i] - 1
		r := request{Kind: "append", Term: n.Term, From: n.id, LastIndex: before, LastTerm: n.lastTerm(before), Commit: n.commit,
			Entries: append([]entry(nil), n.Log[before:]...)}
		n.mu.Unlock()
		rep, err := p.ask(&r, 4*heartbeat)
		n.mu.Lock()
		if err == nil {
			n.appended(i, &r, &rep)
		}
		idle := n.role == leader && n.next[i] > len(n.Log)
		n.mu.Unlock()
		if err != nil || idle {
			time.Sleep(heartbeat / 2)
		}
	}
}

func (n *node) appended(i int, r *request, rep *reply) {
	if rep.Term > n.Term {
		n.newTerm(rep.Term)
	}
	if n.role != leader || n.Term != r.Term {
		return
	}
	if !rep.OK {
		sim.Reachable("a follower's log had to be followed back")
		if n.next[i] = rep.Last + 1; n.next[i] > r.LastIndex {
			n.next[i] = r.LastIndex
		}
		if n.next[i] < 1 {
			n.next[i] = 1
		}
		return
	}
	n.match[i] = r.LastIndex + len(r.Entries)
	n.next[i] = n.match[i] + 1
	n.count()
}

// count commits what a majority has, as far as it is of this term.
func (n *node) count() {
	for index := len(n.Log); index > n.commit && n.lastTerm(index) == n.Term; index-- {
		have := 1
		for i := range n.ports {
			if i != n.id && n.match[i] >= index {
				have++
			}
		}
		if have > len(n.ports)/2 || bug == 2 {
			n.apply(index)
			return
		}
	}
}

func (n *node) apply(commit int) {
	sim.AlwaysGreaterThanOrEqualTo(len(n.Log), commit, "the log never shrinks below the commit index")
	for n.commit = commit; n.done < n.commit; n.done++ {
		switch e := n.Log[n.done]; e.Kind {
		case "put":
			n.kv[e.Key] = e.Value
		case "get":
			n.results[n.done+1] = n.kv[e.Key]
		}
	}
	n.wake.Broadcast()
}

func (n *node) append(r *request) *reply {
	if r.Term < n.Term {
		return &reply{Term: n.Term, Last: len(n.Log)}
	}
	if r.Term > n.Term {
		n.newTerm(r.Term)
	}
	if n.role == leader {
		sim.Unreachable("two leaders in the same term", r.Term)
	}
	n.role = follower
	n.rest()
	rep := &reply{Term: n.Term, Last: len(n.Log)}
	if r.LastIndex > len(n.Log) || n.lastTerm(r.LastIndex) != r.LastTerm {
		if r.LastIndex <= len(n.Log) && r.LastIndex > 0 {
			rep.Last = r.LastIndex - 1
		}
		return rep
	}
	for k, e := range r.Entries {
		index := r.LastIndex + k + 1
		if n.lastTerm(index) == e.Term && index <= len(n.Log) {
			continue
		}
		sim.Sometimes(index <= len(n.Log), "entries that were never committed were overwritten")
		sim.AlwaysOrUnreachable(index > n.commit, "a committed entry is never overwritten", index, n.commit)
		n.Log = append(n.Log[:index-1:index-1], e)
	}
	if len(r.Entries) > 0 {
		n.save()
	}
	if last := r.LastIndex + len(r.Entries); r.Commit > n.commit && last > n.commit {
		if last > r.Commit {
			last = r.Commit
		}
		n.apply(last)
	}
	rep.OK, rep.Last = true, len(n.Log)
	return rep
}

// ---- clients ----

func (n *node) handle(r *request) *reply {
	n.mu.Lock()
	defer n.mu.Unlock()
	switch r.Kind {
	case "vote":
		return n.vote(r)
	case "append":
		return n.append(r)
	}
	if n.role != leader {
		return &reply{Error: "not leader"}
	}
	if r.Kind == "get" && bug == 3 {
		return &reply{OK: true, Value: n.kv[r.Key]}
	}
	return n.propose(entry{n.Term, r.Kind, r.Key, r.Value})
}

// propose waits until the entry is committed, or something else is in its place, or nothing happens.
func (n *node) propose(e entry) *reply {
	n.Log = append(n.Log, e)
	n.save()
	index := len(n.Log)
	n.count()
	timer := time.AfterFunc(patience, n.wake.Broadcast)
	defer timer.Stop()
	for until := time.Now().Add(patience); n.done < index; n.wake.Wait() {
		if n.role != leader || n.Term != e.Term || !time.Now().Before(until) {
			return &reply{Error: "lost"}
		}
	}
	if n.lastTerm(index) != e.Term {
		return &reply{Error: "lost"}
	}
	return &reply{OK: true, Value: n.results[index]}
}
