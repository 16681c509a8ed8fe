/* Where a call stands in the program's machine code. */
#include "trace.h"

#include <dlfcn.h>
#include <elf.h>
#include <execinfo.h>
#include <limits.h>
#include <link.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define BUCKETS 1024

/* Asked at each call, so kept. */
static struct place *places[BUCKETS];
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static const char *base_name(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

/* The file of a module; that of the executable itself has whatever name it was started by. */
static char *module_file(const Dl_info *info, const void *here)
{
    char path[PATH_MAX];
    Dl_info own;
    if (dladdr(here, &own) && own.dli_fbase == info->dli_fbase)
        return strdup(info->dli_fname);
    const char *name = info->dli_fname ? info->dli_fname : "";
    const char *real = realpath(name, path);
    if (real)
        return strdup(real);
    ssize_t length = readlink("/proc/self/exe", path, sizeof path - 1);
    if (length <= 0)
        return strdup(name);
    path[length] = '\0';
    return strdup(path);
}

static struct place *make_place(const void *address)
{
    struct place *place = calloc(1, sizeof *place);
    Dl_info info;
    Dl_info own;
    if (!place)
        return NULL;
    place->address = address;
    place->offset = (uintptr_t)address;
    if (!dladdr(address, &info) || !info.dli_fbase) {
        place->module = strdup("");
        return place;
    }
    const ElfW(Ehdr) *header = info.dli_fbase;
    if (header->e_type == ET_DYN)
        place->offset -= (uintptr_t)info.dli_fbase;
    place->module = module_file(&info, (const void *)make_place);
    int is_own = dladdr((const void *)make_place, &own) && own.dli_fbase == info.dli_fbase;
    place->is_loader =
        is_own || (place->module && strncmp(base_name(place->module), "libOpenCL", 9) == 0);
    return place;
}

static const struct place *place_of(const void *address)
{
    struct place **bucket = &places[((uintptr_t)address >> 2) % BUCKETS];
    pthread_mutex_lock(&lock);
    struct place *place = *bucket;
    while (place && place->address != address)
        place = place->next;
    if (!place && (place = make_place(address))) {
        place->next = *bucket;
        *bucket = place;
    }
    pthread_mutex_unlock(&lock);
    return place;
}

void site_here(struct site *site)
{
    void *addresses[16];
    int count = backtrace(addresses, 16);
    memset(site, 0, sizeof *site);
    for (int i = 0; i < count && site->count < FRAMES; i++) {
        const struct place *place = place_of(addresses[i]);
        if (place && !(site->count == 0 && place->is_loader))
            site->frames[site->count++] = place;
    }
    site->script = script_here();
}

int site_equal(const struct site *a, const struct site *b)
{
    return a->script == b->script && a->count == b->count &&
           memcmp(a->frames, b->frames, a->count * sizeof a->frames[0]) == 0;
}
