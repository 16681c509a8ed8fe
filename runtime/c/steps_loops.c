/* Loops of the host's that launch kernels, as its patched text announces them. Where the host waits for each launch,
 * it is known in such a loop that more are to come: what was put off may wait on. As many are expected as the head of
 * the loop says; the last one is carried out with all before it when it is launched, so that the host still waits for
 * all that it launched. If there are fewer, the rest is carried out where the loop ends. */
#include "runtime.h"
#define FPGACC_RUNTIME
#include "fpgacc_rt.h"

#include <stdatomic.h>

/* The loop that a thread is in. */
static __thread struct {
    enum { NO_LOOP, ANNOUNCED, RUNNING } state;
    unsigned long long number; /* of all loops of the process */
    long long left;            /* launches that are expected */
    int is_other;              /* its launches are not in a row */
    int is_waited_in;          /* the host waits before it ends */
} loop;

static atomic_ullong count;

int fpgacc_loop(__INT64_TYPE__ launches)
{
    if (launches >= 0) {
        loop.state = ANNOUNCED;
        loop.number = atomic_fetch_add(&count, 1) + 1;
        loop.left = launches;
        loop.is_other = 0;
        loop.is_waited_in = 0;
        return 1;
    }
    if (loop.state == ANNOUNCED) {
        loop.state = RUNNING;
        return 1;
    }
    if (loop.is_waited_in)
        fpgacc_settle_loop(loop.number);
    loop.state = NO_LOOP;
    loop.is_waited_in = 0;
    return 0;
}

void fpgacc_note_launch(void)
{
    if (loop.state == RUNNING && loop.left > 0)
        loop.left--;
}

unsigned long long fpgacc_loop_number(void)
{
    return loop.state == RUNNING ? loop.number : 0;
}

void fpgacc_note_other(unsigned long long number)
{
    if (number != 0 && number == fpgacc_loop_number())
        loop.is_other = 1;
}

int fpgacc_is_last_waited_for(void)
{
    return loop.state == RUNNING && loop.left == 0 && loop.is_waited_in;
}

int fpgacc_goes_on(void)
{
    if (loop.state != RUNNING || loop.left == 0 || loop.is_other)
        return 0;
    loop.is_waited_in = 1;
    return 1;
}
