/* SPDX-License-Identifier: MIT */
/*
 * The process around the driver: what the environment asks for, and how it ends. The test starts
 * itself again as a small OpenCL program with the environment in question. It looks at its exit
 * status, its standard error and its lines in the status file.
 */
#include <dirent.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "support.h"

/* ---- The program ---- */

static int run_kernel(void)
{
    const size_t global = 64;
    cl_kernel kernel = clCreateKernel(program, "place", NULL);
    cl_mem buffer = clCreateBuffer(context, 0, 64 * 16, NULL, NULL);
    cl_int status = clSetKernelArg(kernel, 0, sizeof buffer, &buffer);

    if (status == CL_SUCCESS)
        status = clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &global, NULL, 0, NULL, NULL);
    if (status == CL_SUCCESS)
        status = clFinish(queue);
    clReleaseKernel(kernel);
    clReleaseMemObject(buffer);
    return status == CL_SUCCESS ? 0 : 1;
}

/* A work-group with 20,000 bytes of local memory. */
static int run_large(void)
{
    const size_t size = 64;
    cl_kernel kernel = clCreateKernel(program, "group_sum", NULL);
    cl_mem buffer = clCreateBuffer(context, 0, 4096, NULL, NULL);
    cl_int status = clSetKernelArg(kernel, 0, sizeof buffer, &buffer) |
                    clSetKernelArg(kernel, 1, sizeof buffer, &buffer) |
                    clSetKernelArg(kernel, 2, 10000, NULL) | clSetKernelArg(kernel, 3, 10000, NULL);

    if (status == CL_SUCCESS)
        status = clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &size, &size, 0, NULL, NULL);
    return status == CL_SUCCESS && clFinish(queue) == CL_SUCCESS ? 0 : 43;
}

/* Writes one buffer from the mapped memory of another, which was asked for with
 * CL_MEM_ALLOC_HOST_PTR, and from ordinary memory. */
static int write_pinned(void)
{
    char ordinary[100];
    cl_int status;
    cl_mem pinned = clCreateBuffer(context, CL_MEM_ALLOC_HOST_PTR, 4096, NULL, &status);
    cl_mem buffer = clCreateBuffer(context, 0, 4096, NULL, &status);
    char *mapped = clEnqueueMapBuffer(queue, pinned, CL_TRUE, CL_MAP_WRITE_INVALIDATE_REGION, 0,
                                      4096, 0, NULL, NULL, &status);

    memset(ordinary, 1, sizeof ordinary);
    memset(mapped, 2, 4096);
    status |= clEnqueueWriteBuffer(queue, buffer, CL_TRUE, 0, 101, mapped + 50, 0, NULL, NULL);
    status |= clEnqueueWriteBuffer(queue, buffer, CL_TRUE, 0, 100, ordinary, 0, NULL, NULL);
    return status;
}

/* Runs a kernel in a child of a child, which then ends without a chance to clean up. */
static int run_in_grandchild(void)
{
    pid_t child = fork();

    if (child == 0) {
        if (fork() == 0)
            _exit(support_start_program(NULL) != 0 || run_kernel() != 0);
        wait(NULL);
        _exit(0);
    }
    waitpid(child, NULL, 0);
    return 0;
}

/* 0: as expected; 40: no context, because there is no device. */
static int program_main(const char *mode)
{
    cl_uint units = 0;
    cl_int status;

    clGetPlatformIDs(1, &platform, NULL);
    clGetDeviceIDs(platform, CL_DEVICE_TYPE_GPU, 1, &device, NULL);
    if (strcmp(mode, "units") == 0) {
        clGetDeviceInfo(device, CL_DEVICE_MAX_COMPUTE_UNITS, sizeof units, &units, NULL);
        return (int)units;
    }
    if (strcmp(mode, "look") == 0)
        return 0;
    if (strcmp(mode, "grandchild") == 0)
        return run_in_grandchild();
    clReleaseContext(clCreateContext(NULL, 1, &device, NULL, NULL, &status));
    if (status == CL_DEVICE_NOT_AVAILABLE)
        return 40;
    if (strcmp(mode, "context") == 0)
        return status;
    if (support_start_program(NULL) != 0)
        return 41;
    if (strcmp(mode, "pinned") == 0)
        return write_pinned();
    if (strcmp(mode, "large") == 0)
        return run_large();
    if (strcmp(mode, "interrupt") == 0)
        raise(SIGINT);
    if (run_kernel() != 0)
        return 42;
    if (strcmp(mode, "terminate") == 0)
        raise(SIGTERM);
    if (strcmp(mode, "fork") != 0 && strcmp(mode, "kernel") != 0)
        return run_kernel();
    if (strcmp(mode, "fork") == 0 && fork() == 0)
        exit(0);
    if (strcmp(mode, "fork") == 0)
        wait(NULL);
    return 0;
}

/* ---- The test ---- */

struct outcome {
    int status; /* exit status; 1000 + signal */
    char error[16384];
    char lines[4096]; /* of the journal */
};

static void set_environment(const char *const *settings)
{
    for (; *settings != NULL; settings++)
        putenv((char *)(uintptr_t)*settings);
}

static void read_all(int descriptor, char *text, size_t bytes)
{
    size_t length = 0;
    ssize_t count;

    while (length + 1 < bytes && (count = read(descriptor, text + length, bytes - 1 - length)) > 0)
        length += (size_t)count;
    text[length] = '\0';
    close(descriptor);
}

/* The folder with the journal and what processes kept beside it. */
static void remove_folder(const char *path)
{
    DIR *directory = opendir(path);
    const struct dirent *entry;

    while (directory != NULL && (entry = readdir(directory)) != NULL)
        if (entry->d_name[0] != '.')
            unlinkat(dirfd(directory), entry->d_name, 0);
    if (directory != NULL)
        closedir(directory);
    assert_int_equal(rmdir(path), 0);
}

static void run_program(const char *mode, const char *const *settings, struct outcome *outcome)
{
    char folder[] = "/tmp/wavetank-test-session-XXXXXX", path[64];
    int error[2], status;
    pid_t child;

    assert_non_null(mkdtemp(folder));
    snprintf(path, sizeof path, "%s/journal", folder);
    assert_int_equal(pipe(error), 0);
    child = fork();
    if (child == 0) {
        dup2(error[1], STDERR_FILENO);
        close(error[0]);
        close(error[1]);
        setenv("WAVETANK_STATUS_FILE", path, 1);
        unsetenv("WAVETANK_QUIET");
        set_environment(settings);
        execl("/proc/self/exe", "test_session", mode, (char *)NULL);
        _exit(99);
    }
    close(error[1]);
    read_all(error[0], outcome->error, sizeof outcome->error);
    waitpid(child, &status, 0);
    read_all(open(path, O_RDONLY), outcome->lines, sizeof outcome->lines);
    remove_folder(folder);
    outcome->status = WIFEXITED(status) ? WEXITSTATUS(status) : 1000 + WTERMSIG(status);
}

static struct outcome outcome;

#define run(mode, ...) run_program(mode, (const char *const[]){__VA_ARGS__, NULL}, &outcome)

static unsigned occurrences(const char *text, const char *word)
{
    unsigned count = 0;

    for (text = strstr(text, word); text != NULL; text = strstr(text + 1, word))
        count++;
    return count;
}

static void an_unknown_gpu_leaves_no_device(void **state)
{
    run("context", "WAVETANK_GPU=no_such_gpu");
    assert_int_equal(outcome.status, 40);
    assert_int_equal(occurrences(outcome.error, "no_such_gpu"), 1);
}

static void an_unknown_model_leaves_no_device(void **state)
{
    run("context", "WAVETANK_MODEL=approximate");
    assert_int_equal(outcome.status, 40);
    assert_non_null(strstr(outcome.error, "approximate"));
}

static void settings_reach_the_device(void **state)
{
    run("units", "WAVETANK_SET= gpu.core_khz=800000 ;\ngpu.compute_units=16\n");
    assert_int_equal(outcome.status, 16);
    assert_string_equal(outcome.error, "");
}

static void the_report_comes_at_exit(void **state)
{
    run("kernel", "WAVETANK_COMMAND=a command");
    assert_int_equal(outcome.status, 0);
    assert_non_null(strstr(outcome.error, "place"));
    run("kernel", "WAVETANK_QUIET=1");
    assert_string_equal(outcome.error, "");
}

static void each_process_tells_of_its_first_kernel(void **state)
{
    run("kernel", "WAVETANK_QUIET=1");
    assert_int_equal(occurrences(outcome.lines, ".0 kernel place\n"), 1);
    run("twice", "WAVETANK_QUIET=1");
    assert_int_equal(occurrences(outcome.lines, ".0 kernel place\n"), 1);
    run("grandchild", "WAVETANK_QUIET=1");
    assert_int_equal(outcome.status, 0);
    assert_int_equal(occurrences(outcome.lines, ".0 kernel place\n"), 1);
    run("kernel", "WAVETANK_QUIET=1", "WAVETANK_STATUS_FILE=/dev/null/status");
    assert_int_equal(outcome.status, 0);
    assert_non_null(strstr(outcome.error, "WAVETANK_STATUS_FILE=/dev/null/status"));
}

static void who_only_looks_gets_no_report(void **state)
{
    run("look", "WAVETANK_COMMAND=a command");
    assert_int_equal(outcome.status, 0);
    assert_string_equal(outcome.error, "");
    assert_int_equal(occurrences(outcome.lines, "\n"), 1); /* that it began */
    assert_int_equal(occurrences(outcome.lines, ".0 begin\n"), 1);
}

static void a_childs_end_is_not_the_programs(void **state)
{
    unsigned reported;

    run("kernel", "WAVETANK_COMMAND=a command");
    reported = occurrences(outcome.error, "place");
    run("fork", "WAVETANK_COMMAND=a command");
    assert_int_equal(outcome.status, 0);
    assert_int_equal(occurrences(outcome.error, "place"), reported);
    assert_int_equal(occurrences(outcome.lines, "kernel place\n"), 1);
}

static void json_is_written(void **state)
{
    char path[64], setting[96], text[64] = "";
    FILE *file;

    snprintf(path, sizeof path, "/tmp/wavetank_test_session_%d.json", (int)getpid());
    snprintf(setting, sizeof setting, "WAVETANK_JSON=%s", path);
    run("kernel", setting, "WAVETANK_QUIET=1");
    assert_int_equal(outcome.status, 0);
    file = fopen(path, "r");
    assert_non_null(file);
    assert_true(fread(text, 1, sizeof text - 1, file) > 0);
    assert_int_equal(text[0], '{');
    fclose(file);
    remove(path);
}

/* The functional model counts no cycles. */
static void the_cycle_limit_ends_the_process(void **state)
{
    const char *model = getenv("WAVETANK_MODEL");

    if (model != NULL && strcmp(model, "functional") == 0)
        skip();
    run("twice", "WAVETANK_MAX_CYCLES=1");
    assert_int_equal(outcome.status, 124);
    assert_non_null(strstr(outcome.error, "WAVETANK_MAX_CYCLES=1"));
    run("twice", "WAVETANK_MAX_CYCLES=many");
    assert_int_equal(outcome.status, 40);
}

static bool is_fake(void)
{
    return getenv("FAKE_MACHINE") != NULL;
}

/* Outside the driver, with nothing to report that is not kept. */
static void a_signal_ends_a_process_outside_the_driver_at_once(void **state)
{
    run("interrupt", "WAVETANK_SIGINT=1");
    assert_int_equal(outcome.status, 1000 + SIGINT);
    assert_int_equal(occurrences(outcome.lines, "kernel"), 0);
    run("terminate", "WAVETANK_SIGINT=1");
    assert_int_equal(outcome.status, 1000 + SIGTERM);
    assert_in_range(occurrences(outcome.lines, ".0 kept\n"), 1, 4);
    assert_int_equal(occurrences(outcome.lines, ".0 told\n"), 0);
    run("terminate", "WAVETANK_SIGINT=0");
    assert_int_equal(outcome.status, 1000 + SIGTERM); /* not ours to catch */
}

/* A signal to the whole process group reaches the program a second time through `wavetank run`:
 * the second is the first again. */
static void a_signal_inside_the_driver_makes_the_report(void **state)
{
    static const char *const counts[] = {"FAKE_MACHINE_RAISE=1", "FAKE_MACHINE_RAISE=2"};

    if (!is_fake())
        skip();
    for (unsigned i = 0; i < 2; i++) {
        run("twice", "WAVETANK_SIGINT=1", counts[i]);
        assert_int_equal(outcome.status, 1000 + SIGINT);
        assert_int_equal(occurrences(outcome.error, "press Ctrl-C again"), 1);
        assert_int_equal(occurrences(outcome.error, "interrupted"), 1);
        assert_int_equal(occurrences(outcome.lines, ".0 told\n"), 1);
    }
}

static void a_machine_that_cannot_be_built_leaves_no_device(void **state)
{
    if (!is_fake())
        skip();
    run("context", "FAKE_MACHINE_BROKEN=machine");
    assert_int_equal(outcome.status, 40);
    assert_int_equal(occurrences(outcome.error, "broken on request"), 1);
}

static void mapped_memory_is_pinned(void **state)
{
    if (!is_fake())
        skip();
    run("pinned", "FAKE_MACHINE_LOG=1");
    assert_int_equal(outcome.status, 0);
    assert_non_null(strstr(outcome.error, "fake: 4096 bytes untimed")); /* the map: invalidating */
    assert_non_null(strstr(outcome.error, "fake: 101 bytes pinned"));
    assert_non_null(strstr(outcome.error, "fake: 100 bytes pageable"));
}

static void a_kernel_that_no_unit_holds_is_named(void **state)
{
    if (is_fake())
        skip();
    run("large", "WAVETANK_SET=cu.scalar_registers=16", "WAVETANK_QUIET=1");
    assert_int_equal(outcome.status, 43);
    assert_non_null(strstr(outcome.error, "kernel group_sum"));
    assert_non_null(strstr(outcome.error, "does not fit into a compute unit"));
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_unknown_gpu_leaves_no_device),
        cmocka_unit_test(an_unknown_model_leaves_no_device),
        cmocka_unit_test(settings_reach_the_device),
        cmocka_unit_test(the_report_comes_at_exit),
        cmocka_unit_test(each_process_tells_of_its_first_kernel),
        cmocka_unit_test(who_only_looks_gets_no_report),
        cmocka_unit_test(a_childs_end_is_not_the_programs),
        cmocka_unit_test(json_is_written),
        cmocka_unit_test(the_cycle_limit_ends_the_process),
        cmocka_unit_test(a_signal_ends_a_process_outside_the_driver_at_once),
        cmocka_unit_test(a_signal_inside_the_driver_makes_the_report),
        cmocka_unit_test(a_machine_that_cannot_be_built_leaves_no_device),
        cmocka_unit_test(mapped_memory_is_pinned),
        cmocka_unit_test(a_kernel_that_no_unit_holds_is_named),
    };

    if (argc > 1)
        return program_main(argv[1]);
    return cmocka_run_group_tests_name("opencl/session", tests, NULL, NULL);
}
