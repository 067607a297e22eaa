#include "part.c"
static const struct of_device_id ids[] = { { .compatible = "acme,uart" }, { } };
static int acme_probe(struct platform_device *pdev) { return 0; }
int acme_write(int a,
	       const char *b)
{
	if (a) { return 1; }
	return 0;
}
static struct platform_driver acme_driver = { .probe = acme_probe, .driver = { .name = "acme", .of_match_table = ids } };
module_platform_driver(acme_driver);
static int __init acme_init(void) { return 0; }
device_initcall(acme_init);
SYSCALL_DEFINE2(acme, int, a, char __user *, b) { return a; }
