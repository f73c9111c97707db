/* SPDX-License-Identifier: MIT */
/* Structs: by value, in arrays, nested, with arrays in them, and assigned whole. */
#include "show.h"

struct vector {
    double x, y, z;
};
typedef struct {
    struct vector place, speed;
    float mass;
    char kind;
    short tag[3];
} body;
union bits {
    float f;
    unsigned u;
};

static struct vector add(struct vector a, struct vector b, double f)
{
    return (struct vector){a.x + f * b.x, a.y + f * b.y, a.z + f * b.z};
}

int main(void)
{
    int n = 100;
    body *bodies = calloc(n, sizeof(body));
    unsigned *words = calloc(n, sizeof(unsigned));
    struct {
        double time;
        struct vector wind;
        int tags[3];
    } all = {0.125, {1, 2, 3}, {7, 8, 9}};
    for (int i = 0; i < n; i++)
        bodies[i] = (body){{i, 2 * i, i / 3.0}, {1, i, -i}, i / 7.0f, (char)i, {1, 2, 3}};
#pragma nuda parallel for
    for (int i = 0; i < n; i++) {
        body b = bodies[i], *p = &bodies[i];
        union bits u;
        p->place = add(b.place, b.speed, all.time);
        p->speed.x -= all.wind.z * b.mass;
        p->tag[1] += (short)(b.kind * 2 + all.tags[i % 3]);
        u.f = b.mass;
        words[i] = u.u ^ sizeof(body);
    }
    for (int i = 0; i < n; i += 33)
        printf("%a %a %a %d\n", bodies[i].place.x, bodies[i].place.z, bodies[i].speed.x,
               bodies[i].tag[1]);
    show("words", words, n * sizeof(*words));
    return 0;
}
