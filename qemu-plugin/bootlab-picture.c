// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * bootlab-picture: a QEMU plugin that says on the console when the machine's screen first shows a given picture.
 *
 * A display is looked at again and again, as a person or a camera does: each millisecond of virtual time, QEMU's display
 * is brought up to date and compared. What is compared is what QEMU would draw in a window, whatever the guest's format
 * of a pixel; a picture that is smaller than the screen is looked for in the middle. A timer of the virtual clock does
 * it, as a device's would: the guest sees nothing of it, and each boot looks at the same instants.
 *
 * The line goes where the guest's console goes, so that it is stamped like any other and can be a goal:
 *
 *   bootlab: picture shown
 *
 * A machine without a screen is told in the same way, once. What the screen showed last lies in the file named by
 * screen=, for boots that never showed the picture.
 *
 * Arguments (all key=value):
 *   picture=PATH   a PPM, binary (P6), 255 as its largest value
 *   screen=PATH    where the screen is written to, as a PPM
 */
#define _GNU_SOURCE
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>

#define PLUGIN_NAME "bootlab-picture"

#include "plugin-api.h"
#include "qemu-functions.h"
#include "refuse.h"

QEMU_PLUGIN_EXPORT int qemu_plugin_version = BOOTLAB_PLUGIN_API;

#define QEMU_CLOCK_VIRTUAL 1
#define SCALE_NS 1
/* Larger than QEMU's QEMUTimer (include/qemu/timer.h) has ever been. */
#define TIMER_BYTES 256
#define LOOK_NS 1000000
/* The screen is written this often at most: each 100 looks. */
#define LOOKS_A_SCREEN 100
/* A screen with 5 bits a colour shows the nearest of 32 values: up to 7 away from the picture's own. */
#define TOLERANCE 8
#define MOST_PIXELS (1 << 26)

static void *timer;
static int64_t (*clock_get_ns)(int type);
static void (*timer_init)(void *timer, void *group, int type, int scale, int attributes, void (*call)(void *), void *data);
static void (*timer_mod)(void *timer, int64_t ns);
static void *(*display)(unsigned number);
static void (*update)(void *display);
static void *(*surface_of)(void *display);
static void *(*find_chardev)(const char *name);
static int (*write_chardev)(void *chardev, const uint8_t *text, int length, bool all);
static uint8_t *(*image_data)(void *image);
static int (*image_width)(void *image), (*image_height)(void *image), (*image_stride)(void *image);
static uint32_t (*image_format)(void *image);
static int64_t (*icount_raw)(void);
/* Of the stamp plugin (stamp-line.c). */
static void (*stamp_line)(void (*print)(const char *text), const char *text, uint64_t ns, uint64_t insns);

static uint8_t *picture;
static int picture_width, picture_height;
static const char *screen_path;
static uint64_t screen_digest;
static unsigned n_looks;

/* What QEMU has drawn: pixman's image, of 2 or 4 bytes a pixel. */
struct screen {
    const uint8_t *data;
    int width, height, stride, bytes;
};

/* Of pixman's formats: the bits a pixel stand in the top byte, those of its colours below (pixman.h: PIXMAN_FORMAT). */
#define FORMAT_X8R8G8B8 0x20020888u
#define FORMAT_A8R8G8B8 0x20028888u
#define FORMAT_R5G6B5 0x10020565u

/* QEMU before 9 has the format in front of the image (include/ui/surface.h): a number of 32 bits, never a pointer. */
static void *image_of(void *surface)
{
    uintptr_t words[2];
    memcpy(words, surface, sizeof words);
    return (void *)(words[0] >> 32 ? words[0] : words[1]);
}

static bool look(void *shown, struct screen *screen)
{
    void *surface = surface_of(shown);
    void *image = surface ? image_of(surface) : NULL;
    if (!image)
        return false;
    uint32_t format = image_format(image);
    screen->bytes = format == FORMAT_R5G6B5 ? 2 : 4;
    screen->data = image_data(image);
    screen->width = image_width(image);
    screen->height = image_height(image);
    screen->stride = image_stride(image);
    return screen->data && (format == FORMAT_X8R8G8B8 || format == FORMAT_A8R8G8B8 || format == FORMAT_R5G6B5);
}

static inline void colours(const struct screen *screen, int x, int y, uint8_t rgb[3])
{
    const uint8_t *at = screen->data + (size_t)y * (size_t)screen->stride + (size_t)x * (size_t)screen->bytes;
    if (screen->bytes == 2) {
        unsigned value = at[0] | at[1] << 8;
        rgb[0] = (uint8_t)((value >> 11) * 255 / 31);
        rgb[1] = (uint8_t)((value >> 5 & 63) * 255 / 63);
        rgb[2] = (uint8_t)((value & 31) * 255 / 31);
        return;
    }
    /* A word of the host, which is little endian wherever bootlab's plugins run. */
    rgb[0] = at[2];
    rgb[1] = at[1];
    rgb[2] = at[0];
}

static bool shows_picture(const struct screen *screen)
{
    int left = (screen->width - picture_width) / 2, top = (screen->height - picture_height) / 2;
    if (screen->width < picture_width || screen->height < picture_height)
        return false;
    const uint8_t *wanted = picture;
    for (int y = 0; y < picture_height; y++)
        for (int x = 0; x < picture_width; x++, wanted += 3) {
            uint8_t rgb[3];
            colours(screen, left + x, top + y, rgb);
            for (int i = 0; i < 3; i++)
                if (abs(rgb[i] - wanted[i]) > TOLERANCE)
                    return false;
        }
    return true;
}

static uint64_t digest_of(const struct screen *screen)
{
    uint64_t digest = 14695981039346656037u; /* FNV-1a */
    for (int y = 0; y < screen->height; y++)
        for (int i = 0; i < screen->width * screen->bytes; i++)
            digest = (digest ^ screen->data[(size_t)y * (size_t)screen->stride + (size_t)i]) * 1099511628211u;
    return digest;
}

static void keep_screen(const struct screen *screen)
{
    uint64_t digest = digest_of(screen);
    if (digest == screen_digest)
        return;
    screen_digest = digest;
    FILE *file = fopen(screen_path, "wbe");
    if (!file)
        return; /* only what a failed boot is looked at by */
    fprintf(file, "P6\n%d %d\n255\n", screen->width, screen->height);
    for (int y = 0; y < screen->height; y++)
        for (int x = 0; x < screen->width; x++) {
            uint8_t rgb[3];
            colours(screen, x, y, rgb);
            fwrite(rgb, 1, sizeof rgb, file);
        }
    fclose(file);
}

static void print(const char *text)
{
    void *console = find_chardev("console");
    if (console)
        write_chardev(console, (const uint8_t *)text, (int)strlen(text), true);
}

static void say(const char *text)
{
    stamp_line(print, text, (uint64_t)clock_get_ns(QEMU_CLOCK_VIRTUAL), (uint64_t)icount_raw());
}

static void on_time(void *data)
{
    (void)data;
    struct screen screen;
    void *shown = display(0);
    if (!shown) {
        say("\r\nbootlab: the machine has no screen\r\n");
        return;
    }
    update(shown);
    if (look(shown, &screen)) {
        if (shows_picture(&screen)) {
            say("\r\nbootlab: picture shown\r\n");
            return;
        }
        if (n_looks++ % LOOKS_A_SCREEN == 0)
            keep_screen(&screen);
    }
    timer_mod(timer, clock_get_ns(QEMU_CLOCK_VIRTUAL) + LOOK_NS);
}

/* A number of a PPM's head, behind blanks and comments; -1: there is none. */
static int number(FILE *file)
{
    int c = getc(file);
    while (isspace(c) || c == '#') {
        while (c == '#' && (c = getc(file)) != '\n' && c != EOF)
            c = '#';
        c = c == EOF ? EOF : getc(file);
    }
    if (!isdigit(c))
        return -1;
    int value = 0;
    for (; isdigit(c) && value < MOST_PIXELS; c = getc(file))
        value = value * 10 + (c - '0');
    return value; /* the one blank behind it is read, too */
}

static const char *read_picture(const char *path)
{
    FILE *file = fopen(path, "rbe");
    if (!file)
        return "cannot read the picture";
    bool is_ppm = getc(file) == 'P' && getc(file) == '6';
    picture_width = is_ppm ? number(file) : -1;
    picture_height = is_ppm ? number(file) : -1;
    const char *why = "the picture is no PPM of the form P6 with 255 as its largest value";
    if (picture_width > 0 && picture_height > 0 && picture_width <= MOST_PIXELS / picture_height && number(file) == 255) {
        size_t bytes = 3 * (size_t)picture_width * (size_t)picture_height;
        picture = malloc(bytes);
        why = picture && fread(picture, 1, bytes, file) == bytes ? NULL : "the picture was cut off";
    }
    fclose(file);
    return why;
}

QEMU_PLUGIN_EXPORT int qemu_plugin_install(qemu_plugin_id_t id, const qemu_info_t *info, int argc, char **argv)
{
    (void)id;
    (void)info;
    const char *path = NULL;
    for (int i = 0; i < argc; i++) {
        if (!strncmp(argv[i], "picture=", 8))
            path = argv[i] + 8;
        else if (!strncmp(argv[i], "screen=", 7))
            screen_path = strdup(argv[i] + 7);
        else if (strncmp(argv[i], "digest=", 7))
            return refuse("unknown argument");
    }
    if (!path || !screen_path)
        return refuse("picture= and screen= are needed");
    const struct qemu_function wanted[] = {
        {"qemu_clock_get_ns", &clock_get_ns},
        {"timer_init_full", &timer_init},
        {"timer_mod_ns", &timer_mod},
        {"qemu_console_lookup_by_index", &display},
        {"qemu_console_surface", &surface_of},
        {"qemu_chr_find", &find_chardev},
        {"qemu_chr_write", &write_chardev},
        {"pixman_image_get_data", &image_data},
        {"pixman_image_get_width", &image_width},
        {"pixman_image_get_height", &image_height},
        {"pixman_image_get_stride", &image_stride},
        {"pixman_image_get_format", &image_format},
        {"icount_get_raw", &icount_raw},
        {"bootlab_stamp_line", &stamp_line},
    };
    const struct qemu_function newest[] = {{"qemu_console_hw_update", &update}};
    const struct qemu_function older[] = {{"graphic_hw_update", &update}};
    const char *why = qemu_find(QEMU_FUNCTIONS(wanted));
    if (!why && qemu_find(QEMU_FUNCTIONS(newest)))
        why = qemu_find(QEMU_FUNCTIONS(older));
    if (!why)
        why = read_picture(path);
    if (why)
        return refuse(why);
    timer = calloc(1, TIMER_BYTES);
    if (!timer)
        return refuse("no memory");
    timer_init(timer, NULL, QEMU_CLOCK_VIRTUAL, SCALE_NS, 0, on_time, NULL);
    timer_mod(timer, LOOK_NS);
    return 0;
}
