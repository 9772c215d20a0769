/* A static program reads the clock through the vDSO that it finds in the auxiliary vector, and spins on it. */
#include "time_spin.c"
