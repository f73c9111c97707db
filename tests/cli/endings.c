/* SPDX-License-Identifier: MIT */
/*
 * An OpenCL program that runs kernels and ends in a way of its choice: endings STEP ...
 *
 *     run, run=N        runs a kernel that ends, once or N times
 *     tiny=N            runs a kernel of one work-item N times
 *     read              reads what kernels wrote
 *     fault             runs a kernel that stores outside all buffers, and goes on
 *     endless           runs one that does not end
 *     batch             runs one that ends and one that does not, by one clFinish
 *     look              asks for the device only
 *     context           makes a context, and runs nothing
 *     say=WORD          prints a line
 *     sleep             waits outside OpenCL, without end
 *     nap               the same, until a signal comes
 *     fork              a child does all the following steps as the parent does, which waits for it
 *     close             closes all descriptors
 *     open=FILE         opens that file for writing, several times
 *     handler           handles SIGTERM by itself: prints "handled", exits with status 7
 *     exit=N _exit=N quick_exit=N abort crash kill=N exec=PROGRAM self=STEP     how it ends; N is a
 *                       status or a signal; self: becomes this program again with one step
 */
#define CL_TARGET_OPENCL_VERSION 120
#include <CL/cl.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static const char source[] =
    "kernel void add(global int *p) { p[get_global_id(0)] += 1; }\n"
    "kernel void tiny(global int *p) { p[0] += 1; }\n"
    "kernel void fault(global int *p) { p[0x10000000] = 1; }\n"
    "kernel void endless(global volatile int *p) { while (p[0] >= 0) ; }\n";

static cl_device_id device;
static cl_context context;
static cl_command_queue queue;
static cl_program program;
static cl_mem buffer;

static void need(cl_int status, const char *what)
{
    if (status == CL_SUCCESS)
        return;
    fprintf(stderr, "endings: %s: %d\n", what, status);
    exit(99);
}

static void look(void)
{
    cl_platform_id platform;

    if (device != NULL)
        return;
    need(clGetPlatformIDs(1, &platform, NULL), "clGetPlatformIDs");
    need(clGetDeviceIDs(platform, CL_DEVICE_TYPE_GPU, 1, &device, NULL), "clGetDeviceIDs");
}

static void begin(void)
{
    const char *text = source;
    cl_int status;

    if (context != NULL)
        return;
    look();
    context = clCreateContext(NULL, 1, &device, NULL, NULL, &status);
    need(status, "clCreateContext");
    queue = clCreateCommandQueue(context, device, 0, &status);
    need(status, "clCreateCommandQueue");
    program = clCreateProgramWithSource(context, 1, &text, NULL, &status);
    need(status, "clCreateProgramWithSource");
    need(clBuildProgram(program, 1, &device, "", NULL, NULL), "clBuildProgram");
    buffer = clCreateBuffer(context, CL_MEM_READ_WRITE, 4096, NULL, &status);
    need(status, "clCreateBuffer");
}

static cl_kernel create(const char *name)
{
    cl_kernel kernel;
    cl_int status;

    begin();
    kernel = clCreateKernel(program, name, &status);
    need(status, "clCreateKernel");
    need(clSetKernelArg(kernel, 0, sizeof buffer, &buffer), "clSetKernelArg");
    return kernel;
}

static void read_back(void)
{
    int words[64];

    begin();
    need(clEnqueueReadBuffer(queue, buffer, CL_TRUE, 0, sizeof words, words, 0, NULL, NULL),
         "clEnqueueReadBuffer");
}

static void run_batch(void)
{
    const size_t items = 64;
    cl_kernel add = create("add"), endless = create("endless");

    need(clEnqueueNDRangeKernel(queue, add, 1, NULL, &items, NULL, 0, NULL, NULL), "add");
    need(clEnqueueNDRangeKernel(queue, endless, 1, NULL, &items, NULL, 0, NULL, NULL), "endless");
    clFinish(queue);
}

static cl_int run(const char *name, size_t items, int count)
{
    cl_kernel kernel = create(name);
    cl_int status = CL_SUCCESS;

    for (int i = 0; i < count && status == CL_SUCCESS; i++) {
        status = clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &items, NULL, 0, NULL, NULL);
        if (status == CL_SUCCESS)
            status = clFinish(queue);
    }
    clReleaseKernel(kernel);
    return status;
}

static void on_terminate(int number)
{
    static const char word[] = "handled\n";

    if (write(STDOUT_FILENO, word, sizeof word - 1) > 0)
        _exit(7);
}

static void become(const char *path, const char *step)
{
    fflush(NULL);
    execlp(path, path, step, (char *)NULL);
    _exit(98);
}

static void close_all(void)
{
    for (int i = 0; i < 256; i++)
        close(i);
}

static void open_often(const char *path)
{
    for (int i = 0; i < 16; i++)
        if (open(path, O_RDWR) < 0)
            exit(96);
}

static void sleep_without_end(void)
{
    for (;;)
        sleep(600);
}

static void fork_here(void)
{
    if (fork() > 0)
        wait(NULL);
}

static void end_by(const char *word, const char *value)
{
    int number = atoi(value);

    if (strcmp(word, "exit") == 0)
        exit(number);
    if (strcmp(word, "_exit") == 0)
        _exit(number);
    if (strcmp(word, "quick_exit") == 0)
        quick_exit(number);
    if (strcmp(word, "abort") == 0)
        abort();
    if (strcmp(word, "crash") == 0) {
        signal(SIGSEGV, SIG_DFL); /* a sanitizer has a handler */
        raise(SIGSEGV);
    }
    if (strcmp(word, "kill") == 0)
        kill(getpid(), number);
    if (strcmp(word, "exec") == 0)
        become(value, NULL);
    if (strcmp(word, "self") == 0)
        become("/proc/self/exe", value);
    fprintf(stderr, "endings: there is no step '%s'\n", word);
    exit(97);
}

static void do_step(const char *word, const char *value)
{
    int count = value[0] != '\0' ? atoi(value) : 1;

    if (strcmp(word, "run") == 0)
        need(run("add", 256, count), "add");
    else if (strcmp(word, "tiny") == 0)
        need(run("tiny", 1, count), "tiny");
    else if (strcmp(word, "read") == 0)
        read_back();
    else if (strcmp(word, "fault") == 0)
        run("fault", 1, 1);
    else if (strcmp(word, "batch") == 0)
        run_batch();
    else if (strcmp(word, "endless") == 0)
        run("endless", 1, 1);
    else if (strcmp(word, "look") == 0)
        look();
    else if (strcmp(word, "context") == 0)
        begin();
    else if (strcmp(word, "say") == 0)
        printf("%s\n", value);
    else if (strcmp(word, "nap") == 0)
        sleep(600);
    else if (strcmp(word, "sleep") == 0)
        sleep_without_end();
    else if (strcmp(word, "fork") == 0)
        fork_here();
    else if (strcmp(word, "close") == 0)
        close_all();
    else if (strcmp(word, "open") == 0)
        open_often(value);
    else if (strcmp(word, "handler") == 0)
        signal(SIGTERM, on_terminate);
    else
        end_by(word, value);
}

int main(int argc, char **argv)
{
    setvbuf(stdout, NULL, _IOLBF, 0);
    for (int i = 1; i < argc; i++) {
        char word[64];
        const char *equals = strchr(argv[i], '=');

        snprintf(word, sizeof word, "%.*s",
                 equals != NULL ? (int)(equals - argv[i]) : (int)strlen(argv[i]), argv[i]);
        do_step(word, equals != NULL ? equals + 1 : "");
    }
    return 0;
}
