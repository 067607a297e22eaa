// SPDX-License-Identifier: GPL-2.0-or-later
#include "stamp-kexec.h"

#include <limits.h>

#include "stamp-file.h"

static unsigned last_function = UINT_MAX;
static bool user_is_low;
static enum { RUNS, LEFT, COPIES, NEXT_KERNEL, DONE } state;

void kexec_watch(unsigned number)
{
    last_function = number;
}

void kexec_sees_user(bool sees)
{
    user_is_low = sees;
}

void kexec_note(unsigned number)
{
    if (number == last_function)
        state = LEFT;
}

bool kexec_left(void)
{
    return state != RUNS;
}

bool kexec_waits(bool low)
{
    return low ? state == LEFT || state == NEXT_KERNEL : state == COPIES;
}

unsigned kexec_reached(bool low)
{
    if (!kexec_waits(low))
        return 0;
    if (state == LEFT) {
        state = COPIES;
        return 0;
    }
    if (state == COPIES) {
        state = user_is_low ? NEXT_KERNEL : DONE;
        return BOOTLAB_KERNEL_2_MARK;
    }
    state = DONE;
    return BOOTLAB_USER_2_MARK;
}
