/* SPDX-License-Identifier: MIT */
#include "laboratory/slurm.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/text.h"
#include "laboratory/words.h"

enum { POINTS_A_TASK = 4, TASKS_MAX = 100, ANSWER_BYTES = 256 };

/* ---- sbatch ---- */

_Noreturn static void become_sbatch(char **words, int answer)
{
    dup2(answer, 1);
    execvp(words[0], words);
    _exit(127);
}

/* Runs it, and takes its first line. */
static bool run_sbatch(const struct words *words, char answer[ANSWER_BYTES],
                       struct diagnosis *diagnosis)
{
    int ends[2], status = -1;
    size_t count = 0;
    ssize_t got;
    pid_t process;

    answer[0] = '\0';
    if (pipe(ends) != 0)
        return diagnose(diagnosis, "no pipe: %s", strerror(errno));
    fflush(NULL);
    process = fork();
    if (process == 0)
        become_sbatch(words->list, ends[1]);
    close(ends[1]);
    while (count + 1 < ANSWER_BYTES &&
           (got = read(ends[0], answer + count, ANSWER_BYTES - 1 - count)) > 0)
        count += (size_t)got;
    close(ends[0]);
    answer[count] = '\0';
    answer[strcspn(answer, ";\n")] = '\0'; /* "NUMBER;CLUSTER" */
    if (process < 0 || waitpid(process, &status, 0) != process)
        return diagnose(diagnosis, "sbatch cannot be started: %s", strerror(errno));
    if (WIFEXITED(status) && WEXITSTATUS(status) == 127) {
        diagnose(diagnosis, "there is no program sbatch: this is no machine of a Slurm cluster");
        return diagnose_hint(diagnosis, "for other schedulers: `wavetank sweep --shard I/N`, then "
                                        "`wavetank merge`");
    }
    if (answer[0] == '\0')
        return diagnose(diagnosis, "sbatch refused the jobs (status %d)", WEXITSTATUS(status));
    return true; /* with --wait the status is the job's */
}

/* A word as a shell reads it back. */
static void add_quoted(struct text *line, const char *word)
{
    text_add(line, "'");
    for (; *word != '\0'; word++)
        text_add(line, *word == '\'' ? "'\\''" : "%c", *word);
    text_add(line, "'");
}

/* The path as all nodes know it. The caller frees. */
static char *whole_path(const char *path)
{
    char folder[PATH_MAX];

    if (path[0] == '/' || getcwd(folder, sizeof folder) == NULL)
        return copy_string(path);
    return format_string("%s/%s", folder, path);
}

struct submission {
    const struct slurm_options *options;
    char *plan, *output, *parts; /* whole paths */
    unsigned tasks;
    struct diagnosis *diagnosis;
};

static void begin_words(struct words *words, const struct submission *submission)
{
    words_add_copy(words, "sbatch");
    for (char **word = submission->options->words; *word != NULL; word++)
        words_add_copy(words, *word);
    words_add_copy(words, "--parsable");
}

/* What each task of the array does. */
static void add_sweep(struct words *words, const struct submission *submission)
{
    struct text line = {0};

    text_add(&line, "exec ");
    add_quoted(&line, submission->options->sweep->executable);
    text_add(&line, " sweep ");
    add_quoted(&line, submission->plan);
    text_add(&line, " -o ");
    add_quoted(&line, submission->parts);
    text_add(&line,
             "/\"$SLURM_ARRAY_TASK_ID\"-of-%u.db --shard \"$SLURM_ARRAY_TASK_ID\"/%u --no-progress"
             " -j \"${SLURM_CPUS_PER_TASK:-1}\" --known ",
             submission->tasks, submission->tasks);
    add_quoted(&line, submission->output);
    words_add_copy(words, "--wrap");
    words_add_copy(words, text_chars(&line));
    text_finish(&line);
}

static void add_merge(struct words *words, const struct submission *submission)
{
    struct text line = {0};

    text_add(&line, "exec ");
    add_quoted(&line, submission->options->sweep->executable);
    text_add(&line, " merge ");
    add_quoted(&line, submission->output);
    text_add(&line, " ");
    add_quoted(&line, submission->parts);
    text_add(&line, "/*.db");
    words_add_copy(words, "--wrap");
    words_add_copy(words, text_chars(&line));
    text_finish(&line);
}

static bool submission_submit(struct submission *submission)
{
    struct words words = {0};
    char array[ANSWER_BYTES], merge[ANSWER_BYTES];
    bool is_good;

    begin_words(&words, submission);
    words_add_copy(&words, "--job-name=wavetank");
    words_add(&words, format_string("--array=1-%u", submission->tasks));
    words_add(&words,
              format_string("--output=%s/%%a-of-%u.log", submission->parts, submission->tasks));
    add_sweep(&words, submission);
    is_good = run_sbatch(&words, array, submission->diagnosis);
    words_finish(&words);
    if (!is_good)
        return false;
    begin_words(&words, submission);
    words_add_copy(&words, "--job-name=wavetank-merge");
    words_add(&words, format_string("--dependency=afterany:%s", array));
    words_add(&words, format_string("--output=%s/merge.log", submission->parts));
    if (submission->options->waits)
        words_add_copy(&words, "--wait");
    add_merge(&words, submission);
    if (!submission->options->sweep->is_quiet)
        fprintf(stderr, "wavetank: job %s: %u tasks, databases and logs in %s\n", array,
                submission->tasks, submission->parts);
    is_good = run_sbatch(&words, merge, submission->diagnosis);
    words_finish(&words);
    if (is_good && !submission->options->sweep->is_quiet && !submission->options->waits)
        fprintf(stderr, "wavetank: job %s merges them into %s\n", merge, submission->output);
    return is_good;
}

/* ---- What is open ---- */

struct tally {
    unsigned open, failed;
};

/* Counts points of the plan that are not done, and those of them that failed. */
static bool count_open(const char *path, const struct plan *plan, const struct points *points,
                       bool records, struct tally *tally, struct diagnosis *diagnosis)
{
    struct database database;
    int64_t number;
    bool is_good = database_open(&database, path, DATABASE_CREATE, diagnosis) &&
                   (!records || database_add_plan(&database, plan, points, &number, diagnosis));

    *tally = (struct tally){0};
    for (unsigned i = 0; i < points->count && is_good; i++) {
        enum point_state state = POINT_OPEN;

        is_good = database_state(&database, points->list[i].key, &state, diagnosis);
        tally->open += state != POINT_DONE;
        tally->failed += state == POINT_FAILED;
    }
    database_close(&database);
    return is_good;
}

static enum sweep_result tell_end(const struct plan *plan, const struct points *points,
                                  struct submission *submission)
{
    struct tally tally;

    if (!count_open(submission->output, plan, points, false, &tally, submission->diagnosis))
        return SWEEP_LOST;
    if (!submission->options->sweep->is_quiet)
        fprintf(stderr, "wavetank: %s: %u points done, %u failed, %u open\n", submission->output,
                points->count - tally.open, tally.failed, tally.open - tally.failed);
    return tally.open == 0 ? SWEEP_DONE : SWEEP_FAILED_POINTS;
}

static enum sweep_result submit_open(const struct plan *plan, const struct points *points,
                                     struct submission *submission, unsigned open)
{
    unsigned tasks = submission->options->tasks;

    if (tasks == 0)
        tasks = (open + POINTS_A_TASK - 1) / POINTS_A_TASK;
    submission->tasks = tasks < TASKS_MAX || submission->options->tasks > 0 ? tasks : TASKS_MAX;
    if (submission->tasks > points->count)
        submission->tasks = points->count;
    if (mkdir(submission->parts, 0777) != 0 && errno != EEXIST) {
        diagnose(submission->diagnosis, "%s: %s", submission->parts, strerror(errno));
        return SWEEP_REFUSED;
    }
    if (!submission_submit(submission))
        return SWEEP_REFUSED;
    return submission->options->waits ? tell_end(plan, points, submission) : SWEEP_DONE;
}

enum sweep_result slurm_submit(const struct plan *plan, const struct points *points,
                               const struct slurm_options *options, struct diagnosis *diagnosis)
{
    struct submission submission = {.options = options, .diagnosis = diagnosis};
    enum sweep_result result = SWEEP_REFUSED;
    struct tally tally;

    submission.plan = whole_path(plan->path);
    submission.output = whole_path(options->sweep->output);
    submission.parts = format_string("%s.parts", submission.output);
    if (count_open(submission.output, plan, points, true, &tally, diagnosis))
        result = tally.open == 0 ? tell_end(plan, points, &submission)
                                 : submit_open(plan, points, &submission, tally.open);
    free(submission.plan);
    free(submission.output);
    free(submission.parts);
    return result;
}
