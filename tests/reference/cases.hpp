#pragma once
// The files of tests/data/torch, read.

#include <string>
#include <vector>

#include "reference.hpp"

namespace reference {

/// An array of a file: its type, and which of its dimensions vary in the symbolic run.
struct Array {
  DType dtype{};
  std::vector<std::int64_t> sizes{};
  Vector<bool> varies{};
  Tensor tensor{};

  bool defined() const { return tensor.defined(); }
};

struct Case {
  std::string text;  ///< "sum;0;1", and how often this text came before
  std::string function;
  Options options;
  double length = 1;    ///< Of the longest sum in it.
  double accuracy = 0;  ///< An error relative to the largest element that is no fault.
  std::vector<Array> inputs{}, outputs{}, cotangents{}, gradients{};

  bool has_gradients() const { return !cotangents.empty(); }
};

/// The cases of a family.
const std::vector<Case>& cases_of(std::string_view family);

/// What two cases have to share to be calls of one variant; "" if no size varies.
std::string variant_of(const Case& item);

/// What differs between `found` and what torch gave; "" if nothing does.
std::string difference(const Case& item, const Array& expected, const Tensor& found,
                       bool is_gradient);

}  // namespace reference
