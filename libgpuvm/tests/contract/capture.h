/* SPDX-License-Identifier: MIT */
/* What the library prints on stderr, for a test to read. The texts are good until the next call. */
#ifndef CONTRACT_CAPTURE_H
#define CONTRACT_CAPTURE_H

/* From here on stderr goes to a file. */
void capture(void);
/* What there is so far. */
char *text_so_far(void);
/* The same; stderr is what it was. */
char *captured_text(void);

#endif
