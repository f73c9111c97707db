/* SPDX-License-Identifier: MIT */
/* Reading the text of a YAML file: one document, in which nothing is nested deeper than people
 * write. */
#ifndef MACHINE_YAML_LOAD_H
#define MACHINE_YAML_LOAD_H

#include <stdbool.h>
#include <stddef.h>
#include <yaml.h>

#include "base/diagnosis.h"

/* Lists and mappings inside each other. The parser takes time by its square. */
enum { YAML_DEPTH_MAX = 32 };

/* The caller deletes the document. False: the text is not YAML, has another document behind the
 * first, or is nested too deeply; the diagnosis names `path` and the line. */
bool yaml_load(yaml_document_t *document, const char *path, const char *text, size_t bytes,
               struct diagnosis *diagnosis) MUST_USE;

#endif
