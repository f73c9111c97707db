/* SPDX-License-Identifier: MIT */
#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "graph.h"

/* A file being read: its lines, one after the other, and the edges so far. */
struct reader {
    const char *path;
    FILE *stream;
    char *line;
    size_t room;
    unsigned long number; /* of the line, from 1 */
    struct edge *edges;
    size_t count, edge_room;
    cl_uint vertices;
};

static void fail_at(const struct reader *reader, const char *what)
{
    workload_fail("%s:%lu: %s", reader->path, reader->number, what);
}

/* The next line that is no comment; false at the end. Lines may be of any length. */
static bool next_line(struct reader *reader, const char *comments)
{
    for (;;) {
        if (getline(&reader->line, &reader->room, reader->stream) < 0)
            return false;
        reader->number++;
        if (reader->line[0] == '\0' || strchr(comments, reader->line[0]) == NULL)
            return true;
    }
}

/* Takes a number from *text; false where the line has no more. */
static bool take_number(struct reader *reader, char **text, cl_uint *number)
{
    char *end;

    while (isspace((unsigned char)**text))
        (*text)++;
    if (**text == '\0')
        return false;
    errno = 0;
    unsigned long long value = strtoull(*text, &end, 10);
    if (end == *text || **text == '-' || errno != 0 || value > UINT32_MAX - 1 ||
        !(isspace((unsigned char)*end) || *end == '\0' || *end == '.'))
        fail_at(reader, "a number is expected");
    *number = (cl_uint)value;
    *text = end;
    return true;
}

static cl_uint want_number(struct reader *reader, char **text)
{
    cl_uint number = 0;

    if (!take_number(reader, text, &number))
        fail_at(reader, "a number is missing");
    return number;
}

static void add_edge(struct reader *reader, cl_uint from, cl_uint to, cl_uint weight)
{
    if (reader->count == reader->edge_room) {
        reader->edge_room = 2 * reader->edge_room + 1024;
        reader->edges = realloc(reader->edges, reader->edge_room * sizeof *reader->edges);
        if (reader->edges == NULL)
            workload_fail("no memory for the edges of %s", reader->path);
    }
    reader->edges[reader->count++] = (struct edge){from, to, weight};
}

/* A number of a vertex that counts from 1. */
static cl_uint want_vertex(struct reader *reader, char **text)
{
    cl_uint number = want_number(reader, text);

    if (number == 0 || number > reader->vertices)
        fail_at(reader, "there is no such vertex");
    return number - 1;
}

static void read_dimacs(struct reader *reader)
{
    char *text = reader->line + 1;

    text += strspn(text, " \t");
    if (strncmp(text, "sp", 2) != 0)
        fail_at(reader, "only problems of shortest paths are known: p sp VERTICES ARCS");
    text += 2;
    reader->vertices = want_number(reader, &text);
    while (next_line(reader, "c\n\r")) {
        text = reader->line + 1;
        if (reader->line[0] != 'a')
            fail_at(reader, "an arc is expected: a FROM TO WEIGHT");
        cl_uint from = want_vertex(reader, &text), to = want_vertex(reader, &text);
        add_edge(reader, from, to, want_number(reader, &text));
    }
}

/* The header is in the line. Its third number's digits say which weights there are: of vertices and of edges. */
static void read_metis(struct reader *reader)
{
    char *text = reader->line;
    cl_uint format = 0, weights_of_vertex = 0, edges;

    reader->vertices = want_number(reader, &text);
    edges = want_number(reader, &text);
    if (take_number(reader, &text, &format) && !take_number(reader, &text, &weights_of_vertex))
        weights_of_vertex = format / 10 % 10;
    for (cl_uint vertex = 0; vertex < reader->vertices; vertex++) {
        cl_uint weight = 1;

        if (!next_line(reader, "%"))
            fail_at(reader, "the file ends before its last vertex");
        text = reader->line;
        for (cl_uint i = 0; i < weights_of_vertex; i++)
            want_number(reader, &text);
        while (text[strspn(text, " \t\r\n")] != '\0') {
            cl_uint to = want_vertex(reader, &text);
            if (format % 10 == 1)
                weight = want_number(reader, &text);
            add_edge(reader, vertex, to, weight);
        }
    }
    if (reader->count != 2 * (size_t)edges)
        fail_at(reader, "the header tells of another number of edges");
}

/* The first edge is in the line. Vertices are numbered anew, in the order of their numbers. */
static void read_edges(struct reader *reader)
{
    do {
        char *text = reader->line;
        cl_uint from, to, weight = 1;

        if (!take_number(reader, &text, &from))
            continue;
        to = want_number(reader, &text);
        take_number(reader, &text, &weight);
        add_edge(reader, from, to, weight);
    } while (next_line(reader, "#%"));

    cl_uint max = 0;
    for (size_t i = 0; i < reader->count; i++) {
        max = reader->edges[i].from > max ? reader->edges[i].from : max;
        max = reader->edges[i].to > max ? reader->edges[i].to : max;
    }
    cl_uint *number = workload_allocate((size_t)max + 1, sizeof *number);
    memset(number, 0, ((size_t)max + 1) * sizeof *number);
    for (size_t i = 0; i < reader->count; i++)
        number[reader->edges[i].from] = number[reader->edges[i].to] = 1;
    for (size_t i = 0; i <= max; i++)
        number[i] = number[i] ? reader->vertices++ : 0;
    for (size_t i = 0; i < reader->count; i++) {
        reader->edges[i].from = number[reader->edges[i].from];
        reader->edges[i].to = number[reader->edges[i].to];
    }
    free(number);
}

/* Whether the first line is a METIS header: as many lines follow as it has vertices. */
static bool is_metis(struct reader *reader)
{
    long at = ftell(reader->stream);
    unsigned long number = reader->number, lines = 0;
    char *line = NULL;
    size_t room = 0;
    unsigned long long vertices = strtoull(reader->line, NULL, 10);

    while (getline(&line, &room, reader->stream) >= 0)
        lines += line[0] != '%';
    free(line);
    fseek(reader->stream, at, SEEK_SET);
    reader->number = number;
    return lines >= vertices && lines <= vertices + 1;
}

void graph_read(struct workload *workload, const char *path, struct graph *graph)
{
    struct reader reader = {.path = path, .stream = fopen(path, "r")};

    if (reader.stream == NULL)
        workload_fail("cannot read %s: %s", path, strerror(errno));
    if (!next_line(&reader, "c#%\n\r"))
        workload_fail("%s: there is no graph in it", path);
    if (reader.line[0] == 'p')
        read_dimacs(&reader);
    else if (is_metis(&reader))
        read_metis(&reader);
    else
        read_edges(&reader);
    fclose(reader.stream);
    free(reader.line);
    if (reader.vertices == 0)
        workload_fail("%s: a graph without vertices", path);
    graph_from_edges(workload, reader.vertices, reader.edges, reader.count, graph);
    free(reader.edges);
}
