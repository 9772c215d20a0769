// Porcupine on the files of bench/checker.sh: one line per file, "nanoseconds verdict path". Only the check is timed.
package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"hash/maphash"
	"os"
	"regexp"
	"sort"
	"strconv"
	"strings"
	"time"

	"github.com/anishathalye/porcupine"
)

type input struct {
	op       int // 0 read, 1 write, 2 cas, 3 append
	key      string
	from, to string
}

type output struct {
	value   string
	ok      bool
	unknown bool
}

var seed = maphash.MakeSeed()

// A register, or per key a string with append.
var model = porcupine.Model{
	Partition: func(history []porcupine.Operation) [][]porcupine.Operation { return nil },
	PartitionEvent: func(history []porcupine.Event) [][]porcupine.Event {
		byKey, of := map[string][]porcupine.Event{}, map[int]string{}
		for _, e := range history {
			if e.Kind == porcupine.CallEvent {
				of[e.Id] = e.Value.(input).key
			}
			byKey[of[e.Id]] = append(byKey[of[e.Id]], e)
		}
		var keys []string
		for k := range byKey {
			keys = append(keys, k)
		}
		sort.Strings(keys)
		var parts [][]porcupine.Event
		for _, k := range keys {
			parts = append(parts, byKey[k])
		}
		return parts
	},
	Init: func() interface{} { return "" },
	Hash: func(s interface{}) uint64 { return maphash.String(seed, s.(string)) },
	Step: func(state, in, out interface{}) (bool, interface{}) {
		s, i, o := state.(string), in.(input), out.(output)
		switch i.op {
		case 0:
			return o.unknown || o.value == s, s
		case 1:
			return true, i.to
		case 2:
			if s == i.from && (o.unknown || o.ok) {
				return true, i.to
			}
			return o.unknown || (s != i.from && !o.ok), s
		}
		return true, s + i.to
	},
}

var (
	logLine = regexp.MustCompile(`^INFO\s+jepsen\.util - (\d+)\s+:(\w+)\s+:(\w+)\s+(.*)$`)
	ednLine = regexp.MustCompile(`^\{:process (\d+), :type :(\w+), :f :(\w+), :key "(.*)", :value (.*)\}$`)
)

type reader struct {
	events []porcupine.Event
	open   map[string]int
	id     int
}

func (r *reader) call(process string, in input) {
	r.open[process] = r.id
	p, _ := strconv.Atoi(process)
	r.events = append(r.events, porcupine.Event{ClientId: p, Kind: porcupine.CallEvent, Value: in, Id: r.id})
	r.id++
}

func (r *reader) ret(process string, out output) {
	r.events = append(r.events, porcupine.Event{Kind: porcupine.ReturnEvent, Value: out, Id: r.open[process]})
	delete(r.open, process)
}

func (r *reader) log(text string) {
	m := logLine.FindStringSubmatch(text)
	if m == nil {
		return
	}
	p, kind, f, v := m[1], m[2], m[3], strings.TrimSpace(m[4])
	if v == "nil" {
		v = ""
	}
	switch {
	case kind == "invoke" && f == "cas":
		var a, b string
		fmt.Sscanf(strings.Trim(v, "[]"), "%s %s", &a, &b)
		r.call(p, input{op: 2, from: a, to: b})
	case kind == "invoke":
		r.call(p, input{op: map[string]int{"read": 0, "write": 1}[f], to: v})
	case kind == "ok":
		r.ret(p, output{value: v, ok: true})
	case kind == "fail" && v == ":timed-out":
		r.ret(p, output{unknown: true})
	case kind == "fail":
		r.ret(p, output{ok: false})
	}
}

func (r *reader) edn(text string) {
	m := ednLine.FindStringSubmatch(text)
	if m == nil {
		return
	}
	v := strings.Trim(m[5], "\"")
	if m[2] == "invoke" {
		r.call(m[1], input{op: map[string]int{"get": 0, "put": 1, "append": 3}[m[3]], key: m[4], to: v})
	} else {
		r.ret(m[1], output{value: v})
	}
}

func (r *reader) json(text string) {
	var e struct {
		Type, F, Key string
		Process      int
		Value        interface{}
	}
	if json.Unmarshal([]byte(text), &e) != nil {
		return
	}
	v, _ := e.Value.(string)
	p := strconv.Itoa(e.Process)
	if e.Type == "invoke" {
		r.call(p, input{op: map[string]int{"get": 0, "put": 1}[e.F], key: e.Key, to: v})
	} else if e.Type == "ok" {
		r.ret(p, output{value: v})
	}
}

func read(path string) []porcupine.Event {
	f, err := os.Open(path)
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(125)
	}
	defer f.Close()
	r := &reader{open: map[string]int{}}
	in := bufio.NewScanner(f)
	in.Buffer(nil, 1<<26)
	for in.Scan() {
		switch {
		case strings.HasPrefix(in.Text(), "INFO"):
			r.log(in.Text())
		case strings.HasPrefix(in.Text(), "{:"):
			r.edn(in.Text())
		default:
			r.json(in.Text())
		}
	}
	var left []string
	for p := range r.open {
		left = append(left, p)
	}
	sort.Strings(left)
	for _, p := range left { // unknown: returns after everything
		r.ret(p, output{unknown: true})
	}
	return r.events
}

func main() {
	limit, _ := time.ParseDuration(os.Args[1])
	for _, path := range os.Args[2:] {
		events := read(path)
		best, verdict := time.Duration(1<<62), porcupine.Unknown
		for i := 0; i < 3; i++ {
			start := time.Now()
			verdict = porcupine.CheckEventsTimeout(model, events, limit)
			best = min(best, time.Since(start))
			if best > time.Second {
				break
			}
		}
		fmt.Println(best.Nanoseconds(), verdict, path)
	}
}
