package simrun

import "strconv"

// Op is an operation that a client has begun. Without a completion it may or may not have happened.
type Op struct{ id int64 }

// Put records that client begins to write value to key.
func Put(client int, key, value string) Op { return Invoke(client, "put", key, value) }

// Get records that client begins to read key.
func Get(client int, key string) Op { return Invoke(client, "get", key, nil) }

// Invoke records that client begins operation f of the model in use. value is encoded as JSON.
func Invoke(client int, f, key string, value any) Op {
	if !active {
		return Op{-1}
	}
	return invoke(client, f, quote(key), value)
}

func invoke(client int, f, key string, value any) Op {
	m := begin("type", "invoke")
	m.raw("process", strconv.Itoa(client))
	m.text("f", f)
	m.raw("key", key)
	m.raw("value", encode(value))
	return Op{m.send()}
}

func (o Op) complete(kind string, value *string) {
	if !active || o.id < 0 {
		return
	}
	m := begin("type", kind)
	m.raw("id", strconv.FormatInt(o.id, 10))
	if value != nil {
		m.raw("value", *value)
	}
	m.send()
}

// Ok says that the operation took effect. For a read, output is what was read, "" meaning absent; else nil or "".
func (o Op) Ok(output any) {
	v := encode(output)
	o.complete("ok", &v)
}

// Unknown says that it may or may not have taken effect, such as after a timeout.
func (o Op) Unknown() { o.complete("info", nil) }

// Failed says that it surely did not take effect, such as a redirect to the leader.
func (o Op) Failed() { o.complete("fail", nil) }

// Mop is a micro-operation of a transaction over lists: a triple in the history.
type Mop struct {
	F, Key string
	Value  any // of a read: the list that it returned, a []string
}

// MarshalJSON makes the triple [f, key, value].
func (m Mop) MarshalJSON() ([]byte, error) {
	return []byte("[" + quote(m.F) + "," + quote(m.Key) + "," + encode(m.Value) + "]"), nil
}

// Read is a read of the whole list; set its Value before Ok.
func Read(key string) Mop { return Mop{F: "r", Key: key} }

// Append appends a value, unique per key, to the list.
func Append(key, value string) Mop { return Mop{F: "append", Key: key, Value: value} }

// Txn records that client begins a transaction. Ok takes the same micro-operations back, with what the reads returned.
func Txn(client int, mops ...Mop) Op {
	if !active {
		return Op{-1}
	}
	begun := make([]Mop, len(mops))
	for i, m := range mops {
		begun[i] = m
		if m.F == "r" {
			begun[i].Value = nil
		}
	}
	return invoke(client, "txn", "null", begun)
}
