/* SPDX-License-Identifier: MIT */
/* Questions to the library, and calls that it must refuse without harm. */
#include "worker.h"

#include <string.h>
#include <unistd.h>

/* ---- What the library says of an array ---- */

static unsigned count_links(const struct array *array)
{
    unsigned links = 0;
    for (unsigned i = 0; i < fuzz.devices; i++)
        links += array->links[i].is_linked;
    return links;
}

static bool has_grown(const struct gpuvm_array_info *now, const struct gpuvm_array_info *before)
{
    return now->read_faults >= before->read_faults && now->write_faults >= before->write_faults &&
           now->tracking_faults >= before->tracking_faults &&
           now->fetched_bytes >= before->fetched_bytes &&
           now->bytes_to_device >= before->bytes_to_device &&
           now->bytes_from_device >= before->bytes_from_device;
}

/* The first rule that the information breaks; NULL: none. */
static const char *broken_rule(const struct array *array, const struct gpuvm_array_info *info)
{
    if (info->host != array_host(array) || info->bytes != array->bytes)
        return "the range";
    if (info->links != count_links(array))
        return "the number of links";
    if (info->page_bytes != (size_t)sysconf(_SC_PAGESIZE))
        return "the size of a page";
    if (info->pages * info->page_bytes > info->bytes)
        return "pages that are not in the array";
    if (info->host_pages > info->pages || info->tracked_pages > info->host_pages)
        return "host_pages or tracked_pages";
    if (info->eager && info->pages != 0)
        return "an eager array with protected pages";
    if (!has_grown(info, &array->info))
        return "a counter that went back";
    return NULL;
}

bool look_at_info(struct worker *worker)
{
    struct array *array = pick_array(worker, is_any);
    if (array == NULL)
        return false;
    bool is_read = !array_in_use(array) && dice_one_in(&worker->dice, 2);
    if (is_read) {
        note(worker, array, "host reads all");
        compare(worker, array->block, array->offset, array->bytes, "before gpuvm_array_info");
    }
    struct gpuvm_array_info info;
    void *inside = array_host(array) + dice_below(&worker->dice, array->bytes);
    expect(worker, array, "gpuvm_array_info", gpuvm_array_info(inside, &info), 0);
    const char *rule = broken_rule(array, &info);
    if (rule != NULL)
        fail(worker, array, "gpuvm_array_info: wrong: %s", rule);
    if (is_read && info.host_pages != info.pages)
        fail(worker, array, "gpuvm_array_info: the host has %zu of %zu pages after reading all",
             info.host_pages, info.pages);
    array->info = info;
    return true;
}

/* ---- Misuse ---- */

static void refuse_flags(struct worker *worker, struct array *array, unsigned device)
{
    static const int wrong[] = {0, GPUVM_ON_HOST, GPUVM_READ_WRITE | GPUVM_STAT, 1};
    int flags = wrong[dice_below(&worker->dice, 4)];
    expect(worker, array, "begin with wrong flags",
           gpuvm_kernel_begin(array_host(array), device, flags), GPUVM_EARG);
    expect(worker, array, "host_begin with wrong flags",
           gpuvm_host_begin(array_host(array), 1, flags), GPUVM_EARG);
}

static void refuse_device(struct worker *worker, struct array *array)
{
    void *host = array_host(array);
    unsigned device = fuzz.devices + (unsigned)dice_below(&worker->dice, 100);
    expect(worker, array, "begin, no such device",
           gpuvm_kernel_begin(host, device, GPUVM_READ_ONLY), GPUVM_EARG);
    expect(worker, array, "end, no such device", gpuvm_kernel_end(host, device), GPUVM_EARG);
    expect(worker, array, "unlink, no such device", gpuvm_unlink(host, device), GPUVM_EARG);
}

static void refuse_null(struct worker *worker, unsigned device)
{
    expect(worker, NULL, "begin of NULL", gpuvm_kernel_begin(NULL, device, GPUVM_READ_ONLY),
           GPUVM_ENULL);
    expect(worker, NULL, "end of NULL", gpuvm_kernel_end(NULL, device), GPUVM_ENULL);
    expect(worker, NULL, "unlink of NULL", gpuvm_unlink(NULL, device), 0);
    expect(worker, NULL, "link of NULL", gpuvm_link(NULL, 1, device, NULL, GPUVM_ON_HOST),
           GPUVM_ENULL);
}

/* The byte before the array, if no array holds it. */
static void refuse_outside(struct worker *worker, struct array *array, unsigned device)
{
    size_t at = array->offset - 1;
    const struct array *there = next_array(worker, array->block, at, is_any);
    if (array->offset == 0 || (there != NULL && there->offset <= at))
        return;
    unsigned char *host = array->block->host + at;
    expect(worker, array, "begin outside", gpuvm_kernel_begin(host, device, GPUVM_READ_ONLY),
           GPUVM_EHOSTPTR);
    expect(worker, array, "end outside", gpuvm_kernel_end(host, device), GPUVM_EHOSTPTR);
    expect(worker, array, "unlink outside", gpuvm_unlink(host, device), GPUVM_EHOSTPTR);
    if (gpuvm_xlate(host, device) != NULL)
        fail(worker, array, "gpuvm_xlate: a buffer for a byte outside");
    /* A range that is not the array's but overlaps it. */
    expect(worker, array, "link over another array",
           gpuvm_link(host, 2, device, host, GPUVM_ON_HOST), GPUVM_ERANGE);
}

static void refuse_state(struct worker *worker, struct array *array, unsigned device)
{
    void *host = array_host(array);
    const struct link *link = &array->links[device];
    if (!link->is_linked) {
        expect(worker, array, "begin without a link",
               gpuvm_kernel_begin(host, device, GPUVM_READ_ONLY), GPUVM_ENOLINK);
        expect(worker, array, "end without a link", gpuvm_kernel_end(host, device), GPUVM_ENOLINK);
        return;
    }
    if (link->depth == 0)
        expect(worker, array, "end without begin", gpuvm_kernel_end(host, device), GPUVM_ESTATE);
    else
        expect(worker, array, "unlink between begin and end", gpuvm_unlink(host, device),
               GPUVM_ESTATE);
    if (link->buffer != NULL)
        expect(worker, array, "second link on a device",
               gpuvm_link(host, array->bytes, device, link->buffer, GPUVM_ON_HOST), GPUVM_ELINK);
}

/* A writing use beside another device's use. */
static void refuse_sharing(struct worker *worker, struct array *array, unsigned device)
{
    bool is_elsewhere = false;
    for (unsigned i = 0; i < fuzz.devices; i++)
        is_elsewhere |= i != device && array->links[i].depth > 0;
    if (is_elsewhere && array->links[device].is_linked)
        expect(worker, array, "begin of a writing use while another device uses the array",
               gpuvm_kernel_begin(array_host(array), device, GPUVM_READ_WRITE), GPUVM_ESTATE);
}

bool misuse(struct worker *worker)
{
    struct array *array = pick_array(worker, is_any);
    unsigned device = (unsigned)dice_below(&worker->dice, fuzz.devices);
    if (array == NULL)
        return false;
    note(worker, array, "misuse, device %u", device);
    refuse_flags(worker, array, device);
    refuse_device(worker, array);
    refuse_null(worker, device);
    refuse_outside(worker, array, device);
    refuse_state(worker, array, device);
    refuse_sharing(worker, array, device);
    return true;
}

/* ---- The model's own ---- */

bool compare_everything(struct worker *worker)
{
    settle_checks(worker);
    note_all(worker, "host reads everything");
    compare_all(worker);
    return true;
}

bool drop_block(struct worker *worker)
{
    struct block *block = &worker->blocks[dice_below(&worker->dice, BLOCKS)];
    if (block->host == NULL || has_arrays(worker, block))
        return false;
    compare(worker, block, 0, block->bytes, "before memory is given back");
    release_block(block);
    return true;
}
