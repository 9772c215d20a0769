// Package history reads simrun's history files and gives their operations to Porcupine, for data types that none of simrun's
// own models covers.
//
//	f, _ := os.Open(".simrun/seed-1/history.jsonl")
//	ops, err := history.ReadHistory(f)
//	ok := porcupine.CheckOperations(myModel, history.PorcupineOperations(ops))
package history

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"io"

	"github.com/anishathalye/porcupine"
)

// Status says what is known of an operation's outcome.
type Status string

const (
	OK      Status = "ok"      // took effect
	Unknown Status = "info"    // may take effect any time after its call
	Failed  Status = "fail"    // did not take effect
	Pending Status = "pending" // never returned; like Unknown
)

// Op is one operation: an invocation and its completion, if there was one.
type Op struct {
	ID     int64
	Client int
	F      string
	Key    string
	Value  json.RawMessage // the input
	Output json.RawMessage // the output; null unless Status is OK
	Status Status
	Call   int64 // position in the history: events are in the order of real time
	Return int64 // 0 unless Status is OK or Failed
	// CallTime and ReturnTime are virtual nanoseconds.
	CallTime, ReturnTime int64
}

type event struct {
	Type    string          `json:"type"`
	Process int             `json:"process"`
	F       string          `json:"f"`
	Key     string          `json:"key"`
	Value   json.RawMessage `json:"value"`
	Time    int64           `json:"time"`
	ID      *int64          `json:"id"`
}

// ReadHistory reads events, one JSON object a line, and pairs them by id.
func ReadHistory(r io.Reader) ([]Op, error) {
	var ops []Op
	open := map[int64]int{}
	in := bufio.NewReaderSize(r, 1<<20)
	for line := 1; ; line++ {
		text, err := in.ReadBytes('\n')
		if len(bytes.TrimSpace(text)) > 0 {
			if e := add(&ops, open, text, int64(line)); e != nil {
				return nil, fmt.Errorf("line %d: %w", line, e)
			}
		}
		if err == io.EOF {
			return ops, nil
		}
		if err != nil {
			return nil, err
		}
	}
}

func add(ops *[]Op, open map[int64]int, text []byte, position int64) error {
	var e event
	if err := json.Unmarshal(text, &e); err != nil {
		return err
	}
	if e.ID == nil {
		return fmt.Errorf("an event without an id")
	}
	if e.Type == "invoke" {
		if _, again := open[*e.ID]; again {
			return fmt.Errorf("operation id %d was used before", *e.ID)
		}
		open[*e.ID] = len(*ops)
		*ops = append(*ops, Op{ID: *e.ID, Client: e.Process, F: e.F, Key: e.Key, Value: e.Value, Output: json.RawMessage("null"),
			Status: Pending, Call: position, CallTime: e.Time})
		return nil
	}
	i, known := open[*e.ID]
	if !known || (*ops)[i].Status != Pending {
		return fmt.Errorf("a completion of operation %d, which is not open", *e.ID)
	}
	op := &(*ops)[i]
	op.Status, op.ReturnTime = Status(e.Type), e.Time
	switch op.Status {
	case OK:
		op.Output, op.Return = e.Value, position
	case Failed:
		op.Return = position
	case Unknown:
	default:
		return fmt.Errorf("type %q is not one of invoke, ok, info, fail", e.Type)
	}
	return nil
}

// PorcupineOperations leaves out failed operations and lets unknown and pending ones return after the end of the history.
// Input and Output of each are its Op; a model's Step should accept any output when Status is not OK.
func PorcupineOperations(ops []Op) []porcupine.Operation {
	var end int64
	for _, op := range ops {
		end = max(end, op.Call, op.Return)
	}
	var out []porcupine.Operation
	for _, op := range ops {
		if op.Status == Failed {
			continue
		}
		ret := op.Return
		if op.Status != OK {
			end++
			ret = end
		}
		out = append(out, porcupine.Operation{ClientId: op.Client, Input: op, Call: op.Call, Output: op, Return: ret})
	}
	return out
}
