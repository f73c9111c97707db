/* SPDX-License-Identifier: MIT */
/*
 * Programs as they were written for the first libgpuvm: its calls, in its order, and none that it
 * lacked. They do what its four samples do. These are `add` (all arrays written), `add-ro`,
 * `add-ondev` (arrays begin on the device) and `add-ngpu` (two devices, a thread each). Each prints
 * what it counted, and ends with 0 if every sum is right. On PoCL if it is there, else on the first
 * platform.
 */
#define CL_TARGET_OPENCL_VERSION 120

#include <CL/cl.h>
#include <gpuvm.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define COUNT 13376 /* 53,504 bytes: neither whole pages nor aligned */
#define DEVICES 2
#define PLATFORMS 8
#define SKIPPED 77

static const char source[] =
    "kernel void add(global const int *a, global const int *b, global int *c)\n"
    "{\n"
    "    int i = get_global_id(0);\n"
    "    c[i] = a[i] + b[i];\n"
    "}\n"
    "kernel void make(global int *a, int factor, int term)\n"
    "{\n"
    "    a[get_global_id(0)] = (int)get_global_id(0) * factor + term;\n"
    "}\n";

static cl_uint device_count;
static cl_device_id devices[DEVICES];
static cl_context context;
static cl_command_queue queues[DEVICES];
static cl_program program;

static void check(int is_right, const char *what)
{
    if (is_right)
        return;
    printf("failed: %s\n0 passed, 1 failed\n", what);
    exit(1);
}

/* The library wants to know which threads the runtime starts: a call before, a call after. */
static void start(cl_uint wanted)
{
    cl_platform_id platforms[PLATFORMS], platform = NULL;
    cl_uint count = 0;
    const char *sources[1] = {source};
    int error;

    setenv("POCL_DEVICES", wanted > 1 ? "pthread pthread" : "pthread", 1);
    check(gpuvm_pre_init(GPUVM_THREADS_BEFORE_INIT) == 0, "pre_init before");
    clGetPlatformIDs(PLATFORMS, platforms, &count);
    for (cl_uint i = 0; i < count && i < PLATFORMS; i++) {
        char name[100] = "";

        clGetPlatformInfo(platforms[i], CL_PLATFORM_NAME, sizeof name - 1, name, NULL);
        if (platform == NULL || strstr(name, "Portable") != NULL)
            platform = platforms[i];
    }
    check(platform != NULL, "a platform is there");
    check(clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, DEVICES, devices, &device_count) == 0,
          "devices");
    if (device_count < wanted) /* two queues of one device are two devices to the library */
        devices[1] = devices[0];
    device_count = wanted;
    context =
        clCreateContext(NULL, devices[1] != devices[0] ? wanted : 1, devices, NULL, NULL, NULL);
    for (cl_uint i = 0; i < wanted; i++)
        queues[i] = clCreateCommandQueue(context, devices[i], CL_QUEUE_PROFILING_ENABLE, NULL);
    program = clCreateProgramWithSource(context, 1, sources, NULL, NULL);
    check(clBuildProgram(program, 0, NULL, "", NULL, NULL) == 0, "build");
    check(gpuvm_pre_init(GPUVM_THREADS_AFTER_INIT) == 0, "pre_init after");
    error = gpuvm_init(wanted, (void **)queues, GPUVM_OPENCL | GPUVM_STAT);
    if (error == GPUVM_EPROT) {
        printf("this rung does not work here\n");
        exit(SKIPPED);
    }
    check(error == 0, "init");
}

static cl_mem make_buffer(size_t nbytes)
{
    cl_mem buffer = clCreateBuffer(context, CL_MEM_READ_WRITE, nbytes, NULL, NULL);

    check(buffer != NULL, "buffer");
    return buffer;
}

static void launch(cl_uint device, const char *name, cl_uint count, const void **values,
                   const size_t *sizes, size_t items)
{
    cl_kernel kernel = clCreateKernel(program, name, NULL);

    for (cl_uint i = 0; i < count; i++)
        check(clSetKernelArg(kernel, i, sizes[i], values[i]) == 0, "argument");
    check(clEnqueueNDRangeKernel(queues[device], kernel, 1, NULL, &items, NULL, 0, NULL, NULL) == 0,
          "enqueue");
    clReleaseKernel(kernel);
}

/* c = a + b, without a clFinish: the end of the use is what counts. */
static void add(cl_uint device, int *const *hosts, const cl_mem *buffers, const int *flags,
                size_t items)
{
    const void *values[3] = {&buffers[0], &buffers[1], &buffers[2]};
    const size_t sizes[3] = {sizeof(cl_mem), sizeof(cl_mem), sizeof(cl_mem)};

    for (int i = 0; i < 3; i++)
        check(gpuvm_kernel_begin(hosts[i], device, flags[i]) == 0, "begin");
    launch(device, "add", 3, values, sizes, items);
    for (int i = 0; i < 3; i++)
        check(gpuvm_kernel_end(hosts[i], device) == 0, "end");
}

static void print_statistics(void)
{
    int enabled = 0;
    unsigned ndevs = 0;
    double copy_time = -1, host_copy_time = -1, pagefault_time = -1;
    unsigned long long pagefaults = 0;

    check(gpuvm_stat(GPUVM_STAT_ENABLED, &enabled) == 0 && enabled, "statistics are enabled");
    check(gpuvm_stat(GPUVM_STAT_NDEVS, &ndevs) == 0 && ndevs == device_count, "number of devices");
    check(gpuvm_stat(GPUVM_STAT_COPY_TIME, &copy_time) == 0 && copy_time >= 0, "copy time");
    check(gpuvm_stat(GPUVM_STAT_PAGEFAULTS, &pagefaults) == 0, "page faults");
    check(gpuvm_stat(GPUVM_STAT_HOST_COPY_TIME, &host_copy_time) == 0 && host_copy_time >= 0,
          "host copy time");
    check(gpuvm_stat(GPUVM_STAT_PAGEFAULT_TIME, &pagefault_time) == 0 && pagefault_time >= 0,
          "fault time");
    printf("%u devices, %llu page faults, copies %g s (host waits for %g s), faults %g s\n", ndevs,
           pagefaults, copy_time, host_copy_time, pagefault_time);
}

/* add: all arrays READ_WRITE; add-ro: inputs READ_ONLY. */
static void run_add(int input_flags)
{
    int *hosts[3], flags[3] = {input_flags, input_flags, GPUVM_READ_WRITE};
    cl_mem buffers[3];

    start(1);
    for (int i = 0; i < 3; i++) {
        hosts[i] = malloc(COUNT * sizeof(int));
        buffers[i] = make_buffer(COUNT * sizeof(int));
        check(gpuvm_link(hosts[i], COUNT * sizeof(int), 0, buffers[i], GPUVM_ON_HOST) == 0, "link");
    }
    for (int round = 0; round < 10; round++) {
        for (int i = 0; i < COUNT; i++) {
            hosts[0][i] = i * 3 + round;
            hosts[1][i] = 7 * round - i;
            hosts[2][i] = -1;
        }
        add(0, hosts, buffers, flags, COUNT);
        for (int i = 0; i < COUNT; i++)
            check(hosts[2][i] == i * 2 + 8 * round, "sum");
        for (int i = 0; i < COUNT; i++)
            check(hosts[0][i] == i * 3 + round && hosts[1][i] == 7 * round - i, "inputs");
    }
    for (int i = 0; i < 3; i++)
        check(gpuvm_unlink(hosts[i], 0) == 0, "unlink");
    print_statistics();
    for (int i = 0; i < 3; i++) {
        clReleaseMemObject(buffers[i]);
        free(hosts[i]);
    }
}

/* add-ondev: kernels make the inputs; the arrays are linked as being on the device. */
static void run_on_device(void)
{
    int *hosts[3], flags[3] = {GPUVM_READ_WRITE, GPUVM_READ_WRITE, GPUVM_READ_WRITE};
    cl_mem buffers[3];

    start(1);
    for (int i = 0; i < 3; i++) {
        int factor = 5 * i + 1, term = 100 - i;
        const void *values[3] = {&buffers[i], &factor, &term};
        const size_t sizes[3] = {sizeof(cl_mem), sizeof factor, sizeof term};

        hosts[i] = malloc(COUNT * sizeof(int));
        buffers[i] = make_buffer(COUNT * sizeof(int));
        launch(0, "make", 3, values, sizes, COUNT);
        check(gpuvm_link(hosts[i], COUNT * sizeof(int), 0, buffers[i], GPUVM_ON_DEVICE) == 0,
              "link");
    }
    add(0, hosts, buffers, flags, COUNT);
    for (int i = 0; i < COUNT; i++)
        check(hosts[2][i] == 7 * i + 199, "sum");
    for (int i = COUNT - 1; i >= 0; i--)
        check(hosts[0][i] == i + 100 && hosts[1][i] == 6 * i + 99, "inputs");
    for (int i = 0; i < 3; i++)
        check(gpuvm_unlink(hosts[i], 0) == 0, "unlink");
    print_statistics();
    for (int i = 0; i < 3; i++) {
        clReleaseMemObject(buffers[i]);
        free(hosts[i]);
    }
}

/* add-ngpu: a thread a device, each with its half of the three arrays; the halves meet in a page.
 */
static int *whole[3];

static void *run_half(void *argument)
{
    cl_uint device = *(cl_uint *)argument;
    size_t half = COUNT / 2;
    int *hosts[3], flags[3] = {GPUVM_READ_ONLY, GPUVM_READ_ONLY, GPUVM_READ_WRITE};
    cl_mem buffers[3];

    for (int i = 0; i < 3; i++) {
        hosts[i] = whole[i] + device * half;
        buffers[i] = make_buffer(half * sizeof(int));
        check(gpuvm_link(hosts[i], half * sizeof(int), device, buffers[i], GPUVM_ON_HOST) == 0,
              "link");
    }
    for (int round = 0; round < 50; round++) {
        add(device, hosts, buffers, flags, half);
        for (size_t i = 0; i < half; i++) {
            check(hosts[2][i] == hosts[0][i] + hosts[1][i], "sum");
            hosts[0][i] = hosts[2][i] ^ round; /* the other thread's half shares the page */
        }
    }
    for (int i = 0; i < 3; i++)
        check(gpuvm_unlink(hosts[i], device) == 0, "unlink");
    for (int i = 0; i < 3; i++)
        clReleaseMemObject(buffers[i]);
    return NULL;
}

static void run_two_devices(void)
{
    cl_uint indices[DEVICES] = {0, 1};
    pthread_t threads[DEVICES];
    int *model = malloc(COUNT * sizeof(int));

    start(DEVICES);
    for (int i = 0; i < 3; i++)
        whole[i] = malloc(COUNT * sizeof(int));
    for (int i = 0; i < COUNT; i++) {
        model[i] = whole[0][i] = i * 11;
        whole[1][i] = 1000 - i;
    }
    for (int i = 0; i < DEVICES; i++)
        check(pthread_create(&threads[i], NULL, run_half, &indices[i]) == 0, "thread");
    for (int i = 0; i < DEVICES; i++)
        pthread_join(threads[i], NULL);
    for (int round = 0; round < 50; round++)
        for (int i = 0; i < COUNT; i++)
            model[i] = (model[i] + 1000 - i) ^ round;
    check(memcmp(model, whole[0], COUNT * sizeof(int)) == 0, "both halves");
    print_statistics();
    for (int i = 0; i < 3; i++)
        free(whole[i]);
    free(model);
}

int main(int argc, char **argv)
{
    const char *variant = argc > 1 ? argv[1] : "add";

    if (strcmp(variant, "add") == 0)
        run_add(GPUVM_READ_WRITE);
    else if (strcmp(variant, "add-ro") == 0)
        run_add(GPUVM_READ_ONLY);
    else if (strcmp(variant, "add-ondev") == 0)
        run_on_device();
    else if (strcmp(variant, "add-ngpu") == 0)
        run_two_devices();
    else
        check(0, "a known variant");
    printf("1 passed, 0 failed\n");
    return 0;
}
