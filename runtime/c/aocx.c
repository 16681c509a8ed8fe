/* Finding and mapping .aocx files. */
#define _GNU_SOURCE /* dladdr */
#include "runtime.h"

#include <dlfcn.h>
#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <link.h>
#include <sys/auxv.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

struct mapped {
    const struct fpgacc_program *variant;
    struct fpgacc_aocx aocx;
    struct mapped *next;
};

/* One for each variant that was needed, until the process ends. */
static struct mapped *all_mapped;
static pthread_mutex_t map_lock = PTHREAD_MUTEX_INITIALIZER;

static const unsigned char *map_file(const char *path, size_t *size)
{
    int file = open(path, O_RDONLY);
    if (file < 0)
        return NULL;
    struct stat status;
    void *data = MAP_FAILED;
    if (fstat(file, &status) != 0 || !S_ISREG(status.st_mode))
        errno = errno ? errno : EINVAL;
    else if (status.st_size == 0)
        errno = ENODATA;
    else
        data = mmap(NULL, (size_t)status.st_size, PROT_READ, MAP_PRIVATE, file, 0);
    int reason = errno;
    close(file);
    errno = reason;
    if (data == MAP_FAILED)
        return NULL;
    *size = (size_t)status.st_size;
    return data;
}

static const char *base_name(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

/* A search for a variant's .aocx. */
struct search {
    const struct fpgacc_program *variant;
    struct fpgacc_aocx found;
    struct fpgacc_text tried; /* a line for each path */
    int refused;              /* there was a file, and it was not the variant's */
};

/* Tries one path; says what was wrong with it. */
static int try_path(struct search *search, const char *path)
{
    struct fpgacc_aocx *aocx = &search->found;
    errno = 0;
    aocx->data = map_file(path, &aocx->size);
    if (!aocx->data) {
        fpgacc_text_add(&search->tried, "\nnote: %s: %s", path,
                        errno == ENODATA ? "empty file" : strerror(errno));
        return 0;
    }
    struct fpgacc_text fault = {0};
    int is_ours = fpgacc_seal_check(search->variant, aocx->data, aocx->size,
                                    &aocx->program_size, &fault);
    if (!is_ours) {
        search->refused = 1;
        fpgacc_text_add(&search->tried, "\nnote: %s is %s", path, fault.data ? fault.data : "");
        munmap((void *)aocx->data, aocx->size);
    }
    fpgacc_text_free(&fault);
    return is_ours;
}

/* One entry of FPGACC_AOCX_PATH: a folder, or a file of the right name (of any name if there is
 * only one to find). */
static int try_entry(struct search *search, const char *entry)
{
    const char *name = search->variant->aocx;
    struct stat status;
    if (stat(entry, &status) == 0 && S_ISREG(status.st_mode)) {
        int is_meant =
            strcmp(base_name(entry), name) == 0 || fpgacc_manifest.program_count == 1;
        return is_meant && try_path(search, entry);
    }
    struct fpgacc_text path = {0};
    fpgacc_text_add(&path, "%s/%s", entry, name);
    int found = path.data && try_path(search, path.data);
    fpgacc_text_free(&path);
    return found;
}

static int try_environment(struct search *search)
{
    const char *rest = fpgacc_environment("FPGACC_AOCX_PATH");
    int found = 0;
    while (rest && *rest && !found) {
        size_t length = strcspn(rest, ":");
        struct fpgacc_text entry = {0};
        fpgacc_text_add_bytes(&entry, rest, length);
        found = length > 0 && entry.data && try_entry(search, entry.data);
        fpgacc_text_free(&entry);
        rest += length + (rest[length] == ':');
    }
    return found;
}

/* The executable's folder, to free. */
static char *executable_folder(void)
{
    for (size_t capacity = 256; capacity <= 65536; capacity *= 2) {
        char *path = malloc(capacity);
        if (!path)
            return NULL;
        ssize_t length = readlink("/proc/self/exe", path, capacity);
        if (length < 0 || (size_t)length < capacity) {
            if (length > 0)
                path[length] = '\0';
            char *slash = length > 0 ? strrchr(path, '/') : NULL;
            if (slash) {
                *slash = '\0';
                return path;
            }
            free(path);
            return NULL;
        }
        free(path);
    }
    return NULL;
}

/* The path of the shared library that this is linked into; NULL in an executable, and in a layer, which
 * works for the executable. */
static char *library_path;

#ifndef FPGACC_LAYER
/* When the library is loaded: its name may be a relative one, and the process may change its folder. */
__attribute__((constructor)) static void find_library(void)
{
    Dl_info own;
    if (!dladdr(&fpgacc_manifest, &own) || !own.dli_fname)
        return;
    const ElfW(Ehdr) *header = own.dli_fbase;
    if ((uintptr_t)header + header->e_phoff != getauxval(AT_PHDR))
        library_path = realpath(own.dli_fname, NULL);
}
#endif

/* The folder of the library or the executable, to free. */
static char *own_folder(void)
{
    if (!library_path)
        return executable_folder();
    char *folder = strdup(library_path);
    if (folder)
        folder[base_name(folder) - folder - 1] = '\0';
    return folder;
}

static int try_beside(struct search *search)
{
    char *folder = own_folder();
    int found = folder && try_entry(search, folder);
    free(folder);
    return found;
}

static int find(struct search *search, struct fpgacc_text *why)
{
    int found = try_environment(search) || try_beside(search);
    if (!found)
        fpgacc_text_add(why, "cannot read %s, which holds the compiled kernels%s\nhelp: %s",
                        search->variant->aocx, search->tried.data ? search->tried.data : "",
                        search->refused ? "compile again with fpgacc, and keep the files of one "
                                          "build together"
                        : library_path  ? "put it beside the library, or name its folder in "
                                          "FPGACC_AOCX_PATH"
                                        : "put it beside the executable, or name its folder in "
                                          "FPGACC_AOCX_PATH");
    fpgacc_text_free(&search->tried);
    return found;
}

static const struct mapped *find_mapped(const struct fpgacc_program *variant)
{
    const struct mapped *mapped = all_mapped;
    while (mapped && mapped->variant != variant)
        mapped = mapped->next;
    return mapped;
}

const struct fpgacc_aocx *fpgacc_aocx(const struct fpgacc_program *variant,
                                      struct fpgacc_text *why)
{
    pthread_mutex_lock(&map_lock);
    const struct mapped *known = find_mapped(variant);
    struct search search = {.variant = variant};
    struct mapped *fresh = known ? NULL : malloc(sizeof *fresh);
    if (fresh && find(&search, why)) {
        *fresh = (struct mapped){variant, search.found, all_mapped};
        all_mapped = fresh;
        known = fresh;
    } else {
        free(fresh);
    }
    pthread_mutex_unlock(&map_lock);
    return known ? &known->aocx : NULL;
}
