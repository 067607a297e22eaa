// SPDX-License-Identifier: GPL-2.0-or-later
#include "cost-page.h"

#define PAGE_BITS 12
#define PAGES 512

static struct {
    uint64_t page, physical;
    uint64_t age;
    bool is_device;
} known[PAGES];
static uint64_t age = 1;

void page_forget(void)
{
    age++;
}

bool page_of(qemu_plugin_meminfo_t info, uint64_t virtual, uint64_t *physical)
{
    uint64_t page = virtual >> PAGE_BITS, within = virtual & ((1u << PAGE_BITS) - 1);
    typeof(&known[0]) k = &known[page % PAGES];
    if (k->page != page || k->age != age) {
        const struct qemu_plugin_hwaddr *address = qemu_plugin_get_hwaddr(info, virtual);
        k->page = page;
        k->age = age;
        k->is_device = address && qemu_plugin_hwaddr_is_io(address);
        k->physical = address && !k->is_device ? qemu_plugin_hwaddr_phys_addr(address) - within : virtual - within;
    }
    *physical = k->physical + within;
    return k->is_device;
}
