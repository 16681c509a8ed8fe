/* Finding and mapping .aocx files. */
#include "runtime.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

struct mapped {
    const struct fpgacc_program *variant;
    const unsigned char *data;
    size_t size;
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

/* Tries one path; says what was wrong with it. */
static const unsigned char *try_path(const char *path, size_t *size, struct fpgacc_text *why)
{
    errno = 0;
    const unsigned char *data = map_file(path, size);
    if (!data)
        fpgacc_text_add(why, "\nnote: %s: %s", path,
                        errno == ENODATA ? "empty file" : strerror(errno));
    return data;
}

/* One entry of FPGACC_AOCX_PATH: a folder, or a file of the right name (of any name if there is
 * only one to find). */
static const unsigned char *try_entry(const char *entry, const char *name, size_t *size,
                                      struct fpgacc_text *why)
{
    struct stat status;
    if (stat(entry, &status) == 0 && S_ISREG(status.st_mode)) {
        if (strcmp(base_name(entry), name) == 0 || fpgacc_manifest.program_count == 1)
            return try_path(entry, size, why);
        return NULL;
    }
    struct fpgacc_text path = {0};
    fpgacc_text_add(&path, "%s/%s", entry, name);
    const unsigned char *data = path.data ? try_path(path.data, size, why) : NULL;
    fpgacc_text_free(&path);
    return data;
}

static const unsigned char *try_environment(const char *name, size_t *size,
                                            struct fpgacc_text *why)
{
    const char *rest = fpgacc_environment("FPGACC_AOCX_PATH");
    const unsigned char *data = NULL;
    while (rest && *rest && !data) {
        size_t length = strcspn(rest, ":");
        struct fpgacc_text entry = {0};
        fpgacc_text_add_bytes(&entry, rest, length);
        if (length > 0 && entry.data)
            data = try_entry(entry.data, name, size, why);
        fpgacc_text_free(&entry);
        rest += length + (rest[length] == ':');
    }
    return data;
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

static const unsigned char *search(const char *name, size_t *size, struct fpgacc_text *why)
{
    struct fpgacc_text tried = {0};
    const unsigned char *data = try_environment(name, size, &tried);
    if (!data) {
        char *folder = executable_folder();
        if (folder)
            data = try_entry(folder, name, size, &tried);
        free(folder);
    }
    if (!data)
        fpgacc_text_add(why, "cannot read %s, which holds the compiled kernels%s\n"
                             "help: put it beside the executable, or name its folder in "
                             "FPGACC_AOCX_PATH",
                        name, tried.data ? tried.data : "");
    fpgacc_text_free(&tried);
    return data;
}

static const struct mapped *find_mapped(const struct fpgacc_program *variant)
{
    const struct mapped *mapped = all_mapped;
    while (mapped && mapped->variant != variant)
        mapped = mapped->next;
    return mapped;
}

const unsigned char *fpgacc_aocx(const struct fpgacc_program *variant, size_t *size,
                                 struct fpgacc_text *why)
{
    const unsigned char *data = NULL;
    pthread_mutex_lock(&map_lock);
    const struct mapped *known = find_mapped(variant);
    struct mapped *fresh = known ? NULL : malloc(sizeof *fresh);
    if (known) {
        data = known->data;
        *size = known->size;
    } else if (fresh) {
        data = search(variant->aocx, size, why);
        if (data) {
            *fresh = (struct mapped){variant, data, *size, all_mapped};
            all_mapped = fresh;
            fresh = NULL;
        }
    }
    pthread_mutex_unlock(&map_lock);
    free(fresh);
    return data;
}
