// SPDX-License-Identifier: GPL-2.0
/*
 * A driver that probes for devices which are not there, the way the old IDE driver did: with delays of known number and
 * length. A trace of a boot that loads it must show each of them with its callers.
 *
 *   probe_hwif(4) -> do_probe(31) -> ide_delay_50ms(78)          busy: mdelay
 *   probe_for_hwifs(1) -> spin_up(5)                              asleep: msleep
 *   probe_for_hwifs(1) -> wait_for_drive(2)                       asleep: wait_for_completion_timeout
 *   probe_for_hwifs(1) -> poll_status(1)                          busy: udelay
 *   probe_for_hwifs(1) -> identify_polled(1)                      interrupts off
 *   probe_for_hwifs(1) -> identify_locked(1)                      preemption off
 */
#include <linux/completion.h>
#include <linux/delay.h>
#include <linux/interrupt.h>
#include <linux/jiffies.h>
#include <linux/module.h>
#include <linux/preempt.h>

/* A function of its own under its own name: neither put into its caller nor cut down to the arguments in use. */
#define WHOLE __attribute__((noipa))

static unsigned int delay_ms = 50;
module_param(delay_ms, uint, 0444);
MODULE_PARM_DESC(delay_ms, "length of ide_delay_50ms(), for the impatient");

static WHOLE void ide_delay_50ms(void)
{
	mdelay(delay_ms);
	barrier();
}

static WHOLE int do_probe(unsigned int number)
{
	unsigned int delays = number % 2 ? 2 : 3;

	while (delays--)
		ide_delay_50ms();
	return -ENODEV;
}

/* 31 probes of 78 delays in all: the last interface has one drive less. */
static WHOLE int __init probe_hwif(unsigned int number)
{
	unsigned int i, drives = number == 3 ? 7 : 8;
	int found = 0;

	for (i = 0; i < drives; i++)
		found += do_probe(8 * number + i) == 0;
	return found;
}

static WHOLE void spin_up(void)
{
	msleep(20);
	barrier();
}

static WHOLE void __init wait_for_drive(void)
{
	DECLARE_COMPLETION_ONSTACK(never);

	wait_for_completion_timeout(&never, msecs_to_jiffies(200));
}

static WHOLE void poll_status(void)
{
	unsigned int i;

	for (i = 0; i < 200; i++)
		udelay(100);
}

static WHOLE void __init identify_polled(void)
{
	unsigned long flags;

	local_irq_save(flags);
	mdelay(9);
	local_irq_restore(flags);
}

static WHOLE void __init identify_locked(void)
{
	preempt_disable();
	mdelay(12);
	preempt_enable();
}

static WHOLE void __init probe_for_hwifs(void)
{
	unsigned int i;

	for (i = 0; i < 4; i++)
		probe_hwif(i);
	for (i = 0; i < 5; i++)
		spin_up();
	wait_for_drive();
	wait_for_drive();
	poll_status();
	identify_polled();
	identify_locked();
}

static int __init ide_probe_init(void)
{
	probe_for_hwifs();
	return 0;
}
module_init(ide_probe_init);

static void __exit ide_probe_exit(void)
{
}
module_exit(ide_probe_exit);

MODULE_DESCRIPTION("Delays of known number and length");
MODULE_LICENSE("GPL");
