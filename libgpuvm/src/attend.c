/* SPDX-License-Identifier: MIT */
#include "attend.h"

#include "context.h"
#include "service.h"
#include "transfer.h"

#include <fcntl.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define LINGER_NS 30000   /* faults closer than this are waited for awake */
#define MOST_CLOSE 8      /* how many close faults are remembered, */
#define START_CLOSE 6     /* how many start lingering, */
#define STOP_CLOSE 2      /* and how few end it */
#define STALE_MS 10       /* what was learnt about a thread's processor is not trusted longer */
#define FAULTS_BEFORE 8   /* in a row of one thread, before it is followed */
#define FAULTS_BETWEEN 16 /* until one looks again where it is */
#define MOST_STRAYS 4     /* a thread found elsewhere so often in a row is not followed, */
#define FAULTS_OFF 1024   /* for so many faults */

struct attendant {
    struct context *context;
    cpu_set_t home; /* where this thread may run while it is not narrow */
    uint64_t served_ns;
    unsigned close; /* how many faults of late came close upon the one before */
    bool is_lingering;

    int thread; /* whose faults it served last */
    int stat_fd;
    int processor;  /* where that thread is, -1: not known */
    bool is_narrow; /* the service thread may run there alone */
    unsigned faults, strays, off;
};

/* (initial-exec: faults that are served in a signal's handler ask, too.) */
static __thread struct attendant *mine __attribute__((tls_model("initial-exec")));

/* ---- Following ---- */

static void widen(struct attendant *self)
{
    if (self->is_narrow)
        sched_setaffinity(0, sizeof(self->home), &self->home);
    self->is_narrow = false;
}

static void narrow(struct attendant *self)
{
    cpu_set_t one;
    CPU_ZERO(&one);
    CPU_SET((size_t)self->processor, &one);
    self->is_narrow = !sched_setaffinity(0, sizeof(one), &one);
}

static void forget(struct attendant *self)
{
    widen(self);
    if (self->stat_fd >= 0)
        close(self->stat_fd);
    self->stat_fd = -1;
    self->thread = 0;
    self->processor = -1;
    self->faults = self->strays = self->off = 0;
}

/* The processor that the thread ran on last: field 39 of its stat (proc(5)), 37 after the name. */
static int find_processor(struct attendant *self)
{
    char text[1024], path[64];
    if (self->stat_fd < 0) {
        snprintf(path, sizeof(path), "/proc/self/task/%d/stat", self->thread);
        self->stat_fd = open(path, O_RDONLY | O_CLOEXEC);
    }
    ssize_t length = self->stat_fd < 0 ? -1 : pread(self->stat_fd, text, sizeof(text) - 1, 0);
    text[length > 0 ? length : 0] = 0;
    const char *at = strrchr(text, ')');
    for (int field = 2; at && field < 39; field++)
        at = strchr(at + 1, ' ');
    long processor = at ? strtol(at, NULL, 10) : -1;
    bool is_home =
        processor >= 0 && processor < CPU_SETSIZE && CPU_ISSET((size_t)processor, &self->home);
    return is_home ? (int)processor : -1;
}

static void look_for(struct attendant *self)
{
    int before = self->processor;
    if (!self->is_narrow && sched_getaffinity(0, sizeof(self->home), &self->home))
        return; /* more processors than we can name */
    self->processor = find_processor(self);
    self->strays = before >= 0 && self->processor != before ? self->strays + 1 : 0;
    if (self->strays >= MOST_STRAYS) {
        self->strays = 0;
        self->processor = -1;
        self->off = FAULTS_OFF;
    }
    if (self->processor != before)
        widen(self);
}

static void follow(struct attendant *self, int thread)
{
    if (!thread || thread != self->thread) {
        forget(self);
        self->thread = thread;
        return;
    }
    if (self->off) {
        self->off--;
        return;
    }
    self->faults++;
    if (self->faults >= FAULTS_BEFORE &&
        (self->processor < 0 || self->strays || self->faults % FAULTS_BETWEEN == 0))
        look_for(self);
    if (self->processor >= 0 && !self->is_narrow)
        narrow(self);
}

/* ---- Both ---- */

static void linger(struct attendant *self, bool is_lingering)
{
    if (is_lingering == self->is_lingering)
        return;
    self->is_lingering = is_lingering;
    service_share(self->context, !is_lingering);
    if (is_lingering)
        forget(self);
}

void attend_start(struct context *context)
{
    static struct attendant self; /* one service at a time */
    self = (struct attendant){.context = context, .stat_fd = -1, .processor = -1};
    if (sched_getaffinity(0, sizeof(self.home), &self.home) || CPU_COUNT(&self.home) < 2)
        return; /* one processor: nothing to choose */
    mine = &self;
}

void attend_stop(void)
{
    if (!mine)
        return;
    linger(mine, false);
    forget(mine);
    mine = NULL;
}

int attend_patience(void)
{
    if (!mine)
        return -1;
    if (mine->is_lingering)
        return 0;
    return mine->is_narrow ? STALE_MS : -1;
}

void attend_nothing(void)
{
    if (mine->is_narrow)
        forget(mine);
    else if (mine->is_lingering && now_ns() - mine->served_ns > LINGER_NS)
        linger(mine, false);
}

void attend_fault(void)
{
    if (!mine)
        return;
    if (now_ns() - mine->served_ns > LINGER_NS)
        mine->close -= mine->close > 0;
    else
        mine->close += mine->close < MOST_CLOSE;
}

void attend_served(int thread)
{
    if (!mine)
        return;
    mine->served_ns = now_ns();
    if (!mine->is_narrow || mine->strays) /* following fails where it moves at each fault */
        linger(mine, mine->close >= (mine->is_lingering ? STOP_CLOSE + 1 : START_CLOSE));
    if (!mine->is_lingering)
        follow(mine, thread);
}

void attend_elsewhere(void)
{
    if (!mine)
        return;
    linger(mine, false);
    widen(mine);
}
