// SPDX-License-Identifier: MIT
// The header is C++ too, and a C++ program can use the library: its arrays are vectors.
extern "C" {
#include "fake.h"
}

#include "gpuvm.h"

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <vector>

namespace
{
const int skipped = 77;

struct work {
    uint32_t *words;
    std::size_t count;
};

void step(void *argument)
{
    const work *todo = static_cast<const work *>(argument);

    for (std::size_t i = 0; i < todo->count; i++)
        todo->words[i] = todo->words[i] * 1664525u + 1013904223u + static_cast<uint32_t>(i);
}

int run()
{
    const char *rung = std::getenv("GPUVM_BACKEND");
    bool is_svm = rung != nullptr && std::strcmp(rung, "svm") == 0;
    fake_options options = fake_options();
    options.has_svm = is_svm;
    fake *device = fake_create(&options);
    void *devices[1] = {fake_device(device)};
    std::vector<uint32_t> host(200000), model(200000);
    void *buffer = is_svm ? nullptr : fake_allocate(device, host.size() * 4);
    work todo = {is_svm ? host.data() : static_cast<uint32_t *>(fake_data(buffer)), host.size()};
    work modelled = {model.data(), model.size()};
    int error = gpuvm_init(1, devices, GPUVM_OPS);

    if (error == GPUVM_EPROT)
        return skipped;
    if (error != 0 || gpuvm_link(host.data(), host.size() * 4, 0, buffer, GPUVM_ON_HOST) != 0)
        return 1;
    for (int round = 0; round < 5; round++) {
        if (gpuvm_kernel_begin(host.data(), 0, GPUVM_READ_WRITE) != 0)
            return 1;
        fake_launch(device, step, &todo, 0);
        if (gpuvm_kernel_end(host.data(), 0) != 0)
            return 1;
        step(&modelled);
        if (host != model)
            return 1;
    }
    if (gpuvm_unlink(host.data(), 0) != 0 || gpuvm_finish() != 0)
        return 1;
    if (!is_svm)
        fake_release(device, buffer);
    return fake_destroy(device) ? 0 : 1;
}
} // namespace

int main()
{
    int result = run();

    std::printf("%d passed, %d failed\n", result == 0, result == 1);
    return result;
}
