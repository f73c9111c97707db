/* SPDX-License-Identifier: MIT */
#include "edges.h"

#include <stdlib.h>
#include <string.h>

static size_t tail_offset(const struct array *array)
{
    return array->bytes - array->tail_bytes;
}

/* Large ones, which only refused arrays have, are always copied. */
static bool has_shadow(const struct array *array)
{
    return array_edge_bytes(array) <= SHADOW_BYTES;
}

static bool equals_shadow(const struct array *array)
{
    return array->shadow && !memcmp(array->shadow, array->host, array->head_bytes) &&
           !memcmp(array->shadow + array->head_bytes, array->host + tail_offset(array),
                   array->tail_bytes);
}

static void update_shadow(struct array *array)
{
    if (!array->shadow)
        array->shadow = malloc(array_edge_bytes(array)); /* without one they are copied each time */
    if (!array->shadow)
        return;
    memcpy(array->shadow, array->host, array->head_bytes);
    memcpy(array->shadow + array->head_bytes, array->host + tail_offset(array), array->tail_bytes);
}

static int add_both(struct batch *batch, struct array *array, struct link *link)
{
    int error = batch_add(batch, array, link, 0, array->head_bytes, array->host);
    return error ? error
                 : batch_add(batch, array, link, tail_offset(array), array->tail_bytes,
                             array->host + tail_offset(array));
}

static int add_if_different(struct batch *batch, struct array *array, struct link *link,
                            size_t offset, size_t bytes)
{
    fetch_ahead(link->reach + offset, bytes);
    fetch_ahead(array->host + offset, bytes);
    if (!memcmp(link->reach + offset, array->host + offset, bytes))
        return 0;
    return batch_add(batch, array, link, offset, bytes, array->host + offset);
}

int edges_add_upload(struct batch *batch, struct array *array, struct link *link)
{
    if (link->reach) {
        int error = add_if_different(batch, array, link, 0, array->head_bytes);
        return error ? error
                     : add_if_different(batch, array, link, tail_offset(array), array->tail_bytes);
    }
    if (!array_edge_bytes(array))
        return 0;
    if (has_shadow(array) && !equals_shadow(array)) {
        for (unsigned i = 0; i < array->link_count; i++)
            array->links[i].are_edges_valid = false;
        update_shadow(array);
    }
    if (array->shadow && link->are_edges_valid)
        return 0;
    return add_both(batch, array, link);
}

void edges_uploaded(struct array *array, struct link *link)
{
    link->are_edges_valid = true;
}

int edges_add_download(struct batch *batch, struct array *array, struct link *link)
{
    return add_both(batch, array, link);
}

void edges_downloaded(struct array *array, struct link *link)
{
    for (unsigned i = 0; i < array->link_count; i++)
        array->links[i].are_edges_valid = &array->links[i] == link;
    if (!link->reach && array_edge_bytes(array) && has_shadow(array))
        update_shadow(array);
}
