// SPDX-License-Identifier: Apache-2.0

// cuSOLVER's sparse part: solutions, least squares, eigenvalues, and orders of rows and columns.
#include "cusolver_csr.h"

namespace maths {
namespace {

constexpr int kReorder = 1;  // by symrcm

void stream(Check& check, const SparseSolver& solver) {
  Guarded<cudaStream_t> stream;
  NEED(check, cusolverSpGetStream(solver.handle, stream.get()));
  INTACT(check, stream);
  EXPECT(check, *stream == solver.stream);
}

// One system on the host by each factorisation.
void on_host(Check& check, const SparseSolver& solver) {
  const Csr<double> skew = grid<double>(5, -1.25, -0.75), even = grid<double>(5, -1, -1);
  const auto x = random_values<double>(kPoints, 1);
  const auto expect = [&](const char* text, const std::vector<double>& got,
                          const Guarded<int>& singular_at) {
    INTACT(check, singular_at);
    check.equal(text, *singular_at, -1);
    check.near(text, got, x, 1e-10);
  };
  std::vector<double> found(kPoints), b = skew.times(x);
  {
    Guarded<int> singular_at;
    NEED(check,
         cusolverSpDcsrlsvluHost(solver.handle, kPoints, skew.count(), solver.matrix,
                                 skew.values.data(), skew.rows.data(), skew.columns.data(),
                                 b.data(), 1e-12, kReorder, found.data(), singular_at.get()));
    expect("lu", found, singular_at);
  }
  {
    Guarded<int> singular_at;
    found.assign(kPoints, 0);
    NEED(check,
         cusolverSpDcsrlsvqrHost(solver.handle, kPoints, skew.count(), solver.matrix,
                                 skew.values.data(), skew.rows.data(), skew.columns.data(),
                                 b.data(), 1e-12, kReorder, found.data(), singular_at.get()));
    expect("qr", found, singular_at);
  }
  {
    Guarded<int> singular_at;
    found.assign(kPoints, 0);
    b = even.times(x);
    NEED(check,
         cusolverSpDcsrlsvcholHost(solver.handle, kPoints, even.count(), solver.matrix,
                                   even.values.data(), even.rows.data(), even.columns.data(),
                                   b.data(), 1e-12, kReorder, found.data(), singular_at.get()));
    expect("chol", found, singular_at);
  }
}

// Complex ones on the device.
void on_device(Check& check, const SparseSolver& solver) {
  {
    const auto a = grid<SingleComplex>({5, 1}, {-1, 0.5}, {-0.5, 0.25});
    const auto x = random_values<SingleComplex>(kPoints, 2);
    const CsrOnDevice<SingleComplex> on(a);
    DeviceArray<SingleComplex> b(a.times(x)), found(kPoints);
    Guarded<int> singular_at;
    NEED(check, cusolverSpCcsrlsvqr(solver.handle, kPoints, a.count(), solver.matrix,
                                    on.values.template as<cuComplex>(), on.rows.data(),
                                    on.columns.data(), b.as<cuComplex>(), 1e-6f, kReorder,
                                    found.as<cuComplex>(), singular_at.get()));
    NEED(check, cudaStreamSynchronize(solver.stream));
    INTACT(check, singular_at);
    check.equal("qr", *singular_at, -1);
    check.near("x of qr", flat(found.get(check)), flat(x), 1e-4);
  }
  const auto a = grid<Complex>(5, {-1, 0.5}, {-1, -0.5});
  const auto x = random_values<Complex>(kPoints, 3);
  const CsrOnDevice<Complex> on(a);
  DeviceArray<Complex> b(a.times(x)), found(kPoints);
  Guarded<int> singular_at;
  NEED(check, cusolverSpZcsrlsvchol(solver.handle, kPoints, a.count(), solver.matrix,
                                    on.values.template as<cuDoubleComplex>(), on.rows.data(),
                                    on.columns.data(), b.as<cuDoubleComplex>(), 1e-12, kReorder,
                                    found.as<cuDoubleComplex>(), singular_at.get()));
  NEED(check, cudaStreamSynchronize(solver.stream));
  INTACT(check, singular_at);
  check.equal("chol", *singular_at, -1);
  check.near("x of chol", flat(found.get(check)), flat(x), 1e-10);
}

// More equations than unknowns: A' (A x - b) is zero, and the call reports the norm of A x - b.
void least_squares(Check& check, const SparseSolver& solver) {
  Csr<double> a = grid<double>(4, -1.25, -0.75);
  constexpr int kMore = 6;
  for (int i = 0; i < kMore; ++i) {
    a.add(i, 1);
    a.add(i + 20, -2);
    a.end_row();
  }
  const auto b = random_values<double>(kPoints + kMore, 4);
  std::vector<double> x(kPoints);
  std::vector<int> order(kPoints);
  Guarded<int> rank;
  Guarded<double> norm;
  NEED(check,
       cusolverSpDcsrlsqvqrHost(solver.handle, kPoints + kMore, kPoints, a.count(), solver.matrix,
                                a.values.data(), a.rows.data(), a.columns.data(), b.data(), 1e-12,
                                rank.get(), x.data(), order.data(), norm.get()));
  INTACT(check, rank);
  INTACT(check, norm);
  check.equal("rank", *rank, kPoints);
  EXPECT(check, is_permutation_of_points(order));
  std::vector<double> left = a.times(x), across(kPoints);
  double square = 0;
  for (int i = 0; i < a.height(); ++i) {
    left[i] -= b[i];
    square += left[i] * left[i];
    for (int at = a.rows[i]; at < a.rows[i + 1]; ++at) {
      across[a.columns[at]] += a.values[at] * left[i];
    }
  }
  check.near("A' (A x - b)", across, std::vector<double>(kPoints), 1e-10);
  check.near("norm", {*norm * *norm}, {square}, 1e-10);
}

// The eigenvalues of the grid are known.
std::vector<double> eigenvalues_of_grid(double middle) {
  const double pi = 3.14159265358979323846;
  std::vector<double> values;
  for (int y = 1; y <= kHigh; ++y) {
    for (int x = 1; x <= kWide; ++x) {
      values.push_back(middle - 2 * std::cos(pi * x / (kWide + 1)) -
                       2 * std::cos(pi * y / (kHigh + 1)));
    }
  }
  std::sort(values.begin(), values.end());
  return values;
}

// A x = mu x, with the eigenvalue that is nearest to a guess: on the host and on the device.
void eigenvector(Check& check, const SparseSolver& solver) {
  const Csr<double> a = grid<double>(5, -1, -1);
  const double wanted = eigenvalues_of_grid(5)[0];
  const auto expect = [&](const char* text, const std::vector<double>& x, double value) {
    check.near(text, {value}, {wanted}, 1e-6);
    std::vector<double> scaled = x;
    double square = 0;
    for (double& part : scaled) {
      square += part * part;
      part *= value;
    }
    check.near(text, {square}, {1}, 1e-6);
    check.near(text, a.times(x), scaled, 1e-5);
  };
  const auto from = random_values<double>(kPoints, 5);
  std::vector<double> x(kPoints);
  Guarded<double> value;
  NEED(check, cusolverSpDcsreigvsiHost(
                  solver.handle, kPoints, a.count(), solver.matrix, a.values.data(), a.rows.data(),
                  a.columns.data(), wanted - 0.01, from.data(), 100, 1e-10, value.get(), x.data()));
  INTACT(check, value);
  expect("on host", x, *value);
  const CsrOnDevice<double> on(a);
  DeviceArray<double> start(from), vector(kPoints), found(1);
  NEED(check,
       cusolverSpDcsreigvsi(solver.handle, kPoints, a.count(), solver.matrix, on.values.data(),
                            on.rows.data(), on.columns.data(), wanted - 0.01, start.data(), 100,
                            1e-10, found.data(), vector.data()));
  NEED(check, cudaStreamSynchronize(solver.stream));
  expect("on device", vector.get(check), found.get(check)[0]);
}

// How many eigenvalues are in a rectangle of the plane.
void eigenvalue_count(Check& check, const SparseSolver& solver) {
  const Csr<double> a = grid<double>(5, -1, -1);
  const std::vector<double> all = eigenvalues_of_grid(5);
  Guarded<int> count;
  NEED(check,
       cusolverSpDcsreigsHost(solver.handle, kPoints, a.count(), solver.matrix, a.values.data(),
                              a.rows.data(), a.columns.data(), make_cuDoubleComplex(0, -5),
                              make_cuDoubleComplex(10, 5), count.get()));
  INTACT(check, count);
  check.equal("count", *count, static_cast<double>(all.size()));
}

// Each way to order finds a permutation.
void orders(Check& check, const SparseSolver& solver) {
  const Csr<double> a = grid<double>(5, -1, -1);
  const auto find = [&](const char* name, auto function) {
    std::vector<int> order(kPoints + 1, -7);
    if (!check.call(name, function(order.data()))) return;
    check.equal(name, order.back(), -7);
    order.pop_back();
    if (!is_permutation_of_points(order)) check.fail(std::string(name) + ": no permutation");
  };
#define ORDER(function, ...)                                                         \
  find(#function, [&](int* order) {                                                  \
    return function(solver.handle, kPoints, a.count(), solver.matrix, a.rows.data(), \
                    a.columns.data(), __VA_ARGS__);                                  \
  })
  ORDER(cusolverSpXcsrsymrcmHost, order);
  ORDER(cusolverSpXcsrsymmdqHost, order);
  ORDER(cusolverSpXcsrsymamdHost, order);
  ORDER(cusolverSpXcsrmetisndHost, nullptr, order);
#undef ORDER
}

// A(p, q), and where its values come from.
void reordered(Check& check, const SparseSolver& solver) {
  Csr<double> a = grid<double>(5, -1.25, -0.75);
  for (int i = 0; i < a.count(); ++i) a.values[i] = i + 1;
  std::vector<int> p(kPoints), q(kPoints);
  for (int i = 0; i < kPoints; ++i) {
    p[i] = i * 5 % kPoints;
    q[i] = i * 7 % kPoints;
  }
  Guarded<std::size_t> bytes;
  NEED(check, cusolverSpXcsrperm_bufferSizeHost(solver.handle, kPoints, kPoints, a.count(),
                                                solver.matrix, a.rows.data(), a.columns.data(),
                                                p.data(), q.data(), bytes.get()));
  INTACT(check, bytes);
  std::vector<char> work(*bytes + 1);
  std::vector<int> map(a.count());
  for (int i = 0; i < a.count(); ++i) map[i] = i;
  Csr<double> b = a;
  NEED(check, cusolverSpXcsrpermHost(solver.handle, kPoints, kPoints, a.count(), solver.matrix,
                                     b.rows.data(), b.columns.data(), p.data(), q.data(),
                                     map.data(), work.data()));
  for (int i = 0; i < a.count(); ++i) b.values[i] = a.values[map[i]];
  // As the value at (i, j) is that at (p[i], q[j]): b of x is a of x in other order, in p's order.
  const auto x = random_values<double>(kPoints, 6);
  std::vector<double> moved(kPoints), wanted(kPoints);
  for (int j = 0; j < kPoints; ++j) moved[q[j]] = x[j];
  const std::vector<double> y = a.times(moved);
  for (int i = 0; i < kPoints; ++i) wanted[i] = y[p[i]];
  check.near("A(p, q) x", b.times(x), wanted, 1e-9);
}

void symmetry(Check& check, const SparseSolver& solver) {
  Csr<double> a = grid<double>(5, -1, -1);
  const auto ask = [&](int wanted) {
    Guarded<int> answer;
    NEED(check,
         cusolverSpXcsrissymHost(solver.handle, kPoints, a.count(), solver.matrix, a.rows.data(),
                                 a.rows.data() + 1, a.columns.data(), answer.get()));
    INTACT(check, answer);
    check.equal("symmetric", *answer, wanted);
  };
  ask(1);
  a.columns[1] = kPoints - 1;
  ask(0);
}

// An order of rows that leaves no zero on the diagonal of a matrix whose own is zero.
void diagonal(Check& check, const SparseSolver& solver) {
  Csr<double> a;
  for (int i = 0; i < kPoints; ++i) {
    const int one = (i + 1) % kPoints, other = (i + 5) % kPoints;
    a.add(std::min(one, other), 1);
    a.add(std::max(one, other), 2);
    a.end_row();
  }
  std::vector<int> order(kPoints);
  Guarded<int> count;
  NEED(check,
       cusolverSpDcsrzfdHost(solver.handle, kPoints, a.count(), solver.matrix, a.values.data(),
                             a.rows.data(), a.columns.data(), order.data(), count.get()));
  INTACT(check, count);
  check.equal("count", *count, kPoints);
  EXPECT(check, is_permutation_of_points(order));
  if (!check) return;
  int there = 0;
  for (int i = 0; i < kPoints; ++i) {
    const auto from = a.columns.begin() + a.rows[order[i]];
    there += std::count(from, a.columns.begin() + a.rows[order[i] + 1], i) == 1;
  }
  check.equal("diagonal", there, kPoints);
}

}  // namespace

void run() {
  run_topics_with<SparseSolver>("cusolver_sparse", {{"stream", stream},
                                                    {"on_host", on_host},
                                                    {"on_device", on_device},
                                                    {"least_squares", least_squares},
                                                    {"eigenvector", eigenvector},
                                                    {"eigenvalue_count", eigenvalue_count},
                                                    {"orders", orders},
                                                    {"reordered", reordered},
                                                    {"symmetry", symmetry},
                                                    {"diagonal", diagonal}});
}

}  // namespace maths
