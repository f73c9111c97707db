/* SPDX-License-Identifier: MIT */
/*
 * k-means: a kernel assigns each point to the nearest centre; threads of the host then average the
 * points of each centre, straight from the arrays that the kernel wrote. The same on the host alone
 * is compared at the end: whole numbers, so every bit.
 *
 *     c++ -std=c++17 kmeans.cpp $(pkg-config --cflags --libs gpuvm) -lOpenCL -pthread
 *     ./a.out [POINTS [ROUNDS]]
 */
#define CL_TARGET_OPENCL_VERSION 120
#include <CL/cl.h>
#include <gpuvm.hpp>

#include <array>
#include <cstdio>
#include <cstdlib>
#include <thread>
#include <vector>

constexpr int CENTRES = 8, THREADS = 4;

static const char source[] = "kernel void assign(global const int2 *points, global const int2 "
                             "*centres, global int *nearest) {"
                             "    int i = get_global_id(0), best = 0, least = INT_MAX;"
                             "    for (int c = 0; c < 8; c++) {"
                             "        int2 d = points[i] - centres[c];"
                             "        int distance = d.x * d.x + d.y * d.y;"
                             "        if (distance < least) { least = distance; best = c; }"
                             "    }"
                             "    nearest[i] = best;"
                             "}";

struct point {
    int x, y;
};

struct sums {
    std::array<long long, CENTRES> x{}, y{}, count{};
    void add(const sums &other)
    {
        for (int c = 0; c < CENTRES; c++) {
            x[c] += other.x[c];
            y[c] += other.y[c];
            count[c] += other.count[c];
        }
    }
};

static sums sum_part(const point *points, const int *nearest, std::size_t from, std::size_t to)
{
    sums part;
    for (std::size_t i = from; i < to; i++) {
        part.x[nearest[i]] += points[i].x;
        part.y[nearest[i]] += points[i].y;
        part.count[nearest[i]]++;
    }
    return part;
}

static void move_centres(const sums &all, point *centres)
{
    for (int c = 0; c < CENTRES; c++)
        if (all.count[c])
            centres[c] = {int(all.x[c] / all.count[c]), int(all.y[c] / all.count[c])};
}

static sums sum_by_threads(const point *points, const int *nearest, std::size_t count)
{
    std::array<sums, THREADS> parts;
    std::vector<std::thread> threads;
    for (int t = 0; t < THREADS; t++)
        threads.emplace_back([&, t] {
            parts[t] = sum_part(points, nearest, count * t / THREADS, count * (t + 1) / THREADS);
        });
    for (std::thread &thread : threads)
        thread.join();
    sums all;
    for (const sums &part : parts)
        all.add(part);
    return all;
}

static void assign_on_host(const point *points, const point *centres, int *nearest,
                           std::size_t count)
{
    for (std::size_t i = 0; i < count; i++) {
        int least = 0x7fffffff;
        for (int c = 0; c < CENTRES; c++) {
            int x = points[i].x - centres[c].x, y = points[i].y - centres[c].y;
            if (x * x + y * y < least) {
                least = x * x + y * y;
                nearest[i] = c;
            }
        }
    }
}

static void fill(point *points, std::size_t count, point *centres)
{
    unsigned state = 1;
    for (std::size_t i = 0; i < count; i++) {
        state = state * 1664525u + 1013904223u;
        points[i].x = int(state >> 8 & 0xfff);
        state = state * 1664525u + 1013904223u;
        points[i].y = int(state >> 8 & 0xfff);
    }
    for (int c = 0; c < CENTRES; c++)
        centres[c] = points[c];
}

struct device {
    cl_context context;
    cl_command_queue queue;
    cl_kernel kernel;

    device()
    {
        cl_platform_id platform;
        cl_device_id id;
        cl_int error = clGetPlatformIDs(1, &platform, nullptr);
        error |= clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 1, &id, nullptr);
        if (error)
            std::exit(77);
        context = clCreateContext(nullptr, 1, &id, nullptr, nullptr, nullptr);
        queue = clCreateCommandQueue(context, id, 0, nullptr);
        const char *text = source;
        cl_program program = clCreateProgramWithSource(context, 1, &text, nullptr, nullptr);
        if (clBuildProgram(program, 1, &id, "", nullptr, nullptr))
            std::exit(1);
        kernel = clCreateKernel(program, "assign", nullptr);
    }
    cl_mem buffer(std::size_t bytes, cl_uint argument)
    {
        cl_mem made = clCreateBuffer(context, CL_MEM_READ_WRITE, bytes, nullptr, nullptr);
        clSetKernelArg(kernel, argument, sizeof(made), &made);
        return made;
    }
};

int main(int argc, char **argv)
{
    std::size_t count = argc > 1 ? std::strtoul(argv[1], nullptr, 10) : 200000;
    int rounds = argc > 2 ? std::atoi(argv[2]) : 5;
    device device;
    gpuvm::library library({device.queue}, GPUVM_OPENCL);
    gpuvm::vector<point> points(count), centres(CENTRES);
    gpuvm::vector<int> nearest(count);
    fill(points.data(), count, centres.data());
    std::vector<point> host_points(points.begin(), points.end());
    std::vector<point> host_centres(centres.begin(), centres.end());
    std::vector<int> host_nearest(count);

    gpuvm::linked points_link(points, device.buffer(count * sizeof(point), 0));
    gpuvm::linked centres_link(centres, device.buffer(CENTRES * sizeof(point), 1));
    gpuvm::linked nearest_link(nearest, device.buffer(count * sizeof(int), 2));
    for (int round = 0; round < rounds; round++) {
        gpuvm::kernel_use use(
            {gpuvm::reads(points), gpuvm::reads(centres), gpuvm::overwrites(nearest)});
        if (clEnqueueNDRangeKernel(device.queue, device.kernel, 1, nullptr, &count, nullptr, 0,
                                   nullptr, nullptr))
            return 1;
        use.end();
        move_centres(sum_by_threads(points.data(), nearest.data(), count), centres.data());

        assign_on_host(host_points.data(), host_centres.data(), host_nearest.data(), count);
        move_centres(sum_part(host_points.data(), host_nearest.data(), 0, count),
                     host_centres.data());
    }
    bool is_right = true;
    for (int c = 0; c < CENTRES; c++)
        is_right =
            is_right && centres[c].x == host_centres[c].x && centres[c].y == host_centres[c].y;
    std::printf("%zu points, %d rounds: %s, first centre %d %d\n", count, rounds,
                is_right ? "as on the host" : "WRONG", centres[0].x, centres[0].y);
    return is_right ? 0 : 1;
}
