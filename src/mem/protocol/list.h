/* SPDX-License-Identifier: MIT */
/* The protocols that a machine may have, and those of them that have parameters. */
#ifndef MEM_PROTOCOL_LIST_H
#define MEM_PROTOCOL_LIST_H

#include "mem/protocol/moesi/parameters.h"
#include "mem/protocol/nmoesi/parameters.h"
#include "mem/protocol/scoped/parameters.h"
#include "mem/protocol/si/parameters.h"

#define PROTOCOLS(X) X(si) X(moesi) X(nmoesi) X(qr) X(rsp) X(srsp) X(srsp_paper)

/* Groups that one or several have. X(name, help): struct NAME_parameters, NAME_parameters[],
 * NAME_parameter_count. */
#define PROTOCOL_PARAMETERS(X)                                                                     \
    X(si, "the protocol SI (gpu.protocol=si)")                                                     \
    X(moesi, "the protocol MOESI (gpu.protocol=moesi)")                                            \
    X(nmoesi, "the protocol NMOESI (gpu.protocol=nmoesi)")                                         \
    X(scoped, "the scoped protocols (gpu.protocol=qr, rsp, srsp, srsp-paper)")

#endif
