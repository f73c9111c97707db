/* SPDX-License-Identifier: MIT */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <xxhash.h>

#include "base/check.h"
#include "laboratory/inputs.h"

static bool add_file(XXH3_state_t *state, const char *path, struct diagnosis *diagnosis)
{
    FILE *stream = fopen(path, "rbe");
    char bytes[65536];
    size_t count;
    uint64_t total = 0;
    bool is_good;

    if (stream == NULL)
        return diagnose(diagnosis, "%s: %s", path, strerror(errno));
    while ((count = fread(bytes, 1, sizeof bytes, stream)) > 0) {
        XXH3_128bits_update(state, bytes, count);
        total += count;
    }
    XXH3_128bits_update(state, &total, sizeof total);
    is_good = !ferror(stream) || diagnose(diagnosis, "%s: %s", path, strerror(errno));
    fclose(stream);
    return is_good;
}

bool files_hash(const char *const *paths, unsigned count, char hash[KEY_BYTES],
                struct diagnosis *diagnosis)
{
    XXH3_state_t *state = XXH3_createState();
    XXH128_hash_t value;
    bool is_good = true;

    check(state != NULL, "no memory for a hash");
    XXH3_128bits_reset(state);
    for (unsigned i = 0; i < count && is_good; i++)
        is_good = add_file(state, paths[i], diagnosis);
    value = XXH3_128bits_digest(state);
    XXH3_freeState(state);
    snprintf(hash, KEY_BYTES, "%016llx%016llx", (unsigned long long)value.high64,
             (unsigned long long)value.low64);
    return is_good;
}
