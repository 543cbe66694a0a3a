/* For the tests of the fake CUDA runtime: each case runs in a process of its own, started anew from the same
 * program, since what the fake is told and what it finds belongs to a whole process. */
#ifndef PLB_TEST_CUDA_CASES_H
#define PLB_TEST_CUDA_CASES_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <cuda_runtime_api.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum { FOUND = 86 };

struct fake_case {
    const char *name;
    void (*run)(void);
    const char *told, *visible; /* PLB_FAKE_CUDA, CUDA_VISIBLE_DEVICES; NULL: unset */
    int status;                 /* of the process; -1: any but 0 */
    const char *output;         /* a part of it; NULL: nothing about findings */
};

/* The cmocka test of a case. The case lives as long as the caller's block. */
#define CASE(title, ...) \
    { \
        title, in_child, NULL, NULL, &(struct fake_case) \
        { \
            title, __VA_ARGS__ \
        } \
    }

static inline void expect(int got, int want, const char *call, int line)
{
    if (got == want)
        return;
    fprintf(stderr, "line %d: %s gave %d, not %d\n", line, call, got, want);
    _exit(1);
}
#define EXPECT(call, want) expect((int)(call), (int)(want), #call, __LINE__)
#define OK(call) EXPECT(call, cudaSuccess)

static inline cudaStream_t new_stream(void)
{
    cudaStream_t s = NULL;
    OK(cudaStreamCreateWithFlags(&s, cudaStreamNonBlocking));
    return s;
}

static inline cudaEvent_t new_event(unsigned flags)
{
    cudaEvent_t e = NULL;
    OK(cudaEventCreateWithFlags(&e, flags));
    return e;
}

static inline void *new_device(size_t bytes)
{
    void *p = NULL;
    OK(cudaMalloc(&p, bytes));
    return p;
}

static inline void *new_pinned(size_t bytes)
{
    void *p = NULL;
    OK(cudaMallocHost(&p, bytes));
    return p;
}

static inline void set_up(const struct fake_case *c)
{
    if (c->told != NULL)
        setenv("PLB_FAKE_CUDA", c->told, 1);
    else
        unsetenv("PLB_FAKE_CUDA");
    if (c->visible != NULL)
        setenv("CUDA_VISIBLE_DEVICES", c->visible, 1);
    else
        unsetenv("CUDA_VISIBLE_DEVICES");
}

static inline void in_child(void **state)
{
    const struct fake_case *c = *state;
    int ends[2];
    assert_int_equal(pipe(ends), 0);
    fflush(NULL);
    pid_t child = fork();
    if (child == 0) {
        dup2(ends[1], STDOUT_FILENO);
        dup2(ends[1], STDERR_FILENO);
        close(ends[0]);
        close(ends[1]);
        set_up(c);
        execl("/proc/self/exe", "case", c->name, (char *)NULL);
        _exit(127);
    }
    close(ends[1]);
    char output[16384];
    size_t used = 0;
    for (ssize_t n; (n = read(ends[0], output + used, sizeof output - 1 - used)) > 0;)
        used += (size_t)n;
    output[used] = '\0';
    close(ends[0]);
    int ended = 0;
    assert_int_equal(waitpid(child, &ended, 0), child);
    const int status = WIFEXITED(ended) ? WEXITSTATUS(ended) : 256 + WTERMSIG(ended);
    const bool as_wanted = c->status < 0 ? status != 0 : status == c->status;
    const bool said = c->output != NULL ? strstr(output, c->output) != NULL
                                        : strstr(output, "fake cuda:") == NULL;
    if (!as_wanted || !said)
        fail_msg("ended with %d, said: %s", status, output);
}

/* In the process of a case. */
static inline int run_case(const struct CMUnitTest *tests, size_t count, const char *name)
{
    for (size_t i = 0; i < count; i++) {
        const struct fake_case *c = tests[i].initial_state;
        if (strcmp(c->name, name) == 0) {
            c->run();
            return 0;
        }
    }
    return 2;
}

#endif
