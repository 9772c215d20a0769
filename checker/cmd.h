/* `simrun check`. */
#ifndef CHECKER_CMD_H
#define CHECKER_CMD_H

/* argv[0] is "check". Returns the exit status: 0 the history passes, 1 it fails, 2 unknown, 125 bad input, 129 bad command
 * line. */
int check_main(int argc, char **argv);

#endif
