/* Lines of Python, for programs whose calls come out of its interpreter. */
#include "trace.h"

#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>

/* The interpreter's own functions, found in the process: this library is not built for one. */
struct python {
    int (*is_initialized)(void);
    int (*ensure)(void);
    void (*release)(int state);
    void *(*frame)(void);
    void *(*back)(void *frame);
    void *(*code)(void *frame);
    int (*line)(void *frame);
    void *(*attribute)(void *object, const char *name);
    const char *(*text)(void *string);
    void (*drop)(void *object);
    void (*keep)(void *object);
};

static struct python python;
static int is_there;
static pthread_once_t once = PTHREAD_ONCE_INIT;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct script *scripts;

static int take(void *function, const char *name)
{
    void *found = dlsym(RTLD_DEFAULT, name);
    memcpy(function, &found, sizeof found);
    return found != NULL;
}

static void look(void)
{
    is_there = take(&python.is_initialized, "Py_IsInitialized") &&
               take(&python.ensure, "PyGILState_Ensure") &&
               take(&python.release, "PyGILState_Release") &&
               take(&python.frame, "PyEval_GetFrame") && take(&python.back, "PyFrame_GetBack") &&
               take(&python.code, "PyFrame_GetCode") &&
               take(&python.line, "PyFrame_GetLineNumber") &&
               take(&python.attribute, "PyObject_GetAttrString") &&
               take(&python.text, "PyUnicode_AsUTF8") && take(&python.drop, "Py_DecRef") &&
               take(&python.keep, "Py_IncRef");
}

/* One for each line, until the process ends. */
static const struct script *script_of(const char *file, int line)
{
    pthread_mutex_lock(&lock);
    struct script *script = scripts;
    while (script && (script->line != line || strcmp(script->file, file) != 0))
        script = script->next;
    if (!script && (script = calloc(1, sizeof *script))) {
        script->line = line;
        script->file = strdup(file);
        script->next = scripts;
        if (script->file)
            scripts = script;
        else
            script = NULL;
    }
    pthread_mutex_unlock(&lock);
    return script;
}

/* Packages that are installed wrap OpenCL for the program's own lines. */
static int is_package(const char *file)
{
    return file[0] == '<' || strstr(file, "/site-packages/") || strstr(file, "/dist-packages/") ||
           strstr(file, "/ctypes/");
}

static const struct script *script_at(void *frame)
{
    const struct script *script = NULL;
    void *code = python.code(frame);
    void *name = code ? python.attribute(code, "co_filename") : NULL;
    const char *file = name ? python.text(name) : NULL;
    if (file && !is_package(file))
        script = script_of(file, python.line(frame));
    if (name)
        python.drop(name);
    if (code)
        python.drop(code);
    return script;
}

const struct script *script_here(void)
{
    pthread_once(&once, look);
    if (!is_there || !python.is_initialized())
        return NULL;
    int state = python.ensure();
    const struct script *script = NULL;
    void *frame = python.frame();
    if (frame)
        python.keep(frame);
    while (frame && !script) {
        script = script_at(frame);
        void *back = python.back(frame);
        python.drop(frame);
        frame = back;
    }
    if (frame)
        python.drop(frame);
    python.release(state);
    return script;
}
