package simrun

import (
	"fmt"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"
)

// Active reports whether this process is in a simulation.
func Active() bool { return active }

var active = detect()

// ---- failing a run ----

// Fail ends the run with this message. Outside of a simulation it panics.
func Fail(msg string) { fail(msg) }

// Assert is Fail(msg) unless cond holds.
func Assert(cond bool, msg string) {
	if !cond {
		fail(msg)
	}
}

func fail(msg string) {
	if active {
		m := begin("simrun", "fail")
		m.text("message", msg)
		m.place(3)
		m.send()
	}
	panic("simrun: failed: " + msg)
}

// ---- properties ----

// Always fails the seed when cond is false, and the sweep when it is never reached.
func Always(cond bool, msg string, details ...any) {
	if active || !cond {
		property(always, cond, msg, details)
	}
}

// AlwaysOrUnreachable fails the seed when cond is false.
func AlwaysOrUnreachable(cond bool, msg string, details ...any) {
	if active || !cond {
		property(alwaysOrUnreachable, cond, msg, details)
	}
}

// Unreachable fails the seed when it is called.
func Unreachable(msg string, details ...any) { property(unreachable, false, msg, details) }

// Sometimes fails the sweep when cond was never true.
func Sometimes(cond bool, msg string, details ...any) {
	if active {
		property(sometimes, cond, msg, details)
	}
}

// Reachable fails the sweep when it is never called.
func Reachable(msg string, details ...any) {
	if active {
		property(reachable, true, msg, details)
	}
}

// Number is any type of numbers.
type Number interface {
	~int | ~int8 | ~int16 | ~int32 | ~int64 | ~uint | ~uint8 | ~uint16 | ~uint32 | ~uint64 | ~uintptr | ~float32 | ~float64
}

// AlwaysGreaterThan is Always(left > right, …), with its smallest margin left - right.
func AlwaysGreaterThan[T Number](left, right T, msg string, details ...any) {
	numbers(always, left > right, left, ">", right, msg, details)
}

// AlwaysGreaterThanOrEqualTo is Always(left >= right, …), with its smallest margin left - right.
func AlwaysGreaterThanOrEqualTo[T Number](left, right T, msg string, details ...any) {
	numbers(always, left >= right, left, ">=", right, msg, details)
}

// AlwaysLessThan is Always(left < right, …), with its smallest margin right - left.
func AlwaysLessThan[T Number](left, right T, msg string, details ...any) {
	numbers(always, left < right, left, "<", right, msg, details)
}

// AlwaysLessThanOrEqualTo is Always(left <= right, …), with its smallest margin right - left.
func AlwaysLessThanOrEqualTo[T Number](left, right T, msg string, details ...any) {
	numbers(always, left <= right, left, "<=", right, msg, details)
}

// SometimesGreaterThan is Sometimes(left > right, …), with its largest margin left - right.
func SometimesGreaterThan[T Number](left, right T, msg string, details ...any) {
	numbers(sometimes, left > right, left, ">", right, msg, details)
}

// SometimesGreaterThanOrEqualTo is Sometimes(left >= right, …), with its largest margin left - right.
func SometimesGreaterThanOrEqualTo[T Number](left, right T, msg string, details ...any) {
	numbers(sometimes, left >= right, left, ">=", right, msg, details)
}

// SometimesLessThan is Sometimes(left < right, …), with its largest margin right - left.
func SometimesLessThan[T Number](left, right T, msg string, details ...any) {
	numbers(sometimes, left < right, left, "<", right, msg, details)
}

// SometimesLessThanOrEqualTo is Sometimes(left <= right, …), with its largest margin right - left.
func SometimesLessThanOrEqualTo[T Number](left, right T, msg string, details ...any) {
	numbers(sometimes, left <= right, left, "<=", right, msg, details)
}

// AlwaysSome is Always that at least one of the values is true.
func AlwaysSome(named map[string]bool, msg string, details ...any) {
	some := false
	for _, v := range named {
		some = some || v
	}
	group(always, some, "some", named, msg, details)
}

// SometimesAll is Sometimes that all of the values are true.
func SometimesAll(named map[string]bool, msg string, details ...any) {
	all := true
	for _, v := range named {
		all = all && v
	}
	group(sometimes, all, "all", named, msg, details)
}

// Eventually calls cond until it returns true, sleeping within/100 between two calls, and returns true. If it is still
// false after within, the run fails with class "liveness"; outside of a simulation it panics.
func Eventually(cond func() bool, msg string, within time.Duration) bool {
	if active {
		tellEventually(msg, within, nil)
	}
	step := within / 100
	if step <= 0 {
		step = 1
	}
	done := false
	for until := time.Now().Add(within); ; time.Sleep(step) {
		if done = cond(); done || !time.Now().Before(until) {
			break
		}
	}
	if active {
		tellEventually(msg, within, &done)
	} else if !done {
		panic(fmt.Sprintf("simrun: eventually: %s: not true within %v", msg, within))
	}
	return done
}

func tellEventually(msg string, within time.Duration, cond *bool) {
	m := begin("simrun", "eventually")
	m.text("message", msg)
	if cond != nil {
		m.raw("condition", strconv.FormatBool(*cond))
	}
	m.place(3)
	m.raw("within", strconv.FormatInt(int64(within), 10))
	m.send()
}

type kind int

const (
	always kind = iota
	alwaysOrUnreachable
	unreachable
	sometimes
	reachable
)

var kinds = [...]string{"always", "always_or_unreachable", "unreachable", "sometimes", "reachable"}

// What a property has told already: only news are sent.
type site struct {
	told      [2]atomic.Bool
	mu        sync.Mutex // of what follows
	hasMargin bool
	margin    float64
}

type siteKey struct {
	k   kind
	msg string
}

var (
	sitesMu sync.RWMutex
	sites   = map[siteKey]*site{}
)

func siteOf(k kind, msg string) *site {
	key := siteKey{k, msg}
	sitesMu.RLock()
	s := sites[key]
	sitesMu.RUnlock()
	if s != nil {
		return s
	}
	sitesMu.Lock()
	defer sitesMu.Unlock()
	if s = sites[key]; s == nil {
		s = new(site)
		sites[key] = s
	}
	return s
}

func (s *site) news(cond bool) bool {
	i := 0
	if cond {
		i = 1
	}
	return !s.told[i].Load() && !s.told[i].Swap(true)
}

func (s *site) newMargin(k kind, margin float64) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.hasMargin && (k == always && !(margin < s.margin) || k == sometimes && !(margin > s.margin)) {
		return false
	}
	s.hasMargin = true
	s.margin = margin
	return true
}

func violated(k kind, cond bool) bool { return !cond && k <= unreachable }

// The message of a property, as far as all kinds have it. skip: from its caller to the user's code.
func beginProperty(k kind, cond bool, msg string, skip int) *message {
	m := begin("simrun", kinds[k])
	m.text("message", msg)
	if k != unreachable && k != reachable {
		m.raw("condition", strconv.FormatBool(cond))
	}
	m.place(skip + 1)
	return m
}

func stop(k kind, msg string, details string) {
	if details != "" {
		details = ": " + details
	}
	panic("simrun: " + kinds[k] + ": " + msg + details)
}

func property(k kind, cond bool, msg string, details []any) {
	if !active {
		if violated(k, cond) {
			stop(k, msg, detailsText(details))
		}
		return
	}
	if !siteOf(k, msg).news(cond) {
		return
	}
	m := beginProperty(k, cond, msg, 3)
	m.details(details)
	m.send()
}

func numbers[T Number](k kind, cond bool, left T, op string, right T, msg string, details []any) {
	if !active {
		if violated(k, cond) {
			stop(k, msg, comparison(left, right, details))
		}
		return
	}
	margin := float64(left) - float64(right)
	if op[0] == '<' {
		margin = -margin
	}
	s := siteOf(k, msg)
	// Both, so that both remember.
	news, record := s.news(cond), s.newMargin(k, margin)
	if !news && !record {
		return
	}
	m := beginProperty(k, cond, msg, 3)
	m.raw("left", numberText(left))
	m.text("op", op)
	m.raw("right", numberText(right))
	m.details(details)
	m.send()
}

func comparison[T Number](left, right T, details []any) string {
	m := new(message)
	m.raw("left", numberText(left))
	m.raw("right", numberText(right))
	m.details(details)
	return m.String()
}

func group(k kind, cond bool, op string, named map[string]bool, msg string, details []any) {
	if !active {
		if violated(k, cond) {
			m := namedMessage(named)
			m.details(details)
			stop(k, msg, m.String())
		}
		return
	}
	if !siteOf(k, msg).news(cond) {
		return
	}
	m := beginProperty(k, cond, msg, 3)
	m.text("op", op)
	m.raw("named", namedMessage(named).String())
	m.details(details)
	m.send()
}

// ---- events, faults, size of the work ----

// Event records a moment of the run in its trace. details are encoded as JSON.
func Event(name string, details any) {
	if !active {
		return
	}
	m := begin("simrun", "event")
	m.text("name", name)
	m.raw("details", encode(details))
	m.send()
}

// Buggify returns true at seeded points when the run's configuration has buggify on: make something go wrong here.
func Buggify(site string) bool {
	if !active {
		return false
	}
	m := begin("simrun", "buggify")
	m.text("site", site)
	return m.send() == 1
}

// QuietFor suppresses every fault for d, and ends partitions, clogs and slowdowns now.
func QuietFor(d time.Duration) {
	if !active {
		return
	}
	m := begin("simrun", "quiet")
	m.raw("for", strconv.FormatInt(int64(d), 10))
	m.send()
}

// SetupComplete says that bootstrapping is over; with "faults_after_setup" faults begin. The first call counts.
func SetupComplete() {
	if active {
		begin("simrun", "setup_complete").send()
	}
}

// Budget returns n, or less when a run is being made smaller. Use the result wherever the number of operations matters.
func Budget(n int) int {
	if !active {
		return n
	}
	m := begin("simrun", "budget")
	m.raw("n", strconv.Itoa(n))
	if r := m.send(); r >= 0 {
		return int(r)
	}
	return n
}

// Random returns 64 bits from the seed; outside of a simulation, from the system.
func Random() uint64 {
	if !active {
		return systemRandom()
	}
	return begin("simrun", "random").ask()
}

// place adds where the user's code stands, and in which function.
func (m *message) place(skip int) {
	pc, file, line, ok := runtime.Caller(skip)
	if !ok {
		return
	}
	m.text("location", filepath.Base(filepath.Dir(file))+"/"+filepath.Base(file)+":"+strconv.Itoa(line))
	name := runtime.FuncForPC(pc).Name()
	m.text("function", name[strings.LastIndexByte(name, '/')+1:])
}
