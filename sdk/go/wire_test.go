package simrun

import (
	"bytes"
	"errors"
	"fmt"
	"math"
	"os"
	"regexp"
	"strings"
	"testing"
	"time"
)

// capture makes the package believe that it is in a simulation; what it sends is kept.
func capture(t *testing.T, answer func(n int) int64) *[]string {
	t.Helper()
	sent := new([]string)
	active = true
	call = func(msg []byte) (int64, uint64) {
		*sent = append(*sent, string(msg))
		return answer(len(*sent)), 0x0123456789abcdef
	}
	sites = map[siteKey]*site{}
	t.Cleanup(func() { active, call = false, hypercall })
	return sent
}

var places = regexp.MustCompile(`"(location|function)":"[^"]*"`)

// The same calls as in tests/unit/sdk_test.c, in the same order.
func conversation(id int64) {
	Always(true, "plain")
	AlwaysOrUnreachable(true, "or \"never\"", "é\n\t\x01")
	Sometimes(false, "sometimes", "n=41")
	Reachable("reached")
	Unreachable("two leaders in the same term", "7")
	AlwaysGreaterThanOrEqualTo(41, 40, "log never shrinks below the commit index")
	AlwaysGreaterThan(uint64(math.MaxUint64), 0, "unsigned")
	AlwaysLessThan(-5, 7, "less", "more")
	AlwaysLessThanOrEqualTo(2.5, 2.5, "less or equal")
	SometimesGreaterThan(63, 100, "the queue backs up past 100")
	SometimesGreaterThanOrEqualTo(0.25, 1.0, "ge")
	SometimesLessThan(math.Inf(1), 1.0, "lt")
	SometimesLessThanOrEqualTo(int64(math.MinInt64), 0, "le")
	AlwaysSome(map[string]bool{"backup": false, "primary": true}, "some replica answers")
	SometimesAll(map[string]bool{"crashed": true, "recovered": false}, "a crashed node caught up", "x")
	Eventually(func() bool { return true }, "a leader is elected", 5*time.Second)
	Event("client resumed", map[string]int{"next add": 39})
	Event("bare", nil)
	Buggify("site")
	QuietFor(10 * time.Second)
	SetupComplete()
	Budget(200)
	Random()
	op := Put(1, "k1", "v7")
	op.Ok(nil)
	op = Get(2, "k1")
	op.Ok("v7")
	op = Invoke(3, "cas", "leader-lock", []string{"", "me"})
	op.Ok(true)
	op = Invoke(3, "add", "n", 5)
	op.Unknown()
	op = Invoke(3, "read", "n", nil)
	op.Ok(5)
	op = Put(1, "k1", "v8")
	op.Failed()
	mops := []Mop{Read("x"), Append("y", "c1-17")}
	op = Txn(4, mops...)
	mops[0].Value = []string{"a", "b"}
	op.Ok(mops)
}

func TestGolden(t *testing.T) {
	sent := capture(t, func(n int) int64 { return int64(n) })
	conversation(0)
	want, err := os.ReadFile("../golden.txt")
	if err != nil {
		t.Fatal(err)
	}
	got := places.ReplaceAllString(strings.Join(*sent, "\n")+"\n", `"$1":"*"`)
	if os.Getenv("SIMRUN_WRITE_GOLDEN") != "" {
		if err := os.WriteFile("../golden.txt", []byte(got), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	g, w := strings.Split(got, "\n"), strings.Split(string(want), "\n")
	for i := 0; i < len(g) || i < len(w); i++ {
		if i >= len(g) || i >= len(w) || g[i] != w[i] {
			t.Fatalf("line %d:\n got %s\nwant %s", i+1, at(g, i), at(w, i))
		}
	}
}

func at(lines []string, i int) string {
	if i < len(lines) {
		return lines[i]
	}
	return "(nothing)"
}

func TestPlace(t *testing.T) {
	sent := capture(t, func(int) int64 { return 0 })
	Always(true, "a place")
	AlwaysLessThan(1, 2, "another place")
	Eventually(func() bool { return true }, "a third", time.Second)
	for _, m := range *sent {
		if !strings.Contains(m, `"location":"go/wire_test.go:`) || !strings.Contains(m, `"function":"simrun.TestPlace"`) {
			t.Errorf("no place of this file in %s", m)
		}
	}
}

func TestOnlyNewsAreSent(t *testing.T) {
	sent := capture(t, func(int) int64 { return 0 })
	for i := 0; i < 10; i++ {
		Sometimes(i > 5, "later", i)
		Reachable("again")
		AlwaysGreaterThan(100-i, 0, "closer each time")
		AlwaysGreaterThan(100+i, 0, "never closer")
	}
	count := map[string]int{}
	for _, m := range *sent {
		for _, msg := range []string{"later", "again", "closer each time", "never closer"} {
			count[msg] += strings.Count(m, `"message":"`+msg+`"`)
		}
	}
	if got := fmt.Sprint(count); got != "map[again:1 closer each time:10 later:2 never closer:1]" {
		t.Error(got)
	}
}

func TestDetails(t *testing.T) {
	for _, c := range []struct {
		details []any
		want    string
	}{
		{nil, ""},
		{[]any{41}, "41"},
		{[]any{41, "a<b"}, `[41,"a<b"]`},
		{[]any{errors.New("no route")}, `"no route"`},
		{[]any{map[string]int{"n": 1}}, `{"n":1}`},
		{[]any{func() {}}, ""},
	} {
		got := detailsText(c.details)
		if len(c.details) == 1 && c.want == "" {
			if !strings.HasPrefix(got, `"0x`) { // what has no encoding is printed
				t.Errorf("a function became %s", got)
			}
		} else if got != c.want {
			t.Errorf("%v: got %s, want %s", c.details, got, c.want)
		}
	}
}

func TestOutside(t *testing.T) {
	if Active() {
		t.Skip("in a simulation")
	}
	panics := func(want string, f func()) {
		t.Helper()
		defer func() {
			t.Helper()
			got := fmt.Sprint(recover())
			if !strings.Contains(got, want) {
				t.Errorf("got %q, want %q", got, want)
			}
		}()
		f()
	}
	panics("always: broken: 7", func() { Always(false, "broken", 7) })
	panics("always_or_unreachable: broken", func() { AlwaysOrUnreachable(false, "broken") })
	panics("unreachable: here", func() { Unreachable("here") })
	panics(`always: x: {"left":1,"right":2}`, func() { AlwaysGreaterThan(1, 2, "x") })
	panics(`always: x: {"a":false}`, func() { AlwaysSome(map[string]bool{"a": false}, "x") })
	panics("failed: f", func() { Fail("f") })
	panics("failed: a", func() { Assert(false, "a") })
	panics("eventually: never: not true within 20ms", func() {
		Eventually(func() bool { return false }, "never", 20*time.Millisecond)
	})
	Always(true, "holds")
	AlwaysGreaterThan(2, 1, "holds")
	Sometimes(false, "s")
	SometimesGreaterThan(1, 2, "s")
	SometimesAll(map[string]bool{"a": false}, "s")
	Reachable("r")
	Assert(true, "a")
	Event("e", nil)
	QuietFor(time.Second)
	SetupComplete()
	if n := 0; !Eventually(func() bool { n++; return n > 3 }, "soon", time.Second) || n != 4 {
		t.Error("Eventually does not call again")
	}
	if Buggify("b") || Budget(7) != 7 || Random() == Random() {
		t.Error("not what programs outside of a simulation get")
	}
	op := Put(1, "k", "v")
	op.Ok(nil)
	op.Unknown()
	Txn(1, Read("x")).Failed()
	if op.id != -1 {
		t.Error("an operation was recorded")
	}
}

func TestNumbers(t *testing.T) {
	type celsius float32
	for got, want := range map[string]string{
		numberText(int8(-128)):      "-128",
		numberText(uint8(200)):      "200",
		numberText(uint64(1) << 63): "9223372036854775808",
		numberText(float32(0.5)):    "0.5",
		numberText(celsius(-1.5)):   "-1.5",
		numberText(math.NaN()):      `"NaN"`,
		numberText(-1e300):          "-1e+300",
	} {
		if got != want {
			t.Errorf("got %s, want %s", got, want)
		}
	}
}

func BenchmarkAlwaysOutside(b *testing.B) {
	for i := 0; i < b.N; i++ {
		Always(i >= 0, "holds", i)
	}
}

func BenchmarkAlwaysTold(b *testing.B) {
	active = true
	call = func(msg []byte) (int64, uint64) { return 0, 0 }
	defer func() { active, call = false, hypercall }()
	for i := 0; i < b.N; i++ {
		Always(i >= 0, "holds", i)
	}
}

func TestMessagesAreJSON(t *testing.T) {
	sent := capture(t, func(n int) int64 { return int64(n) })
	conversation(0)
	for _, m := range *sent {
		if !bytes.HasPrefix([]byte(m), []byte(`{"`)) || strings.Contains(m, "\n") {
			t.Errorf("not one line of JSON: %s", m)
		}
	}
}
