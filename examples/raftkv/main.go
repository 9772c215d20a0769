// raftkv: a key-value store on three nodes that agree by Raft, and its clients.
//
//	raftkv node ID DIR PORT PORT PORT     raftkv client NUMBER OPERATIONS PORT PORT PORT
//
// BUG=1  a node votes for everybody who asks              BUG=2  an entry is committed when the leader alone has it
// BUG=3  a leader answers reads without asking anybody    BUG=4  the log is not kept over a crash
// BUG=5  votes go to candidates whose log is behind
package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"net"
	"os"
	"strconv"
	"time"
)

var bug, _ = strconv.Atoi(os.Getenv("BUG"))

func main() {
	args := os.Args[1:]
	if len(args) < 4 {
		fmt.Fprintln(os.Stderr, "usage: raftkv node ID DIR PORTS... | raftkv client NUMBER OPERATIONS PORTS...")
		os.Exit(2)
	}
	n, err := strconv.Atoi(args[1])
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(2)
	}
	if args[0] == "node" {
		runNode(n, args[2], args[3:])
	} else {
		runClient(n, args[2], args[3:])
	}
}

// ---- messages: JSON, a line each ----

type request struct {
	Kind string // "vote", "append", "put", "get"
	Term, From,
	LastIndex, LastTerm, // of a candidate's log, or before the entries
	Commit int
	Entries    []entry
	Key, Value string
}

type reply struct {
	Term  int
	OK    bool
	Last  int    // of a follower's log
	Value string // of a get
	Error string // "not leader", "lost"
}

// A peer is one connection, made when it is needed; one request at a time.
type peer struct {
	port string
	conn net.Conn
	in   *bufio.Reader
}

func (p *peer) hangUp() {
	if p.conn != nil {
		p.conn.Close()
	}
	p.conn = nil
}

func (p *peer) ask(r *request, timeout time.Duration) (rep reply, err error) {
	deadline := time.Now().Add(timeout)
	if p.conn == nil {
		if p.conn, err = net.DialTimeout("tcp", "127.0.0.1:"+p.port, timeout); err != nil {
			p.conn = nil
			return
		}
		p.in = bufio.NewReader(p.conn)
	}
	p.conn.SetDeadline(deadline)
	b, _ := json.Marshal(r)
	if _, err = p.conn.Write(append(b, '\n')); err == nil {
		if b, err = p.in.ReadBytes('\n'); err == nil {
			err = json.Unmarshal(b, &rep)
		}
	}
	if err != nil {
		p.hangUp()
	}
	return
}

func serve(port string, handle func(*request) *reply) {
	l, err := net.Listen("tcp", "127.0.0.1:"+port)
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	for {
		c, err := l.Accept()
		if err != nil {
			continue
		}
		go func() {
			defer c.Close()
			for in := bufio.NewReader(c); ; {
				b, err := in.ReadBytes('\n')
				if err != nil {
					return
				}
				var r request
				if json.Unmarshal(b, &r) != nil {
					return
				}
				out, _ := json.Marshal(handle(&r))
				if _, err := c.Write(append(out, '\n')); err != nil {
					return
				}
			}
		}()
	}
}
