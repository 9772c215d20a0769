/* What scripts of clusters are made of, run by bash: jobs, wait, traps, kill, substitution, here documents, pipes. */
#include "guest.h"

static const char script[] =
	"set -e\n"
	"cd \"$1\"\n"
	"sleep 0.05 & a=$!\n"
	"(exit 7) & b=$!\n"
	"wait $a\n"
	"rc=0; wait $b || rc=$?\n"
	"[ $rc = 7 ]\n"
	"sleep 1000 & c=$!\n"
	"kill -9 $c\n"
	"rc=0; wait $c 2>/dev/null || rc=$?\n"
	"[ $rc = 137 ]\n"
	"[ \"$(printf 'a\\nb\\n' | wc -l)\" = 2 ]\n"
	"cat > file <<END\n"
	"value $((6 * 7))\n"
	"END\n"
	"grep -q '^value 42$' file\n"
	"read -r word number < file\n"
	"[ $number = 42 ]\n"
	"n=0; while read -r x; do n=$((n + x)); done < <(seq 1 10)\n"
	"[ $n = 55 ]\n"
	"trap 'got=yes' USR1; kill -USR1 $$; [ \"$got\" = yes ]\n"
	"( while [ ! -e flag ]; do sleep 0.01; done; echo seen > answer ) &\n"
	"touch flag; wait; [ \"$(cat answer)\" = seen ]\n"
	"until [ -e later ]; do sleep 0.01; touch later; done\n"
	"for i in 1 2 3; do echo $i; done | sort -r | tr '\\n' ' ' > sorted\n"
	"[ \"$(cat sorted)\" = '3 2 1 ' ]\n"
	"x=$(date +%s); sleep 1; y=$(date +%s); [ $y -gt $x ]\n"
	"timeout 0.1 sleep 100 || [ $? = 124 ]\n"
	"trap 'echo bye > exit-trap' EXIT\n"
	"exit 3\n";

int main(void)
{
	workdir();
	pid_t pid = OK(fork());
	if (pid == 0) {
		execlp("bash", "bash", "-c", script, "script", guest_dir, (char *)NULL);
		_exit(127);
	}
	CHECK_EXIT(pid, 3);
	OK(access("exit-trap", F_OK));
	return guest_ok();
}
