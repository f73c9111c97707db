/* SPDX-License-Identifier: MIT */
/*
 * libgpuvm for C++17: what gpuvm.h offers, with ends that happen by themselves and errors that are
 * exceptions. Header alone; it knows no OpenCL type, so queues, buffers and events are void pointers.
 *
 *     gpuvm::library library({queue}, GPUVM_OPENCL);
 *     gpuvm::vector<float> x(n);                       // page-aligned: no edges
 *     gpuvm::linked<float> shared(x, buffer);          // until the end of its scope
 *     {
 *         gpuvm::kernel_use use({gpuvm::writes(x)});   // from here on the device's
 *         clEnqueueNDRangeKernel(queue, ...);
 *     }                                                // the host's again
 */
#ifndef GPUVM_HPP
#define GPUVM_HPP

#include "gpuvm.h"

#include <cstddef>
#include <initializer_list>
#include <limits>
#include <new>
#include <stdexcept>
#include <type_traits>
#include <utility>
#include <vector>

namespace gpuvm
{

/* One of the GPUVM_E... values, with its sentence. */
class error : public std::runtime_error
{
  public:
    explicit error(int code) : std::runtime_error(gpuvm_strerror(code)), code_(code) {}
    int code() const noexcept
    {
        return code_;
    }

  private:
    int code_;
};

inline int check(int result)
{
    if (result < 0)
        throw error(result);
    return result;
}

/* ---- Memory ---- */

/* For containers: gpuvm_alloc's memory. A container that moves its elements elsewhere (push_back)
 * ends the links of the old place; link it again. */
template <class T> class allocator
{
  public:
    using value_type = T;
    allocator() noexcept = default;
    template <class U> allocator(const allocator<U> &) noexcept {}

    T *allocate(std::size_t count)
    {
        if (count > std::numeric_limits<std::size_t>::max() / sizeof(T))
            throw std::bad_array_new_length();
        void *memory = gpuvm_alloc(count * sizeof(T));
        if (!memory)
            throw std::bad_alloc();
        return static_cast<T *>(memory);
    }
    void deallocate(T *memory, std::size_t) noexcept
    {
        gpuvm_free(memory);
    }
};

template <class T, class U> bool operator==(const allocator<T> &, const allocator<U> &) noexcept
{
    return true;
}
template <class T, class U> bool operator!=(const allocator<T> &, const allocator<U> &) noexcept
{
    return false;
}

template <class T> using vector = std::vector<T, allocator<T>>;

/* Elements that lie one after the other: a pointer and a count. */
template <class T> class span
{
    static_assert(std::is_trivially_copyable<T>::value, "a device copies bytes");

  public:
    span(T *data, std::size_t size) noexcept : data_(data), size_(size) {}
    template <class Container, class = std::enable_if_t<std::is_convertible<
                                   decltype(std::declval<Container &>().data()), T *>::value>>
    span(Container &container) noexcept : data_(container.data()), size_(container.size())
    {
    }
    template <std::size_t N> span(T (&array)[N]) noexcept : data_(array), size_(N) {}

    T *data() const noexcept
    {
        return data_;
    }
    std::size_t size() const noexcept
    {
        return size_;
    }
    std::size_t bytes() const noexcept
    {
        return size_ * sizeof(T);
    }
    T *begin() const noexcept
    {
        return data_;
    }
    T *end() const noexcept
    {
        return data_ + size_;
    }
    T &operator[](std::size_t i) const noexcept
    {
        return data_[i];
    }
    span subspan(std::size_t first, std::size_t count) const noexcept
    {
        return span(data_ + first, count);
    }

  private:
    T *data_;
    std::size_t size_;
};

/* ---- The library's life ---- */

class library
{
  public:
    library(std::initializer_list<void *> devices, int flags)
    {
        start(devices, flags);
    }
    library(std::vector<void *> devices, int flags)
    {
        start(devices, flags);
    }
    library(const library &) = delete;
    library &operator=(const library &) = delete;
    ~library()
    {
        gpuvm_finish();
    }

  private:
    static void start(std::vector<void *> devices, int flags)
    {
        check(gpuvm_init(static_cast<unsigned>(devices.size()), devices.data(), flags));
    }
};

inline unsigned long long stat(int parameter)
{
    unsigned long long value = 0;
    check(gpuvm_stat(parameter, &value));
    return value;
}

inline const char *rung()
{
    const char *name = nullptr;
    check(gpuvm_stat(GPUVM_STAT_RUNG, &name));
    return name;
}

/* ---- Links and uses ---- */

/* A link with a device's buffer. Its end brings the data back; end() does so and tells of errors. */
template <class T> class linked
{
  public:
    linked(span<T> elements, void *buffer, unsigned device = 0, int where = GPUVM_ON_HOST)
        : elements_(elements), device_(device)
    {
        check(gpuvm_link(data(), elements.bytes(), device, buffer, where));
    }
    linked(linked &&other) noexcept
        : elements_(other.elements_), device_(other.device_), is_on_(other.is_on_)
    {
        other.is_on_ = false;
    }
    linked(const linked &) = delete;
    linked &operator=(const linked &) = delete;
    ~linked()
    {
        if (is_on_)
            gpuvm_unlink(data(), device_);
    }
    void end()
    {
        check(gpuvm_unlink(data(), device_));
        is_on_ = false;
    }
    span<T> elements() const noexcept
    {
        return elements_;
    }

  private:
    void *data() const noexcept
    {
        return const_cast<std::remove_const_t<T> *>(elements_.data());
    }
    span<T> elements_;
    unsigned device_;
    bool is_on_ = true;
};

template <class Container>
linked(Container &, void *)
    -> linked<std::remove_pointer_t<decltype(std::declval<Container &>().data())>>;
template <class Container>
linked(Container &, void *, unsigned)
    -> linked<std::remove_pointer_t<decltype(std::declval<Container &>().data())>>;

/* How a kernel uses an array. */
struct access {
    void *data;
    int flags;
};

template <class Container> access reads(Container &array)
{
    return {const_cast<void *>(static_cast<const void *>(array.data())), GPUVM_READ_ONLY};
}
template <class Container> access writes(Container &array)
{
    return {static_cast<void *>(array.data()), GPUVM_READ_WRITE};
}
template <class Container> access overwrites(Container &array)
{
    return {static_cast<void *>(array.data()), GPUVM_WRITE_ONLY};
}

/* Kernels on the device use arrays, up to the end of its scope; end() tells of errors. */
class kernel_use
{
  public:
    kernel_use(std::initializer_list<access> arrays, unsigned device = 0) : device_(device)
    {
        std::vector<int> flags;
        for (const access &array : arrays) {
            hosts_.push_back(array.data);
            flags.push_back(array.flags);
        }
        check(gpuvm_kernel_begin_many(count(), hosts_.data(), device, flags.data()));
    }
    kernel_use(const kernel_use &) = delete;
    kernel_use &operator=(const kernel_use &) = delete;
    ~kernel_use()
    {
        if (!hosts_.empty())
            gpuvm_kernel_end_many(count(), hosts_.data(), device_);
    }
    void end()
    {
        check(gpuvm_kernel_end_many(count(), hosts_.data(), device_));
        hosts_.clear();
    }

  private:
    unsigned count() const noexcept
    {
        return static_cast<unsigned>(hosts_.size());
    }
    std::vector<void *> hosts_;
    unsigned device_;
};

/* The host uses elements, without faults, up to the end of its scope. */
template <class T> class host_use
{
  public:
    explicit host_use(span<T> elements, int flags = GPUVM_READ_WRITE) : elements_(elements)
    {
        check(gpuvm_host_begin(data(), elements.bytes(), flags));
    }
    host_use(const host_use &) = delete;
    host_use &operator=(const host_use &) = delete;
    ~host_use()
    {
        gpuvm_host_end(data(), elements_.bytes());
    }

  private:
    void *data() const noexcept
    {
        return const_cast<std::remove_const_t<T> *>(elements_.data());
    }
    span<T> elements_;
};

} // namespace gpuvm

#endif
