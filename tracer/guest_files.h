/* Files that every run finds in its view, for programs that were made for Antithesis; built from sdk/antithesis/. */
#ifndef TRACER_GUEST_FILES_H
#define TRACER_GUEST_FILES_H

extern const unsigned char voidstar_start[], voidstar_end[];       /* VOIDSTAR_PATH */
extern const unsigned char stop_faults_start[], stop_faults_end[]; /* STOP_FAULTS_PATH */

#define VOIDSTAR_DIR "/usr/lib"
#define VOIDSTAR_NAME "libvoidstar.so"
#define SIMRUN_DEV "/dev/simrun"
#define STOP_FAULTS_PATH SIMRUN_DEV "/stop-faults"
#define OUTPUT_PATH SIMRUN_DEV "/output"      /* lines of messages: SIMRUN_OUTPUT */
#define SDK_JSONL_PATH SIMRUN_DEV "/sdk.jsonl" /* the same of Antithesis' SDKs: ANTITHESIS_OUTPUT_DIR */

#endif
