/* SPDX-License-Identifier: MIT */
/* The tables of a database of results, and how a file is known to be one. */
#ifndef LABORATORY_SCHEMA_H
#define LABORATORY_SCHEMA_H

enum { SCHEMA_APPLICATION = 0x57544e4b, SCHEMA_VERSION = 2 };

/* Makes all tables and views in an empty file. */
extern const char schema_sql[];

#endif
