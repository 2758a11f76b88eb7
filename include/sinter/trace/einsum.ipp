#pragma once

#include <algorithm>  // std::count, std::find, std::sort
#include <map>        // std::map

#include <sinter/trace/autocast.hpp>
#include <sinter/trace/cast.hpp>
#include <sinter/trace/einsum.hpp>
#include <sinter/trace/elementwise.hpp>
#include <sinter/trace/movement.hpp>
#include <sinter/trace/product.hpp>
#include <sinter/trace/recorder.hpp>
#include <sinter/trace/reduce.hpp>
#include <sinter/trace/window.hpp>

namespace sinter::inline SINTER_ABI::detail {

// An error that points to `place` in the equation.
template <class Error>
[[noreturn]] void throw_equation(std::string_view equation, std::size_t place, std::string what,
                                 std::string rule, std::string fix, Where where,
                                 std::vector<std::pair<std::string, std::string>> facts = {}) {
  Report report{.op = "einsum",
                .what = std::move(what),
                .facts = {{"text", std::string(equation)}, {"", std::string(place, ' ') + "^"}},
                .rule = std::move(rule),
                .fix = std::move(fix),
                .where = where,
                .see = "matmul"};
  for (auto& fact : facts) report.facts.push_back(std::move(fact));
  throw Error(report);
}

constexpr bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }

// Appends what stands at `place` to `to`; gives the place behind it.
SINTER_INLINE std::size_t parse_label(std::string_view text, std::size_t place, Subscripts& to,
                                      Where where) {
  if (is_letter(text[place])) {
    to.labels.push_back(text[place]), to.places.push_back(place);
    return place + 1;
  }
  if (text.substr(place, 3) == "...") {
    if (std::count(to.labels.begin(), to.labels.end(), ellipsis_label) != 0) {
      throw_equation<ValueError>(text, place, "an operand has two ellipses",
                                 "... occurs once at most in each operand",
                                 "give letters to the axes between them", where);
    }
    to.labels.push_back(ellipsis_label), to.places.push_back(place);
    return place + 3;
  }
  throw_equation<ValueError>(text, place, "this is no part of an equation",
                             "axes are letters a-z and A-Z or ..., operands are separated by "
                             "commas, -> stands in front of the result",
                             "write for example \"bij,bjk->bik\"", where);
}

SINTER_INLINE Equation parse_equation(std::string_view text, Where where) {
  Equation result{.text = text};
  Subscripts* current = &result.inputs.emplace_back();
  for (std::size_t place = 0; place < text.size();) {
    if (text[place] == ' ') {
      ++place;
    } else if (text[place] == ',' && !result.has_output) {
      current = &result.inputs.emplace_back();
      current->place = ++place;
    } else if (text.substr(place, 2) == "->" && !result.has_output) {
      result.has_output = true;
      current = &result.output;
      current->place = place += 2;
    } else {
      place = parse_label(text, place, *current, where);
    }
  }
  return result;
}

// Axes of an ellipsis are labels of their own, counted from the last one.
constexpr int broadcast_label(int from_last) { return 256 + from_last; }
constexpr bool is_broadcast_label(int label) { return label >= 256; }

using Labels = std::vector<int>;

inline bool has(const Labels& labels, int label) {
  return std::find(labels.begin(), labels.end(), label) != labels.end();
}

// An operand, or the product of some, with a label for each axis.
struct EinsumTerm {
  Tensor x{};
  Labels labels{};
};

// One einsum: its operands, one after the other, then what is left of them.
class Einsum {
 public:
  Einsum(std::string_view text, std::span<const Operand> operands, Where where)
      : equation_(parse_equation(text, where)), operands_(operands), where_(where) {}

  Tensor operator()();

 private:
  void require_operands() const;
  DType common_dtype() const;
  EinsumTerm labelled(std::size_t i) const;
  Labels places_of_ellipsis(std::size_t i, int rank) const;
  EinsumTerm without_repeats(EinsumTerm term, const Subscripts& written);
  void note_sizes(const EinsumTerm& term, const Subscripts& written);
  void find_output();
  EinsumTerm without(EinsumTerm term, const Labels& needed) const;
  EinsumTerm without_repeated_ones(EinsumTerm term) const;
  Labels needed_beside(const std::vector<EinsumTerm>& terms, std::size_t a, std::size_t b) const;
  std::pair<std::size_t, std::size_t> next_pair(const std::vector<EinsumTerm>& terms) const;
  EinsumTerm product(const EinsumTerm& lhs, const EinsumTerm& rhs, const Labels& needed) const;
  EinsumTerm elementwise_product(const EinsumTerm& lhs, const EinsumTerm& rhs) const;
  std::string name_of(int label) const {
    return is_broadcast_label(label) ? "..." : std::string(1, static_cast<char>(label));
  }

  Equation equation_;
  std::span<const Operand> operands_;
  Where where_;
  std::map<int, Extent> sizes_;
  Labels output_;
};

SINTER_INLINE void Einsum::require_operands() const {
  const std::size_t named = equation_.inputs.size();
  if (named == operands_.size()) return;
  const bool is_short = named < operands_.size();
  const std::size_t place =
      is_short ? equation_.inputs.back().place : equation_.inputs[operands_.size()].place;
  throw_equation<ValueError>(
      equation_.text, place,
      text("there are ", is_short ? "more" : "fewer", " operands than named"),
      "the equation has one group of letters for each operand", "separate the groups with commas",
      where_, {{"named", text(named)}, {"given", text(operands_.size())}});
}

SINTER_INLINE DType Einsum::common_dtype() const {
  OperandType type = operands_[0].type();
  for (const Operand& operand : operands_.subspan(1)) type = promote(type, operand.type());
  if (type.weak && type.dtype == f64) type.dtype = f32;
  return product_dtype(type, "einsum", operands_[0], operands_.back());
}

// The operand with a label for each of its axes.
SINTER_INLINE EinsumTerm Einsum::labelled(std::size_t i) const {
  const Subscripts& written = equation_.inputs[i];
  const Operand& operand = operands_[i];
  const int rank = operand.shape().size();
  const bool has_ellipsis = has(written.labels, ellipsis_label);
  const int letters = static_cast<int>(written.labels.size()) - (has_ellipsis ? 1 : 0);
  if (letters > rank || (letters < rank && !has_ellipsis)) {
    throw_equation<ShapeError>(
        equation_.text, written.places.empty() ? written.place : written.places[0],
        "an operand has another number of axes",
        "there is a letter for each axis, or ... for those that have none",
        letters > rank ? "leave out letters, or unsqueeze the operand" : "add letters, or ...",
        where_, {{"found", to_string(operand)}, {"number", text(i)}, {"named", text(letters)}});
  }
  EinsumTerm result{.x = operand.tensor()};
  for (const int label : written.labels) {
    if (label != ellipsis_label) result.labels.push_back(label);
    if (label != ellipsis_label) continue;
    for (int left = rank - letters; left > 0; --left) {
      result.labels.push_back(broadcast_label(left - 1));
    }
  }
  return result;
}

// Two axes of `x`, which are equally long, as one: their diagonal, in the place of the first. The
// matrix with a column more, row by row, has it as its first column.
SINTER_INLINE Tensor diagonal_of(const Tensor& x, int first, int second, Where where) {
  const Extent n = x.shape()[first];
  std::vector<int> order;
  Shape rest, flat, padded, result;
  for (int axis = 0; axis < x.ndim(); ++axis) {
    if (axis == first || axis == second) continue;
    order.push_back(axis), rest.push_back(x.shape()[axis]);
  }
  order.push_back(first), order.push_back(second);
  flat = rest, padded = rest, result = rest;
  flat.push_back(n * n), padded.push_back(n), padded.push_back(n + 1), result.push_back(n);
  const Tensor rows = reshape({permute({x, where}, order), where}, flat);
  std::vector<std::pair<Extent, Extent>> widths(static_cast<std::size_t>(rest.size()), {0, 0});
  widths.push_back({0, n});
  const Tensor wide = reshape({pad({rows, where}, widths, {0, where}), where}, padded);
  const Tensor column = slice({wide, where}, -1, 0, 1);
  std::vector<int> back;  // the last axis to the place of the first one
  for (int axis = 0; axis < result.size(); ++axis) {
    back.push_back(axis < first ? axis : axis == first ? result.size() - 1 : axis - 1);
  }
  return permute({reshape({column, where}, result), where}, back);
}

}  // namespace sinter::inline SINTER_ABI::detail

#include <sinter/trace/einsum_terms.ipp>
