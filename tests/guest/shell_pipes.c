/* Pipelines of a shell with much data, early ends, process substitution, fifos, and status of every stage. */
#include "guest.h"

static const char script[] =
	"set -eo pipefail\n"
	"cd \"$1\"\n"
	"[ \"$(yes | head -n 1 || true)\" = y ]\n"
	"set +e; yes | head -n 1 > /dev/null; [ \"${PIPESTATUS[0]}\" = 141 ] || exit 1; set -e\n"
	"[ \"$(seq 1 50000 | tail -n 1)\" = 50000 ]\n"
	"[ \"$(head -c 3000000 /dev/zero | tr '\\0' x | wc -c)\" = 3000000 ]\n"
	"a=$(head -c 500000 /dev/zero | tee >(md5sum > sum1) | md5sum)\n"
	"until [ -s sum1 ]; do sleep 0.01; done\n"
	"[ \"$a\" = \"$(cat sum1)\" ]\n"
	"diff <(seq 1 1000) <(seq 1 1000)\n"
	"mkfifo fifo; (seq 1 100 > fifo) & [ \"$(wc -l < fifo)\" = 100 ]; wait\n"
	"coproc cat; echo hello >&${COPROC[1]}; read -r -u ${COPROC[0]} x; [ \"$x\" = hello ]; kill $COPROC_PID\n"
	"exec 7<> fifo; echo through >&7; read -r x <&7; [ \"$x\" = through ]; exec 7>&-\n"
	"{ echo one; echo two >&2; } 2> err > out; [ \"$(cat out err)\" = $'one\\ntwo' ]\n"
	"printf '%s\\n' c b a | sort | xargs echo > sorted; [ \"$(cat sorted)\" = 'a b c' ]\n"
	"x=0; seq 1 5 | while read -r n; do x=$n; done; [ $x = 0 ]\n"
	"[ \"$(echo $(( $(date +%s) - $(date +%s) )) | tr -d -)\" -le 2 ]\n"
	"! false | true\n";

int main(void)
{
	workdir();
	pid_t pid = OK(fork());
	if (pid == 0) {
		execlp("bash", "bash", "-c", script, "script", guest_dir, (char *)NULL);
		_exit(127);
	}
	CHECK_EXIT(pid, 0);
	return guest_ok();
}
