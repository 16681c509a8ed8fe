/* Preloaded into programs, so that those that seed their random input with the time have the same input in
 * each run. */
#include <time.h>

time_t time(time_t *result) {
    const time_t now = 1000000000;
    if (result)
        *result = now;
    return now;
}
