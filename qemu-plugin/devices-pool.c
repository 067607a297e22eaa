// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * QEMU hands each read or write of an image file to a thread (util/thread-pool.c), and hears of its end in the main loop,
 * in the order in which the host ended them. Two functions start such work; both are redirected, at their first
 * instructions, to ones that do it at once:
 *
 *   int thread_pool_submit_co([ThreadPool *pool,] ThreadPoolFunc *func, void *arg)
 *   BlockAIOCB *thread_pool_submit_aio([ThreadPool *pool,] ThreadPoolFunc *func, void *arg, BlockCompletionFunc *cb, void *opaque)
 *
 * QEMU up to 8.0 has the pool as their first argument. It lies in memory that is no code, so the arguments tell.
 */
#define _GNU_SOURCE
#include "devices-pool.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "host-code.h"
#include "qemu-functions.h"

typedef int work_function(void *arg);
typedef void end_function(void *opaque, int result);

static int (*co)(void *, void *, void *);
static void *(*aio)(void *, void *, void *, void *, void *);
static void (*schedule)(void *context, void (*function)(void *), void *opaque, const char *name);
static void *(*main_context)(void);
static uint64_t n_transfers;

uint64_t pool_transfers(void)
{
    return n_transfers;
}

static int submit_co(void *first, void *second, void *third)
{
    n_transfers++;
    if (qemu_is_code(first))
        return ((work_function *)first)(second);
    return ((work_function *)second)(third);
}

struct end {
    end_function *function;
    void *opaque;
    int result;
};

static void tell_end(void *data)
{
    struct end end = *(struct end *)data;
    free(data);
    end.function(end.opaque, end.result);
}

/* Who asked may not expect the end before this returns, so the end is a bottom half. */
static void *submit_aio(void *first, void *second, void *third, void *fourth, void *fifth)
{
    void *arguments[] = {first, second, third, fourth, fifth};
    void **from = qemu_is_code(first) ? arguments : arguments + 1;
    n_transfers++;
    int result = ((work_function *)from[0])(from[1]);
    if (from[2]) {
        struct end *end = malloc(sizeof *end);
        if (!end)
            abort();
        *end = (struct end){(end_function *)from[2], from[3], result};
        schedule(main_context(), tell_end, end, "bootlab-devices");
    }
    return NULL; /* the request: whoever keeps it only cancels with it */
}

static bool redirect(void *from, void *to)
{
    uint8_t jump[HOST_JUMP_BYTES];
    host_jump(jump, to);
    return host_write(from, jump, sizeof jump);
}

const char *pool_open(void)
{
    const struct qemu_function wanted[] = {
        {"thread_pool_submit_co", &co},
        {"thread_pool_submit_aio", &aio},
        {"aio_bh_schedule_oneshot_full", &schedule},
        {"qemu_get_aio_context", &main_context},
    };
    const char *why = host_unknown();
    if (!why)
        why = qemu_find(QEMU_FUNCTIONS(wanted));
    if (why)
        return why;
    if (!redirect((void *)co, (void *)submit_co) || !redirect((void *)aio, (void *)submit_aio))
        return "this host does not let a program change its own code";
    return NULL;
}

static int test_work(void *arg)
{
    *(int *)arg += 1;
    return 77;
}

static void test_end(void *opaque, int result)
{
    *(int *)opaque += result;
}

const char *pool_test(bool (*poll)(void))
{
    int done = 0, ended = 0;
    int result = co((void *)test_work, &done, NULL);
    aio((void *)test_work, &done, (void *)test_end, &ended, NULL);
    if (result != 77 || done != 2)
        return "self-test: QEMU's threads for image files are not replaced";
    if (ended)
        return "self-test: the end of a transfer comes before its beginning has returned";
    while (!ended && poll())
        ;
    n_transfers = 0;
    return ended == 77 ? NULL : "self-test: nobody is told of the end of a transfer";
}
