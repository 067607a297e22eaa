// SPDX-License-Identifier: GPL-2.0-or-later
/* Caches and TLBs: which level has a line. Least recently used goes; what every level holds stays in the larger ones. */
#ifndef BOOTLAB_COST_CACHE_H
#define BOOTLAB_COST_CACHE_H

#include <stdbool.h>
#include <stdint.h>

/* Where an access is served. */
enum level { IN_L1, IN_L2, IN_L3, IN_MEMORY };

/* How an access goes through the TLBs. */
enum translation { TLB_HIT, TLB_SECOND, TLB_WALK };

/* What the pipeline must know of one access. */
struct access {
    uint64_t address;
    uint16_t insn; /* its place in its block */
    uint8_t bytes;
    uint8_t level, translation;
    bool is_store, is_device, prefetched;
};

/* Builds the caches of `core`. Returns why not, or NULL. */
const char *cost_cache_open(void);

/* A kernel runs on this machine, and maps its memory with large pages. */
void cost_cache_kernel(const char *target);

/*
 * `events`: counts by enum cost_event, added to. `virtual` goes through the TLB, `physical` names the line, and tells
 * pages of different processes apart. An access that reaches into a second line (`a->bytes`) is as late as the later one.
 */
void cost_cache_data(struct access *a, uint64_t virtual, uint64_t physical, uint64_t *events);
enum level cost_cache_code(uint64_t address, uint64_t *events);
enum translation cost_cache_code_page(uint64_t virtual, uint64_t physical, uint64_t *events);

#endif
