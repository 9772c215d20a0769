package history

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/anishathalye/porcupine"
)

// A maximum register: write(v) keeps the larger value, read returns it. None of simrun's models covers it.
var maxRegister = porcupine.Model{
	Init: func() interface{} { return 0 },
	Step: func(state, input, output interface{}) (bool, interface{}) {
		op, now := input.(Op), state.(int)
		var v int
		if op.F == "write" {
			if err := json.Unmarshal(op.Value, &v); err != nil {
				return false, now
			}
			return true, max(now, v)
		}
		if op.Status != OK {
			return true, now
		}
		if err := json.Unmarshal(op.Output, &v); err != nil {
			return false, now
		}
		return v == now, now
	},
}

const maxHistory = `{"index":0,"type":"invoke","process":0,"f":"write","key":"m","value":5,"time":1,"id":0}
{"index":1,"type":"ok","process":0,"f":"write","key":"m","value":null,"time":2,"id":0}
{"index":2,"type":"invoke","process":1,"f":"write","key":"m","value":9,"time":3,"id":1}
{"index":3,"type":"info","process":1,"f":"write","key":"m","value":9,"time":4,"id":1}
{"index":4,"type":"invoke","process":2,"f":"write","key":"m","value":7,"time":5,"id":2}
{"index":5,"type":"fail","process":2,"f":"write","key":"m","value":7,"time":6,"id":2}
{"index":6,"type":"invoke","process":0,"f":"read","key":"m","value":null,"time":7,"id":3}
{"index":7,"type":"ok","process":0,"f":"read","key":"m","value":%d,"time":8,"id":3}
{"index":8,"type":"invoke","process":2,"f":"read","key":"m","value":null,"time":9,"id":4}
`

func Example() {
	for _, read := range []int{5, 9, 7} {
		ops, err := ReadHistory(strings.NewReader(fmt.Sprintf(maxHistory, read)))
		if err != nil {
			fmt.Println(err)
			return
		}
		fmt.Println(read, porcupine.CheckOperations(maxRegister, PorcupineOperations(ops)))
	}
	// Output:
	// 5 true
	// 9 true
	// 7 false
}

func TestReadHistory(t *testing.T) {
	ops, err := ReadHistory(strings.NewReader(fmt.Sprintf(maxHistory, 5)))
	if err != nil || len(ops) != 5 {
		t.Fatalf("%d operations, %v", len(ops), err)
	}
	want := []Status{OK, Unknown, Failed, OK, Pending}
	for i, op := range ops {
		if op.Status != want[i] {
			t.Errorf("operation %d is %s, expected %s", i, op.Status, want[i])
		}
	}
	if string(ops[3].Output) != "5" || ops[3].F != "read" || ops[3].CallTime != 7 || ops[3].ReturnTime != 8 {
		t.Errorf("read as %+v", ops[3])
	}
	given := PorcupineOperations(ops)
	if len(given) != 4 {
		t.Fatalf("%d operations for Porcupine, expected 4: the failed one is left out", len(given))
	}
	if given[1].Return <= given[2].Return || given[3].Return <= given[2].Return {
		t.Errorf("unknown and pending operations must return after the end")
	}
}

func TestMalformed(t *testing.T) {
	for _, c := range []struct{ text, want string }{
		{"{\"type\":\"invoke\",\"id\":0}\n{", "line 2"},
		{"{\"type\":\"ok\",\"id\":0}\n", "line 1: a completion of operation 0"},
		{"{\"type\":\"invoke\",\"id\":0}\n{\"type\":\"boom\",\"id\":0}\n", "line 2: type \"boom\""},
		{"{\"type\":\"invoke\",\"id\":0}\n{\"type\":\"invoke\",\"id\":0}\n", "line 2: operation id 0 was used before"},
		{"{\"type\":\"invoke\"}\n", "line 1: an event without an id"},
	} {
		if _, err := ReadHistory(strings.NewReader(c.text)); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%q: %v, expected %q", c.text, err, c.want)
		}
	}
}
