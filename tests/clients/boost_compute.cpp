// SPDX-License-Identifier: MIT
// Boost.Compute's algorithms as a program uses them, each against the C++ library's on the host.
// Prints a line for each: its name, then "pass" or "fail"; status 1 if one failed.
#define CL_TARGET_OPENCL_VERSION 120
#define BOOST_COMPUTE_DEBUG_KERNEL_COMPILATION
#include <algorithm>
#include <cmath>
#include <functional>
#include <iostream>
#include <numeric>
#include <random>
#include <string>
#include <vector>

#include <boost/compute.hpp>
#include <boost/compute/algorithm/nth_element.hpp>

namespace compute = boost::compute;

static constexpr size_t length = 3001; // no multiple of a work-group
static int failures = 0;

static void judge(const std::string &name, bool passed)
{
    std::cout << name << (passed ? " pass" : " fail") << std::endl;
    failures += !passed;
}

template <class Value> static std::vector<Value> random_values(unsigned seed, int span)
{
    std::mt19937 random(seed);
    std::vector<Value> values(length);

    for (Value &value : values)
        value = static_cast<Value>(random() % static_cast<unsigned>(span));
    return values;
}

template <class Value> struct device_copy : compute::vector<Value> {
    device_copy(const std::vector<Value> &host, compute::command_queue &queue)
        : compute::vector<Value>(host.begin(), host.end(), queue)
    {
    }
};

template <class Value>
static bool equal(const compute::vector<Value> &device, const std::vector<Value> &host,
                  compute::command_queue &queue, size_t count = length)
{
    std::vector<Value> values(device.size());

    compute::copy(device.begin(), device.end(), values.begin(), queue);
    return values.size() >= count && host.size() >= count &&
           std::equal(values.begin(), values.begin() + count, host.begin());
}

template <class Value> static void sort_and_scan(const std::string &type, compute::command_queue &queue)
{
    std::vector<Value> host = random_values<Value>(1, 100), expected = host;
    device_copy<Value> device(host, queue);
    compute::vector<Value> output(length, queue.get_context());

    std::sort(expected.begin(), expected.end());
    compute::sort(device.begin(), device.end(), queue);
    judge("sort " + type, equal(device, expected, queue));

    device_copy<Value> again(host, queue);
    std::sort(expected.begin(), expected.end(), std::greater<Value>());
    compute::sort(again.begin(), again.end(), compute::greater<Value>(), queue);
    judge("sort, descending " + type, equal(again, expected, queue));

    device_copy<Value> source(host, queue);
    std::partial_sum(host.begin(), host.end(), expected.begin());
    compute::inclusive_scan(source.begin(), source.end(), output.begin(), queue);
    judge("inclusive_scan " + type, equal(output, expected, queue));

    expected.insert(expected.begin(), Value(0));
    compute::exclusive_scan(source.begin(), source.end(), output.begin(), queue);
    judge("exclusive_scan " + type, equal(output, expected, queue));

    Value sum = 0, most = *std::max_element(host.begin(), host.end());
    compute::reduce(source.begin(), source.end(), &sum, queue);
    judge("reduce " + type, sum == std::accumulate(host.begin(), host.end(), Value(0)));
    compute::reduce(source.begin(), source.end(), &sum, compute::max<Value>(), queue);
    judge("reduce, maximum " + type, sum == most);
    judge("accumulate " + type, compute::accumulate(source.begin(), source.end(), Value(7), queue) ==
                                    std::accumulate(host.begin(), host.end(), Value(7)));
}

static void keys(compute::command_queue &queue)
{
    std::vector<int> host = random_values<int>(2, 50), places(length);
    std::vector<std::pair<int, int>> pairs(length);
    std::iota(places.begin(), places.end(), 0);
    device_copy<int> device(host, queue), values(places, queue);

    for (size_t i = 0; i < length; i++)
        pairs[i] = {host[i], places[i]};
    std::stable_sort(pairs.begin(), pairs.end(),
                     [](const auto &a, const auto &b) { return a.first < b.first; });
    for (size_t i = 0; i < length; i++)
        host[i] = pairs[i].first, places[i] = pairs[i].second;
    compute::sort_by_key(device.begin(), device.end(), values.begin(), queue);
    judge("sort_by_key", equal(device, host, queue) && equal(values, places, queue));

    compute::vector<int> reduced_keys(length, queue.get_context()),
        reduced(length, queue.get_context());
    auto ends = compute::reduce_by_key(device.begin(), device.end(), values.begin(),
                                       reduced_keys.begin(), reduced.begin(), queue);
    std::vector<int> sums(50, 0);
    for (size_t i = 0; i < length; i++)
        sums[static_cast<size_t>(host[i])] += places[i];
    judge("reduce_by_key", ends.first - reduced_keys.begin() == 50 && equal(reduced, sums, queue, 50));
}

static void searches(compute::command_queue &queue)
{
    using compute::lambda::_1;
    std::vector<int> host = random_values<int>(3, 1000);
    device_copy<int> device(host, queue);
    auto odd = [](int value) { return value % 2 == 1; };

    judge("find", compute::find(device.begin(), device.end(), host[1234], queue) - device.begin() ==
                      std::find(host.begin(), host.end(), host[1234]) - host.begin());
    judge("find, absent", compute::find(device.begin(), device.end(), -1, queue) == device.end());
    judge("count_if", compute::count_if(device.begin(), device.end(), _1 % 2 == 1, queue) ==
                          static_cast<size_t>(std::count_if(host.begin(), host.end(), odd)));
    auto extremes = compute::minmax_element(device.begin(), device.end(), queue);
    judge("minmax_element",
          extremes.first.read(queue) == *std::min_element(host.begin(), host.end()) &&
              extremes.second.read(queue) == *std::max_element(host.begin(), host.end()));
    judge("any_of, all_of, none_of",
          compute::any_of(device.begin(), device.end(), _1 == host[5], queue) &&
              compute::all_of(device.begin(), device.end(), _1 >= 0, queue) &&
              compute::none_of(device.begin(), device.end(), _1 > 1000, queue));

    std::vector<int> sorted = host;
    std::sort(sorted.begin(), sorted.end());
    device_copy<int> ordered(sorted, queue);
    judge("is_sorted", compute::is_sorted(ordered.begin(), ordered.end(), queue) &&
                           !compute::is_sorted(device.begin(), device.end(), queue));
    judge("lower_bound", compute::lower_bound(ordered.begin(), ordered.end(), 500, queue) - ordered.begin() ==
                             std::lower_bound(sorted.begin(), sorted.end(), 500) - sorted.begin());
    judge("binary_search", compute::binary_search(ordered.begin(), ordered.end(), sorted[77], queue));
    judge("nth_element", [&] {
        compute::nth_element(device.begin(), device.begin() + 100, device.end(), queue);
        return (device.begin() + 100).read(queue) == sorted[100];
    }());
}

static void rearranges(compute::command_queue &queue)
{
    using compute::lambda::_1;
    std::vector<int> host = random_values<int>(4, 30), expected(length);
    device_copy<int> device(host, queue);
    compute::vector<int> output(length, queue.get_context());
    auto small = [](int value) { return value < 10; };

    size_t kept = static_cast<size_t>(
        std::copy_if(host.begin(), host.end(), expected.begin(), small) - expected.begin());
    auto end = compute::copy_if(device.begin(), device.end(), output.begin(), _1 < 10, queue);
    judge("copy_if", static_cast<size_t>(end - output.begin()) == kept && equal(output, expected, queue, kept));

    expected = host;
    std::stable_partition(expected.begin(), expected.end(), small);
    device_copy<int> halves(host, queue);
    compute::stable_partition(halves.begin(), halves.end(), _1 < 10, queue);
    judge("stable_partition", equal(halves, expected, queue));

    expected = host;
    kept = static_cast<size_t>(std::unique(expected.begin(), expected.end()) - expected.begin());
    device_copy<int> unique(host, queue);
    auto last = compute::unique(unique.begin(), unique.end(), queue);
    judge("unique", static_cast<size_t>(last - unique.begin()) == kept && equal(unique, expected, queue, kept));

    expected = host;
    std::rotate(expected.begin(), expected.begin() + 700, expected.end());
    device_copy<int> rotated(host, queue);
    compute::rotate(rotated.begin(), rotated.begin() + 700, rotated.end(), queue);
    judge("rotate", equal(rotated, expected, queue));

    std::reverse(expected.begin(), expected.end());
    compute::reverse(rotated.begin(), rotated.end(), queue);
    judge("reverse", equal(rotated, expected, queue));

    std::vector<int> map(length);
    std::iota(map.begin(), map.end(), 0);
    std::shuffle(map.begin(), map.end(), std::mt19937(5));
    device_copy<int> indices(map, queue);
    for (size_t i = 0; i < length; i++)
        expected[i] = host[static_cast<size_t>(map[i])];
    compute::gather(indices.begin(), indices.end(), device.begin(), output.begin(), queue);
    judge("gather", equal(output, expected, queue));
    compute::scatter(output.begin(), output.end(), indices.begin(), rotated.begin(), queue);
    judge("scatter", equal(rotated, host, queue));
}

static void sets(compute::command_queue &queue)
{
    std::vector<int> a = random_values<int>(6, 4000), b = random_values<int>(7, 4000), expected;
    std::sort(a.begin(), a.end());
    std::sort(b.begin(), b.end());
    device_copy<int> left(a, queue), right(b, queue);
    compute::vector<int> output(2 * length, queue.get_context());

    std::merge(a.begin(), a.end(), b.begin(), b.end(), std::back_inserter(expected));
    compute::merge(left.begin(), left.end(), right.begin(), right.end(), output.begin(), queue);
    judge("merge", equal(output, expected, queue, 2 * length));
    expected.clear();
    std::set_union(a.begin(), a.end(), b.begin(), b.end(), std::back_inserter(expected));
    auto end = compute::set_union(left.begin(), left.end(), right.begin(), right.end(), output.begin(), queue);
    judge("set_union", static_cast<size_t>(end - output.begin()) == expected.size() &&
                           equal(output, expected, queue, expected.size()));
    expected.clear();
    std::set_intersection(a.begin(), a.end(), b.begin(), b.end(), std::back_inserter(expected));
    end = compute::set_intersection(left.begin(), left.end(), right.begin(), right.end(), output.begin(), queue);
    judge("set_intersection", static_cast<size_t>(end - output.begin()) == expected.size() &&
                                  equal(output, expected, queue, expected.size()));
}

BOOST_COMPUTE_FUNCTION(int, collatz, (int value), {
    int steps = 0;
    while (value > 1) {
        value = value % 2 ? 3 * value + 1 : value / 2;
        steps++;
    }
    return steps;
});

static int collatz_steps(int value)
{
    int steps = 0;
    for (; value > 1; steps++)
        value = value % 2 ? 3 * value + 1 : value / 2;
    return steps;
}

struct particle {
    float x, y;
    int kind;
};
BOOST_COMPUTE_ADAPT_STRUCT(particle, particle, (x, y, kind))

static void transforms(compute::command_queue &queue)
{
    using compute::lambda::_1;
    using compute::lambda::_2;
    std::vector<int> host = random_values<int>(8, 1000), expected(length);
    std::vector<float> floats(length), roots(length);
    device_copy<int> device(host, queue);
    compute::vector<int> output(length, queue.get_context());

    std::transform(host.begin(), host.end(), expected.begin(), collatz_steps);
    compute::transform(device.begin(), device.end(), output.begin(), collatz, queue);
    judge("transform, a function", equal(output, expected, queue));
    for (size_t i = 0; i < length; i++)
        expected[i] = host[i] * 3 + collatz_steps(host[i]);
    compute::transform(device.begin(), device.end(), output.begin(), output.begin(), _1 * 3 + _2, queue);
    judge("transform, a lambda of two", equal(output, expected, queue));
    int product = compute::inner_product(device.begin(), device.end(), device.begin(), 0, queue);
    judge("inner_product", product == std::inner_product(host.begin(), host.end(), host.begin(), 0));
    std::adjacent_difference(host.begin(), host.end(), expected.begin());
    compute::adjacent_difference(device.begin(), device.end(), output.begin(), queue);
    judge("adjacent_difference", equal(output, expected, queue));

    for (size_t i = 0; i < length; i++)
        floats[i] = static_cast<float>(host[i]) + 0.25f;
    device_copy<float> numbers(floats, queue);
    compute::transform(numbers.begin(), numbers.end(), numbers.begin(), compute::sqrt<float>(), queue);
    compute::copy(numbers.begin(), numbers.end(), roots.begin(), queue);
    judge("transform, sqrt", std::equal(roots.begin(), roots.end(), floats.begin(), [](float root, float value) {
              return std::fabs(root - std::sqrt(value)) <= 1e-5f * root;
          }));

    std::vector<particle> particles(length);
    for (size_t i = 0; i < length; i++)
        particles[i] = {floats[i], -floats[i], host[i]};
    device_copy<particle> swarm(particles, queue);
    BOOST_COMPUTE_FUNCTION(bool, by_kind, (particle a, particle b), { return a.kind < b.kind; });
    compute::sort(swarm.begin(), swarm.end(), by_kind, queue);
    std::vector<particle> sorted(length);
    compute::copy(swarm.begin(), swarm.end(), sorted.begin(), queue);
    judge("sort, structures", std::is_sorted(sorted.begin(), sorted.end(), [](const particle &a, const particle &b) {
              return a.kind < b.kind;
          }) && std::all_of(sorted.begin(), sorted.end(), [](const particle &a) {
              return a.x == static_cast<float>(a.kind) + 0.25f && a.y == -a.x;
          }));
}

static void randoms(compute::command_queue &queue)
{
    compute::mersenne_twister_engine<compute::uint_> engine(queue, 42);
    compute::vector<compute::uint_> output(2000, queue.get_context());
    std::vector<compute::uint_> values(2000);
    std::mt19937 reference(42);

    engine.generate(output.begin(), output.end(), queue);
    compute::copy(output.begin(), output.end(), values.begin(), queue);
    judge("mersenne_twister", std::all_of(values.begin(), values.end(),
                                          [&](compute::uint_ value) { return value == reference(); }));
}

int main()
{
    try {
        compute::device device = compute::system::default_device();
        compute::context context(device);
        compute::command_queue queue(context, device);

        sort_and_scan<int>("int", queue);
        sort_and_scan<unsigned char>("uchar", queue);
        sort_and_scan<long>("long", queue);
        sort_and_scan<float>("float", queue);
        sort_and_scan<double>("double", queue);
        keys(queue);
        searches(queue);
        rearranges(queue);
        sets(queue);
        transforms(queue);
        randoms(queue);
    } catch (const std::exception &error) {
        std::cout << "exception " << error.what() << " fail" << std::endl;
        return 2;
    }
    return failures != 0;
}
