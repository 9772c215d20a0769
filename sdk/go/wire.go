package simrun

import (
	"bytes"
	crand "crypto/rand"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"sort"
	"strconv"
)

// The wire format is that of docs/sdk.md: JSON objects, each handed over by the reserved call.
const (
	callNumber  = 0x7353
	wireVersion = 1
	mark        = "__simrun_syscall"
)

// call is replaced by tests.
var call = hypercall

type message struct{ b []byte }

func begin(key, word string) *message {
	m := &message{make([]byte, 0, 256)}
	m.text(key, word)
	return m
}

func (m *message) raw(key, value string) {
	if len(m.b) == 0 {
		m.b = append(m.b, '{')
	} else {
		m.b = append(m.b, ',')
	}
	m.b = append(m.b, quote(key)...)
	m.b = append(m.b, ':')
	m.b = append(m.b, value...)
}

func (m *message) text(key, value string) { m.raw(key, quote(value)) }

func (m *message) details(details []any) {
	if t := detailsText(details); t != "" {
		m.raw("details", t)
	}
}

func (m *message) String() string {
	if len(m.b) == 0 {
		return "{}"
	}
	return string(m.b) + "}"
}

func (m *message) send() int64 {
	r, _ := call(append(m.b, '}'))
	return r
}

func (m *message) ask() uint64 {
	_, v := call(append(m.b, '}'))
	return v
}

func quote(s string) string { return encode(s) }

// encode is encoding/json without its care for HTML; what has no encoding is printed.
func encode(v any) string {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(v); err != nil {
		return encode(fmt.Sprintf("%+v", v))
	}
	return string(bytes.TrimSuffix(b.Bytes(), []byte("\n")))
}

// One detail stands for itself, several are a list.
func detailsText(details []any) string {
	switch len(details) {
	case 0:
		return ""
	case 1:
		return encode(printable(details[0]))
	}
	list := make([]any, len(details))
	for i, d := range details {
		list[i] = printable(d)
	}
	return encode(list)
}

// An error would be encoded as {}.
func printable(d any) any {
	if err, ok := d.(error); ok {
		return err.Error()
	}
	return d
}

func numberText[T Number](v T) string {
	switch x := any(v).(type) {
	case float32:
		return floatText(float64(x))
	case float64:
		return floatText(x)
	}
	if T(1)/T(2) != 0 { // a type made of floats
		return floatText(float64(v))
	}
	if v < 0 {
		return strconv.FormatInt(int64(v), 10)
	}
	return strconv.FormatUint(uint64(v), 10)
}

func floatText(f float64) string {
	switch {
	case f != f:
		return `"NaN"`
	case f-f != 0 && f > 0:
		return `"Infinity"`
	case f-f != 0:
		return `"-Infinity"`
	}
	return strconv.FormatFloat(f, 'g', -1, 64)
}

func namedMessage(named map[string]bool) *message {
	names := make([]string, 0, len(named))
	for n := range named {
		names = append(names, n)
	}
	sort.Strings(names)
	m := new(message)
	for _, n := range names {
		m.raw(n, strconv.FormatBool(named[n]))
	}
	return m
}

func systemRandom() uint64 {
	var b [8]byte
	if _, err := crand.Read(b[:]); err != nil {
		panic(err)
	}
	return binary.LittleEndian.Uint64(b[:])
}
