// SPDX-License-Identifier: MIT
// ViennaCL on an OpenCL device as a program uses it: vectors, dense and sparse matrices in each of their formats, solvers, a
// Fourier transform; each against plain loops on the host. Prints a line for each: its name, then "pass" or "fail".
#define VIENNACL_WITH_OPENCL
#include <cmath>
#include <iostream>
#include <map>
#include <random>
#include <string>
#include <vector>

#include <viennacl/compressed_matrix.hpp>
#include <viennacl/coordinate_matrix.hpp>
#include <viennacl/ell_matrix.hpp>
#include <viennacl/fft.hpp>
#include <viennacl/hyb_matrix.hpp>
#include <viennacl/linalg/bicgstab.hpp>
#include <viennacl/linalg/cg.hpp>
#include <viennacl/linalg/direct_solve.hpp>
#include <viennacl/linalg/gmres.hpp>
#include <viennacl/linalg/inner_prod.hpp>
#include <viennacl/linalg/lu.hpp>
#include <viennacl/linalg/maxmin.hpp>
#include <viennacl/linalg/norm_1.hpp>
#include <viennacl/linalg/norm_2.hpp>
#include <viennacl/linalg/norm_inf.hpp>
#include <viennacl/linalg/prod.hpp>
#include <viennacl/linalg/sum.hpp>
#include <viennacl/matrix.hpp>
#include <viennacl/matrix_proxy.hpp>
#include <viennacl/sliced_ell_matrix.hpp>
#include <viennacl/vector.hpp>
#include <viennacl/vector_proxy.hpp>

namespace linalg = viennacl::linalg;
static int failures = 0;

static void judge(const std::string &name, bool passed)
{
    std::cout << name << (passed ? " pass" : " fail") << std::endl;
    failures += !passed;
}

template <class Value> static bool is_near(Value a, Value b)
{
    Value bound = sizeof(Value) == 4 ? Value(2e-4) : Value(1e-10);
    return std::fabs(a - b) <= bound * (Value(1) + std::fabs(b));
}

template <class Value> static bool is_near(const viennacl::vector<Value> &device, const std::vector<Value> &host)
{
    std::vector<Value> values(device.size());
    viennacl::copy(device, values);
    for (size_t i = 0; i < values.size(); i++)
        if (!is_near(values[i], host[i]))
            return false;
    return values.size() == host.size();
}

template <class Value> static std::vector<Value> random_values(size_t count, unsigned seed)
{
    std::mt19937 random(seed);
    std::vector<Value> values(count);
    for (Value &value : values)
        value = Value(random() % 2001) / Value(1000) - Value(1);
    return values;
}

template <class Value> static viennacl::vector<Value> to_device(const std::vector<Value> &host)
{
    viennacl::vector<Value> device(host.size());
    viennacl::copy(host, device);
    return device;
}

template <class Value> static void vectors(const std::string &type)
{
    const size_t count = 4099;
    std::vector<Value> a = random_values<Value>(count, 1), b = random_values<Value>(count, 2), sum(count);
    viennacl::vector<Value> x = to_device(a), y = to_device(b), z(count);
    Value dot = 0, total = 0, absolute = 0, most = 0, squares = 0;

    for (size_t i = 0; i < count; i++) {
        sum[i] = Value(2) * a[i] - b[i] / Value(3);
        dot += a[i] * b[i], total += a[i], absolute += std::fabs(a[i]), squares += a[i] * a[i];
        most = std::max(most, std::fabs(a[i]));
    }
    z = Value(2) * x - y / Value(3);
    judge("vector sum, " + type, is_near(z, sum));
    judge("inner_prod, " + type, is_near<Value>(linalg::inner_prod(x, y), dot));
    judge("norms, " + type, is_near<Value>(linalg::norm_1(x), absolute) &&
                                is_near<Value>(linalg::norm_2(x), std::sqrt(squares)) &&
                                is_near<Value>(linalg::norm_inf(x), most));
    judge("sum, maximum, " + type, is_near<Value>(linalg::sum(x), total) &&
                                       is_near<Value>(linalg::max(x), *std::max_element(a.begin(), a.end())));
    z = linalg::element_prod(x, linalg::element_exp(y));
    for (size_t i = 0; i < count; i++)
        sum[i] = a[i] * std::exp(b[i]);
    judge("element_prod, element_exp, " + type, is_near(z, sum));
    viennacl::slice every(3, 5, 400);
    viennacl::vector_slice<viennacl::vector<Value>> part(x, every);
    part *= Value(4);
    for (size_t i = 0; i < 400; i++)
        a[3 + 5 * i] *= Value(4);
    judge("vector_slice, " + type, is_near(x, a));
}

template <class Value> using rows = std::vector<std::vector<Value>>;

template <class Value> static rows<Value> random_rows(size_t height, size_t width, unsigned seed)
{
    std::vector<Value> values = random_values<Value>(height * width, seed);
    rows<Value> matrix(height);
    for (size_t i = 0; i < height; i++)
        matrix[i].assign(values.begin() + long(i * width), values.begin() + long((i + 1) * width));
    return matrix;
}

template <class Value> static rows<Value> product(const rows<Value> &a, const rows<Value> &b)
{
    rows<Value> c(a.size(), std::vector<Value>(b[0].size(), 0));
    for (size_t i = 0; i < a.size(); i++)
        for (size_t k = 0; k < b.size(); k++)
            for (size_t j = 0; j < b[0].size(); j++)
                c[i][j] += a[i][k] * b[k][j];
    return c;
}

template <class Value, class Layout>
static bool is_near(const viennacl::matrix<Value, Layout> &device, const rows<Value> &host)
{
    rows<Value> values(host.size(), std::vector<Value>(host[0].size()));
    viennacl::copy(device, values);
    for (size_t i = 0; i < host.size(); i++)
        for (size_t j = 0; j < host[0].size(); j++)
            if (!is_near(values[i][j], host[i][j]))
                return false;
    return true;
}

template <class Value, class Layout> static void dense(const std::string &type)
{
    const size_t m = 67, k = 130, n = 45;
    rows<Value> a = random_rows<Value>(m, k, 3), b = random_rows<Value>(k, n, 4);
    std::vector<Value> v = random_values<Value>(k, 5), w(m, 0);
    viennacl::matrix<Value, Layout> A(m, k), B(k, n), C(m, n), T(k, m);
    viennacl::vector<Value> x = to_device(v), y(m);

    viennacl::copy(a, A);
    viennacl::copy(b, B);
    C = linalg::prod(A, B);
    judge("matrix product, " + type, is_near(C, product(a, b)));
    y = linalg::prod(A, x);
    for (size_t i = 0; i < m; i++)
        for (size_t j = 0; j < k; j++)
            w[i] += a[i][j] * v[j];
    judge("matrix and vector, " + type, is_near(y, w));
    T = viennacl::trans(A);
    rows<Value> t(k, std::vector<Value>(m));
    for (size_t i = 0; i < m; i++)
        for (size_t j = 0; j < k; j++)
            t[j][i] = a[i][j];
    judge("transposed, " + type, is_near(T, t));

    rows<Value> s = random_rows<Value>(m, m, 6);
    for (size_t i = 0; i < m; i++)
        s[i][i] += Value(20);
    viennacl::matrix<Value, Layout> S(m, m);
    viennacl::copy(s, S);
    std::vector<Value> solution = random_values<Value>(m, 7), right(m, 0);
    for (size_t i = 0; i < m; i++)
        for (size_t j = 0; j < m; j++)
            right[i] += s[i][j] * solution[j];
    viennacl::vector<Value> r = to_device(right);
    linalg::lu_factorize(S);
    linalg::lu_substitute(S, r);
    judge("LU, " + type, is_near(r, solution));
}

template <class Matrix, class Value>
static void sparse(const std::string &name, const std::vector<std::map<unsigned, Value>> &host)
{
    std::vector<Value> v = random_values<Value>(host.size(), 8), w(host.size(), 0);
    Matrix device;
    viennacl::copy(host, device);
    for (size_t i = 0; i < host.size(); i++)
        for (auto entry : host[i])
            w[i] += entry.second * v[entry.first];
    viennacl::vector<Value> x = to_device(v), y(host.size());
    y = linalg::prod(device, x);
    judge("sparse product, " + name, is_near(y, w));
}

template <class Value> static void sparse_all(const std::string &type)
{
    const unsigned side = 24, count = side * side;
    std::vector<std::map<unsigned, Value>> host(count);
    for (unsigned i = 0; i < count; i++) {
        host[i][i] = Value(4.5);
        if (i % side != 0)
            host[i][i - 1] = Value(-1);
        if (i % side != side - 1)
            host[i][i + 1] = Value(-1);
        if (i >= side)
            host[i][i - side] = Value(-1);
        if (i + side < count)
            host[i][i + side] = Value(-1);
    }
    sparse<viennacl::compressed_matrix<Value>>("compressed, " + type, host);
    sparse<viennacl::coordinate_matrix<Value>>("coordinate, " + type, host);
    sparse<viennacl::ell_matrix<Value>>("ell, " + type, host);
    sparse<viennacl::sliced_ell_matrix<Value>>("sliced ell, " + type, host);
    sparse<viennacl::hyb_matrix<Value>>("hybrid, " + type, host);

    std::vector<Value> solution = random_values<Value>(count, 9), right(count, 0);
    for (unsigned i = 0; i < count; i++)
        for (auto entry : host[i])
            right[i] += entry.second * solution[entry.first];
    viennacl::compressed_matrix<Value> A;
    viennacl::copy(host, A);
    viennacl::vector<Value> b = to_device(right), x(count);
    double bound = sizeof(Value) == 4 ? 1e-6 : 1e-12;
    x = linalg::solve(A, b, linalg::cg_tag(bound, 300));
    judge("conjugate gradients, " + type, is_near(x, solution));
    x = linalg::solve(A, b, linalg::bicgstab_tag(bound, 300));
    judge("bicgstab, " + type, is_near(x, solution));
    x = linalg::solve(A, b, linalg::gmres_tag(bound, 300, 30));
    judge("gmres, " + type, is_near(x, solution));
}

template <class Value> static void fourier(const std::string &type)
{
    const unsigned length = 64;
    std::vector<Value> host = random_values<Value>(2 * length, 10), expected(2 * length, 0);
    for (unsigned k = 0; k < length; k++)
        for (unsigned i = 0; i < length; i++) {
            Value angle = Value(-2 * M_PI * double(i * k % length) / length);
            expected[2 * k] += host[2 * i] * std::cos(angle) - host[2 * i + 1] * std::sin(angle);
            expected[2 * k + 1] += host[2 * i] * std::sin(angle) + host[2 * i + 1] * std::cos(angle);
        }
    viennacl::vector<Value> x = to_device(host), y(2 * length);
    viennacl::fft(x, y);
    judge("fft, " + type, is_near(y, expected));
}

int main()
{
    try {
        vectors<float>("float");
        vectors<double>("double");
        dense<float, viennacl::row_major>("float by rows");
        dense<double, viennacl::row_major>("double by rows");
        dense<float, viennacl::column_major>("float by columns");
        sparse_all<float>("float");
        sparse_all<double>("double");
        fourier<float>("float");
        fourier<double>("double");
    } catch (const std::exception &error) {
        std::cout << "exception " << error.what() << " fail" << std::endl;
        return 2;
    }
    return failures != 0;
}
