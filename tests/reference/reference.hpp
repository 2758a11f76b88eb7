#pragma once
// Results of torch, as stored in tests/data/torch, and their comparison with sinter's.

#include <sinter/sinter.hpp>

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace reference {

using namespace sinter;
using namespace sinter::detail;

/// What a case passes beside tensors, by position.
class Options {
 public:
  explicit Options(std::vector<std::string> words) : words_(std::move(words)) {}

  std::size_t count() const { return words_.size(); }
  /// False for None.
  bool has(std::size_t i) const { return words_.at(i) != "-"; }
  const std::string& text(std::size_t i) const { return words_.at(i); }
  double number(std::size_t i) const;
  int integer(std::size_t i) const;
  bool flag(std::size_t i) const { return integer(i) != 0; }
  /// A number of the program: integer where it is written as one.
  Operand operand(std::size_t i) const;
  std::vector<std::string> list(std::size_t i) const;
  std::vector<std::int64_t> integers(std::size_t i) const;
  std::vector<int> ints(std::size_t i) const;
  /// All axes for None.
  Axes axes(std::size_t i) const { return has(i) ? Axes(ints(i)) : all_axes; }
  Shape shape(std::size_t i) const;
  DType dtype(std::size_t i) const;
  Reduction reduction(std::size_t i) const;

 private:
  std::vector<std::string> words_;
};

using Inputs = std::vector<Tensor>;

struct Outputs {
  std::vector<Tensor> list;
  Outputs(Tensor one) : list{std::move(one)} {}
  Outputs(std::vector<Tensor> several) : list(std::move(several)) {}
};

/// How sinter computes a function of the data.
struct Row {
  std::string_view name;
  std::function<Outputs(const Inputs& x, const Options& o)> run;
  /// Not compiled: the size of the result depends on the elements, or other rows compile the same.
  bool is_eager = false;
};

/// How many cases each compiled form takes: one of each function, about every other case, or all.
enum class Share { few, half, all };

/// The functions of one family: FAMILY.npz.
struct Table {
  std::string_view family;
  std::vector<Row> rows;
  Share compiled = Share::half;
};

/// The folder of the complete samples of torch, which SINTER_SAMPLES names; null in other runs.
const char* complete_samples();

/// The rows of several tables.
std::vector<Row> joined(const std::vector<std::vector<Row>>& tables);

/// Checks that the data has a case for each row, and the table a row for each function of the data.
void check_names(const Table& table);
/// Checks all cases, forward and backward, each operation evaluated as it is written.
void check_eager(const Table& table);
/// Checks cases compiled with their sizes as numbers. `Share::half`: those that the next does not
/// take, and one of each function.
void check_fused(const Table& table);
/// Checks cases compiled with their sizes as symbols. Those of one function that differ in sizes
/// and elements only are calls of one compiled function, which has to have one variant.
void check_symbolic(const Table& table);
/// Checks cases that mark no size, compiled with Dynamic::on.
void check_dynamic(const Table& table);

}  // namespace reference

/// The checks of one family, as test cases.
#define REFERENCE_TESTS(family, table)                                                    \
  TEST_CASE(family ": every function of the data has a row, and every row a function") {  \
    reference::check_names(table);                                                        \
  }                                                                                       \
  TEST_CASE(family ": eager gives torch's values and gradients") {                        \
    reference::check_eager(table);                                                        \
  }                                                                                       \
  TEST_CASE(family ": fused gives torch's values and gradients") {                        \
    reference::check_fused(table);                                                        \
  }                                                                                       \
  TEST_CASE(family ": symbolic sizes give torch's values and gradients in one variant") { \
    reference::check_symbolic(table);                                                     \
  }                                                                                       \
  static_assert(true)
