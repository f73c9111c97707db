/* SPDX-License-Identifier: MIT */
/* `wavetank verify -o`: the values of a protocol's own parameters. */
#ifndef CLI_VERIFY_PARAMETERS_H
#define CLI_VERIFY_PARAMETERS_H

#include "base/diagnosis.h"
#include "mem/protocol.h"

#define VERIFY_PARAMETER_ROWS                                                                      \
    {"--gpu", "NAME|FILE", "the GPU whose parameters of the protocol are taken (default hd7970)"}, \
    {                                                                                              \
        "-o", "PATH=VALUE",                                                                        \
            "sets one of them, for example -o moesi.owner_writes_back=1; of --litmus any of that " \
            "GPU"                                                                                  \
    }
enum { VERIFY_PARAMETER_OPTIONS = 2 };

struct verify_parameters;

struct verify_parameters *verify_parameters_create(void);
void verify_parameters_destroy(struct verify_parameters *parameters);
/* Takes option `index` if it is one of these. */
bool verify_parameters_take(struct verify_parameters *parameters, int index, const char *value);
/* Sets "path=value", unless the path is set already; NULL: nothing. Whether it did. */
bool verify_parameters_need(struct verify_parameters *parameters, const char *setting);
/* What is set: "path=value"; NULL-terminated, borrowed. */
const char *const *verify_parameters_set(const struct verify_parameters *parameters);
/* Sets protocol->parameters to the values, which live as long as `parameters`. False and a
 * diagnosis where one is wrong, or, with `only_its_own`, is no parameter of this protocol. */
bool verify_parameters_apply(struct verify_parameters *parameters, struct protocol *protocol,
                             bool only_its_own, struct diagnosis *diagnosis) MUST_USE;

#endif
