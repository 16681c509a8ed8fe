/* Who calls OpenCL past the runtime: while anyone may, no launch is put off. */
#define _GNU_SOURCE /* dl_iterate_phdr, memmem */
#include "runtime.h"

#include <stdatomic.h>
#include <string.h>

#ifndef FPGACC_LAYER
#include <link.h>

#if __ELF_NATIVE_CLASS == 64
#define SYMBOL_OF ELF64_R_SYM
#else
#define SYMBOL_OF ELF32_R_SYM
#endif

/* Whether a function could tell that a launch was put off. */
static int could_tell(const char *name)
{
    static const char *const others[] = {
        "clFinish",          "clFlush",        "clReleaseCommandQueue",     "clReleaseKernel",
        "clSetKernelArg",    "clSetKernelExecInfo", "clSetKernelArgSVMPointer",
        "clSetCommandQueueProperty",
        /* It tells when memory is gone, which launches keep that are put off. */
        "clSetMemObjectDestructorCallback",
    };
    if (strncmp(name, "clEnqueue", 9) == 0)
        return 1;
    for (size_t i = 0; i < sizeof others / sizeof others[0]; i++)
        if (strcmp(name, others[i]) == 0)
            return 1;
    return 0;
}

/* A host has the address of such a function. */
static atomic_int is_fetched;

void fpgacc_note_lookup(const char *name)
{
    if (could_tell(name))
        is_fetched = 1;
}

static int is_replaced(const char *name)
{
#define IS(replaced) \
    if (strcmp(name, #replaced) == 0) \
        return 1;
    FPGACC_REPLACED(IS)
#undef IS
    return 0;
}

/* What is known of the libraries of the process. */
struct survey {
    unsigned long long loaded; /* so far */
    unsigned long long unloaded;
    int is_counted;
    int finds_caller;
    const void *passed[256]; /* headers of those that call nothing past the runtime */
    size_t passed_count;
};

/* A table of a module: glibc gives its address, others its distance. */
static const void *table(const struct dl_phdr_info *info, ElfW(Addr) at)
{
    return (const void *)(at < info->dlpi_addr ? info->dlpi_addr + at : at);
}

static int is_own(const struct dl_phdr_info *info)
{
    ElfW(Addr) here = (ElfW(Addr))&fpgacc_manifest;
    for (ElfW(Half) i = 0; i < info->dlpi_phnum; i++) {
        const ElfW(Phdr) *header = &info->dlpi_phdr[i];
        ElfW(Addr) begin = info->dlpi_addr + header->p_vaddr;
        if (header->p_type == PT_LOAD && here >= begin && here < begin + header->p_memsz)
            return 1;
    }
    return 0;
}

/* What a module says of itself that matters here. */
struct dynamic {
    const ElfW(Sym) *symbols;
    const char *names;
    size_t names_size;
    const char *relocations[2]; /* of data, and of calls */
    size_t sizes[2];
    size_t entry; /* bytes of a relocation */
};

static struct dynamic dynamic_of(const struct dl_phdr_info *info, const ElfW(Dyn) *entry)
{
    struct dynamic all = {.entry = sizeof(ElfW(Rela))};
    for (; entry->d_tag != DT_NULL; entry++) {
        ElfW(Addr) at = entry->d_un.d_ptr;
        if (entry->d_tag == DT_SYMTAB)
            all.symbols = table(info, at);
        else if (entry->d_tag == DT_STRTAB)
            all.names = table(info, at);
        else if (entry->d_tag == DT_STRSZ)
            all.names_size = entry->d_un.d_val;
        else if (entry->d_tag == DT_RELA || entry->d_tag == DT_REL)
            all.relocations[0] = table(info, at);
        else if (entry->d_tag == DT_JMPREL)
            all.relocations[1] = table(info, at);
        else if (entry->d_tag == DT_RELASZ || entry->d_tag == DT_RELSZ)
            all.sizes[0] = entry->d_un.d_val;
        else if (entry->d_tag == DT_PLTRELSZ)
            all.sizes[1] = entry->d_un.d_val;
        else if (entry->d_tag == DT_RELENT)
            all.entry = sizeof(ElfW(Rel));
    }
    return all;
}

/* Whether a function finds others by their names. */
static int looks_up(const char *name)
{
    return strcmp(name, "dlsym") == 0 || strcmp(name, "dlvsym") == 0 ||
           strncmp(name, "clGetExtensionFunctionAddress", 29) == 0;
}

static int is_letter(char c)
{
    return (c | 0x20) >= 'a' && (c | 0x20) <= 'z';
}

/* Whether some bytes hold a string that is the name of a command's function. Those of extensions, which end in
 * capitals, are held by implementations, too. */
static int holds_name(const char *bytes, size_t size)
{
    static const char start[] = "\0clEnqueue";
    const char *end = bytes + size;
    while ((bytes = memmem(bytes, (size_t)(end - bytes), start, sizeof start - 1)) != NULL) {
        bytes += sizeof start - 1;
        while (bytes < end && is_letter(*bytes))
            bytes++;
        if (bytes < end && *bytes == '\0' && bytes[-1] >= 'a')
            return 1;
    }
    return 0;
}

/* Whether a module holds such names, for it to look up. Implementations do, which have such functions. */
static int knows_names(const struct dl_phdr_info *info, const struct dynamic *all)
{
    if (holds_name(all->names, all->names_size))
        return 0;
    for (ElfW(Half) i = 0; i < info->dlpi_phnum; i++) {
        const ElfW(Phdr) *header = &info->dlpi_phdr[i];
        if (header->p_type == PT_LOAD && (header->p_flags & (PF_R | PF_W)) == PF_R &&
            holds_name((const char *)(info->dlpi_addr + header->p_vaddr), header->p_memsz))
            return 1;
    }
    return 0;
}

/* Whether a module refers to such a function, other than through the runtime in it, or may look one up. */
static int calls_past(const struct dl_phdr_info *info, const ElfW(Dyn) *entry)
{
    struct dynamic all = dynamic_of(info, entry);
    int own = is_own(info);
    int may_look_up = 0;
    if (!all.symbols || !all.names)
        return 0;
    for (int part = 0; part < 2; part++) {
        for (size_t at = 0; all.relocations[part] && at < all.sizes[part]; at += all.entry) {
            ElfW(Rel) relocation; /* the beginning of the other kind, too */
            memcpy(&relocation, all.relocations[part] + at, sizeof relocation);
            const ElfW(Sym) *symbol = &all.symbols[SYMBOL_OF(relocation.r_info)];
            const char *name = all.names + symbol->st_name;
            if (symbol->st_shndx != SHN_UNDEF)
                continue;
            if (could_tell(name) && !(own && is_replaced(name)))
                return 1;
            may_look_up |= !own && looks_up(name);
        }
    }
    return may_look_up && knows_names(info, &all);
}

static int has_passed(const struct survey *survey, const struct dl_phdr_info *info)
{
    for (size_t i = 0; i < survey->passed_count; i++)
        if (survey->passed[i] == info->dlpi_phdr)
            return 1;
    return 0;
}

static int look(struct dl_phdr_info *info, size_t size, void *data)
{
    struct survey *survey = data;
    (void)size;
    if (!survey->is_counted) {
        survey->is_counted = 1;
        if (info->dlpi_adds == survey->loaded && info->dlpi_subs == survey->unloaded)
            return 1;
        /* Another may be where one was that went. */
        if (info->dlpi_subs != survey->unloaded)
            survey->passed_count = 0;
        survey->loaded = info->dlpi_adds;
        survey->unloaded = info->dlpi_subs;
        survey->finds_caller = 0;
    }
    if (has_passed(survey, info))
        return 0;
    int calls = 0;
    for (ElfW(Half) i = 0; i < info->dlpi_phnum; i++) {
        const ElfW(Phdr) *header = &info->dlpi_phdr[i];
        /* The kernel's own module says nothing of itself at this address. */
        if (header->p_type == PT_DYNAMIC && info->dlpi_name && !strstr(info->dlpi_name, "vdso"))
            calls |= calls_past(info, (const ElfW(Dyn) *)(info->dlpi_addr + header->p_vaddr));
    }
    survey->finds_caller |= calls;
    if (!calls && survey->passed_count < sizeof survey->passed / sizeof survey->passed[0])
        survey->passed[survey->passed_count++] = info->dlpi_phdr;
    return 0;
}

/* With the lock of steps.c held. */
int fpgacc_sees_all_calls(void)
{
    static struct survey survey;
    if (is_fetched)
        return 0;
    survey.is_counted = 0;
    dl_iterate_phdr(look, &survey);
    return !survey.finds_caller;
}

#else

/* Programs under a layer find OpenCL's functions in ways that nobody knows. */
void fpgacc_note_lookup(const char *name)
{
    (void)name;
}

int fpgacc_sees_all_calls(void)
{
    return 0;
}

#endif
