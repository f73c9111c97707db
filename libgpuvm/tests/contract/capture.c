/* SPDX-License-Identifier: MIT */
#include "capture.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "contract.h"

static int saved_stderr, captured;

void capture(void)
{
    char path[] = "/tmp/gpuvm-contract-XXXXXX";

    captured = mkstemp(path);
    expect(captured >= 0);
    unlink(path);
    fflush(stderr);
    saved_stderr = dup(STDERR_FILENO);
    expect(dup2(captured, STDERR_FILENO) >= 0);
}

char *text_so_far(void)
{
    static char text[65536];
    ssize_t length = pread(captured, text, sizeof text - 1, 0);

    expect(length >= 0);
    text[length] = '\0';
    return text;
}

char *captured_text(void)
{
    char *text;

    fflush(stderr);
    expect(dup2(saved_stderr, STDERR_FILENO) >= 0);
    text = text_so_far();
    close(captured);
    return text;
}
