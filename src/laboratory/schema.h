/* SPDX-License-Identifier: MIT */
/* The tables of a database of results, and how a file is known to be one. */
#ifndef LABORATORY_SCHEMA_H
#define LABORATORY_SCHEMA_H

enum { SCHEMA_APPLICATION = 0x57544e4b, SCHEMA_VERSION = 3 };

/* From this version on a file has profiles. One of the version before is read without them, and is
 * given their tables when it is written to. */
enum { SCHEMA_WITH_PROFILES = 3 };

/* Makes all tables and views in an empty file. */
extern const char schema_sql[];
/* Of these, what version SCHEMA_WITH_PROFILES has beyond the one before. */
extern const char schema_profile_sql[];

#endif
