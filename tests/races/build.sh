# shellcheck shell=bash
# Sourced: builds one program of tests/races/ and its correct twin; race and correct are the commands then.
out=${out:-build/races}
mkdir -p "$out"

build_race() { # SOURCE; status 1: its language is not here
	local src=$1 name
	name=$(basename "${src%.*}")
	race=("$out/$name") correct=("$out/$name-fixed")
	case $src in
	*.c) gcc -O2 -pthread -o "${race[0]}" "$src" && gcc -O2 -pthread -DFIXED -o "${correct[0]}" "$src" ;;
	*.cc) g++ -O2 -pthread -o "${race[0]}" "$src" && g++ -O2 -pthread -DFIXED -o "${correct[0]}" "$src" ;;
	*.go)
		command -v go >/dev/null || return 1
		[ "${race[0]}" -nt "$src" ] && [ "${correct[0]}" -nt "$src" ] && return
		go build -o "${race[0]}" "$src" && go build -ldflags '-X main.fixed=yes' -o "${correct[0]}" "$src"
		;;
	esac
}
