/* SPDX-License-Identifier: MIT */
#include "machine/yaml_load.h"

/* Its place in the text, as far as it has been read. */
struct yaml_place {
    unsigned depth;
    bool is_behind; /* the first document */
};

static bool is_content(yaml_event_type_t type)
{
    return type != YAML_STREAM_START_EVENT && type != YAML_STREAM_END_EVENT &&
           type != YAML_DOCUMENT_START_EVENT && type != YAML_DOCUMENT_END_EVENT;
}

static bool not_yaml(const yaml_parser_t *parser, const char *path, struct diagnosis *diagnosis)
{
    diagnose(diagnosis, "this is not YAML: %s",
             parser->problem != NULL ? parser->problem : "unreadable");
    return diagnose_at(diagnosis, path, (int)parser->problem_mark.line + 1);
}

static bool more_text(const char *path, size_t line, struct diagnosis *diagnosis)
{
    diagnose(diagnosis, "there is more text behind the document");
    diagnose_hint(diagnosis, "a file is one document; '...' and '---' end it");
    return diagnose_at(diagnosis, path, (int)line + 1);
}

static bool check_event(struct yaml_place *place, const yaml_event_t *event, const char *path,
                        struct diagnosis *diagnosis)
{
    if (place->is_behind && is_content(event->type))
        return more_text(path, event->start_mark.line, diagnosis);
    if (event->type == YAML_DOCUMENT_END_EVENT)
        place->is_behind = true;
    if (event->type == YAML_SEQUENCE_START_EVENT || event->type == YAML_MAPPING_START_EVENT)
        place->depth++;
    if (event->type == YAML_SEQUENCE_END_EVENT || event->type == YAML_MAPPING_END_EVENT)
        place->depth--;
    if (place->depth <= YAML_DEPTH_MAX)
        return true;
    diagnose(diagnosis, "more than %d lists and mappings inside each other", YAML_DEPTH_MAX);
    return diagnose_at(diagnosis, path, (int)event->start_mark.line + 1);
}

/* What stands behind the first document need not be YAML to be refused. */
static bool check_events(yaml_parser_t *parser, const char *path, struct diagnosis *diagnosis)
{
    struct yaml_place place = {0};
    bool is_good = true, is_over = false;

    while (is_good && !is_over) {
        yaml_event_t event;

        if (yaml_parser_parse(parser, &event) == 0)
            return place.is_behind ? more_text(path, parser->problem_mark.line, diagnosis)
                                   : not_yaml(parser, path, diagnosis);
        is_over = event.type == YAML_STREAM_END_EVENT;
        is_good = check_event(&place, &event, path, diagnosis);
        yaml_event_delete(&event);
    }
    return is_good;
}

static bool check_text(const char *path, const char *text, size_t bytes,
                       struct diagnosis *diagnosis)
{
    yaml_parser_t parser;
    bool is_good;

    if (!yaml_parser_initialize(&parser))
        return diagnose(diagnosis, "the YAML parser cannot start");
    yaml_parser_set_input_string(&parser, (const unsigned char *)text, bytes);
    is_good = check_events(&parser, path, diagnosis);
    yaml_parser_delete(&parser);
    return is_good;
}

bool yaml_load(yaml_document_t *document, const char *path, const char *text, size_t bytes,
               struct diagnosis *diagnosis)
{
    yaml_parser_t parser;
    bool is_good;

    if (!check_text(path, text, bytes, diagnosis))
        return false;
    if (!yaml_parser_initialize(&parser))
        return diagnose(diagnosis, "the YAML parser cannot start");
    yaml_parser_set_input_string(&parser, (const unsigned char *)text, bytes);
    is_good = yaml_parser_load(&parser, document) != 0 || not_yaml(&parser, path, diagnosis);
    yaml_parser_delete(&parser);
    return is_good;
}
