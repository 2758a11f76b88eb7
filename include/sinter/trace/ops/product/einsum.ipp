#pragma once

#include <algorithm>  // std::count, std::sort
#include <cmath>      // HUGE_VAL

#include <sinter/base/container/algorithm.hpp>
#include <sinter/base/container/sorted_map.hpp>
#include <sinter/base/container/vector.hpp>
#include <sinter/trace/context/autocast.hpp>
#include <sinter/trace/core/cast.hpp>
#include <sinter/trace/core/recorder.hpp>
#include <sinter/trace/ops/elementwise/elementwise.hpp>
#include <sinter/trace/ops/movement/movement.hpp>
#include <sinter/trace/ops/movement/window.hpp>
#include <sinter/trace/ops/product/einsum.hpp>
#include <sinter/trace/ops/product/product.hpp>
#include <sinter/trace/ops/reduce/reduce.hpp>

namespace sinter::inline SINTER_ABI {

namespace detail {

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

// Appends the label at `place` to `to`; returns the position after it.
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
  throw_equation<ValueError>(text, place, "this is not allowed in an equation",
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

// Axes of an ellipsis have labels of their own, counted from the last axis.
constexpr int broadcast_label(int from_last) { return 256 + from_last; }
constexpr bool is_broadcast_label(int label) { return label >= 256; }

using Labels = std::vector<int>;

// An operand, or a product of operands, with a label for each axis.
struct EinsumTerm {
  Tensor x{};
  Labels labels{};
};

// Evaluates one einsum: prepares its operands, then multiplies them pairwise.
class Einsum {
 public:
  Einsum(std::string_view text, Span<const Operand> operands, Where where)
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
  Labels labels_needed_outside(const Vector<EinsumTerm>& terms, std::size_t a, std::size_t b) const;
  std::pair<std::size_t, std::size_t> next_pair(const Vector<EinsumTerm>& terms) const;
  EinsumTerm product(const EinsumTerm& lhs, const EinsumTerm& rhs, const Labels& needed) const;
  EinsumTerm elementwise_product(const EinsumTerm& lhs, const EinsumTerm& rhs) const;
  std::string name_of(int label) const {
    return is_broadcast_label(label) ? "..." : std::string(1, static_cast<char>(label));
  }

  Equation equation_;
  Span<const Operand> operands_;
  Where where_;
  SortedMap<int, Extent> sizes_;
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
  const bool has_ellipsis = contains(written.labels, ellipsis_label);
  const int letters = static_cast<int>(written.labels.size()) - (has_ellipsis ? 1 : 0);
  if (letters > rank || (letters < rank && !has_ellipsis)) {
    throw_equation<ShapeError>(
        equation_.text, written.places.empty() ? written.place : written.places[0],
        "an operand has the wrong number of axes",
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

// Replaces two equally long axes of `x` by their diagonal, at the position of the first. Padding
// the matrix by one column and reading it in row-major order makes the diagonal its first column.
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
  std::vector<int> back;  // moves the last axis to the position of the first
  for (int axis = 0; axis < result.size(); ++axis) {
    back.push_back(axis < first ? axis : axis == first ? result.size() - 1 : axis - 1);
  }
  return permute({reshape({column, where}, result), where}, back);
}

// Sizes of the labels, and the products of terms.

SINTER_INLINE EinsumTerm Einsum::without_repeats(EinsumTerm term, const Subscripts& written) {
  for (std::size_t i = 0; i < term.labels.size(); ++i) {
    for (std::size_t j = i + 1; j < term.labels.size();) {
      if (term.labels[i] != term.labels[j]) {
        ++j;
        continue;
      }
      const int first = static_cast<int>(i), second = static_cast<int>(j);
      const Extent a = term.x.shape()[first], b = term.x.shape()[second];
      if (!equal_sizes(a, b, where_)) {
        const auto place = find(written.labels, term.labels[i]);
        throw_equation<ShapeError>(
            equation_.text,
            written.places[static_cast<std::size_t>(place - written.labels.begin())],
            text("the axes '", name_of(term.labels[i]), "' of an operand have two sizes"),
            "a letter twice in one operand is the diagonal of a square",
            "use two letters, or slice the operand", where_,
            {{"sizes", text(concrete({a})[0], " and ", concrete({b})[0])}});
      }
      term.x = diagonal_of(term.x, first, second, where_);
      term.labels.erase(term.labels.begin() + second);
    }
  }
  return term;
}

SINTER_INLINE void Einsum::note_sizes(const EinsumTerm& term, const Subscripts& written) {
  for (std::size_t i = 0; i < term.labels.size(); ++i) {
    const int label = term.labels[i];
    const Extent extent = term.x.shape()[static_cast<int>(i)];
    Extent& known = sizes_.try_emplace(label, extent).first->second;
    if (const auto met = meet(known, extent, where_)) {
      known = *met;
      continue;
    }
    const int found = is_broadcast_label(label) ? ellipsis_label : label;
    const auto place = find(written.labels, found);
    throw_equation<ShapeError>(
        equation_.text, written.places[static_cast<std::size_t>(place - written.labels.begin())],
        text("'", name_of(label), "' has two sizes"),
        "axes of one letter are equally long, or one of them is 1",
        "transpose an operand, or give the axis a letter of its own", where_,
        {{"sizes", text(concrete({known})[0], " before, ", concrete({extent})[0], " here")}});
  }
}

// The labels of the result: as written, or those that occur once.
SINTER_INLINE void Einsum::find_output() {
  Labels broadcast;
  for (const auto& [label, size] : sizes_) {
    if (is_broadcast_label(label)) broadcast.insert(broadcast.begin(), label);
  }
  if (!equation_.has_output) {
    output_ = broadcast;
    Labels written;
    for (const Subscripts& input : equation_.inputs) {
      written.insert(written.end(), input.labels.begin(), input.labels.end());
    }
    for (const auto& [label, size] : sizes_) {
      if (std::count(written.begin(), written.end(), label) == 1) output_.push_back(label);
    }
    return;
  }
  const Subscripts& written = equation_.output;
  for (std::size_t i = 0; i < written.labels.size(); ++i) {
    const int label = written.labels[i];
    if (label == ellipsis_label) {
      output_.insert(output_.end(), broadcast.begin(), broadcast.end());
      continue;
    }
    const bool is_repeated = contains(output_, label);
    if (is_repeated || sizes_.count(label) == 0) {
      throw_equation<ValueError>(
          equation_.text, written.places[i],
          text("the result has '", name_of(label),
               is_repeated ? "' twice" : "', no operand has it"),
          "letters of the result are different, and occur in an operand",
          is_repeated ? "leave it out; the diagonal is that of an operand, as in \"ii->i\""
                      : "leave it out, or expand the result afterwards",
          where_);
    }
    output_.push_back(label);
  }
}

// Sums over the labels that are not needed.
SINTER_INLINE EinsumTerm Einsum::without(EinsumTerm term, const Labels& needed) const {
  std::vector<int> summed;
  Labels kept;
  for (std::size_t i = 0; i < term.labels.size(); ++i) {
    if (contains(needed, term.labels[i])) {
      kept.push_back(term.labels[i]);
    } else {
      summed.push_back(static_cast<int>(i));
    }
  }
  if (summed.empty()) return term;
  if (operands_.size() == 1) return {sum({term.x, where_}, summed), kept};  // no product: a sum
  return {sum({term.x, where_}, summed, false, term.x.dtype()), kept};
}

// Drops axes of extent 1 that other operands repeat.
SINTER_INLINE EinsumTerm Einsum::without_repeated_ones(EinsumTerm term) const {
  Shape shape;
  Labels kept;
  for (std::size_t i = 0; i < term.labels.size(); ++i) {
    const Extent extent = resolved({term.x.shape()[static_cast<int>(i)]})[0];
    const Extent size = resolved({sizes_.at(term.labels[i])})[0];
    // An extent that differs from the common size was found to be 1.
    const bool is_one = same(extent, 1) || is_computed_one(extent, where_);
    if (!same(extent, size) && (is_one || !equal_sizes(extent, size, where_))) continue;
    shape.push_back(extent), kept.push_back(term.labels[i]);
  }
  return {reshape({term.x, where_}, shape), kept};
}

// The labels that the product of two of `terms` must keep.
SINTER_INLINE Labels Einsum::labels_needed_outside(const Vector<EinsumTerm>& terms, std::size_t a,
                                                   std::size_t b) const {
  Labels result = output_;
  for (std::size_t i = 0; i < terms.size(); ++i) {
    if (i == a || i == b) continue;
    result.insert(result.end(), terms[i].labels.begin(), terms[i].labels.end());
  }
  return result;
}

// The two terms with the smallest product; the first two if sizes are symbolic.
SINTER_INLINE std::pair<std::size_t, std::size_t> Einsum::next_pair(
    const Vector<EinsumTerm>& terms) const {
  const auto size = [this](const Labels& labels) {
    double product = 1;
    for (const int label : labels) product *= static_cast<double>(sizes_.at(label).number());
    return product;
  };
  for (const auto& [label, known] : sizes_) {
    if (!known.is_number()) return {0, 1};
  }
  std::pair<std::size_t, std::size_t> best{0, 1};
  double least = HUGE_VAL;
  for (std::size_t a = 0; terms.size() > 2 && a < terms.size(); ++a) {
    for (std::size_t b = a + 1; b < terms.size(); ++b) {
      const Labels needed = labels_needed_outside(terms, a, b);
      Labels labels;
      for (const EinsumTerm* term : {&terms[a], &terms[b]}) {
        for (const int label : term->labels) {
          if (contains(needed, label) && !contains(labels, label)) labels.push_back(label);
        }
      }
      const double growth = size(labels) - size(terms[a].labels) - size(terms[b].labels);
      if (growth >= least) continue;
      least = growth, best = {a, b};
    }
  }
  return best;
}

// Nothing to sum over: an elementwise product with the axes of lhs, then those that only rhs has.
SINTER_INLINE EinsumTerm Einsum::elementwise_product(const EinsumTerm& lhs,
                                                     const EinsumTerm& rhs) const {
  Labels labels = lhs.labels;
  for (const int label : rhs.labels) {
    if (!contains(labels, label)) labels.push_back(label);
  }
  const auto aligned = [&](const EinsumTerm& term) {
    std::vector<int> order;
    Shape shape;
    for (const int label : labels) {
      const auto found = find(term.labels, label);
      const auto axis = static_cast<int>(found - term.labels.begin());
      if (found != term.labels.end()) order.push_back(axis);
      shape.push_back(found == term.labels.end() ? Extent(1) : term.x.shape()[axis], where_);
    }
    return reshape({permute({term.x, where_}, order), where_}, shape);
  };
  return {mul({aligned(lhs), where_}, {aligned(rhs), where_}), labels};
}

SINTER_INLINE EinsumTerm Einsum::product(const EinsumTerm& lhs, const EinsumTerm& rhs,
                                         const Labels& needed) const {
  DotAxes axes;
  Labels batch, rest;
  for (std::size_t i = 0; i < lhs.labels.size(); ++i) {
    const int label = lhs.labels[i];
    const auto found = find(rhs.labels, label);
    if (found == rhs.labels.end()) {
      rest.push_back(label);
      continue;
    }
    const bool is_batch = contains(needed, label);
    if (is_batch) batch.push_back(label);
    (is_batch ? axes.lhs_batch : axes.lhs_contract).push_back(static_cast<std::int64_t>(i));
    (is_batch ? axes.rhs_batch : axes.rhs_contract).push_back(found - rhs.labels.begin());
  }
  if (axes.lhs_contract.empty()) return elementwise_product(lhs, rhs);
  for (const int label : rhs.labels) {
    if (!contains(lhs.labels, label)) rest.push_back(label);
  }
  batch.insert(batch.end(), rest.begin(), rest.end());
  return {contract(lhs.x, rhs.x, axes, where_), batch};
}

SINTER_INLINE Tensor Einsum::operator()() {
  require_operands();
  const DType dtype = common_dtype();
  Vector<EinsumTerm> terms;
  for (std::size_t i = 0; i < operands_.size(); ++i) {
    terms.push_back(without_repeats(labelled(i), equation_.inputs[i]));
    terms.back().x = cast({terms.back().x, where_}, dtype);
    note_sizes(terms.back(), equation_.inputs[i]);
  }
  find_output();
  for (EinsumTerm& term : terms) term = without_repeated_ones(std::move(term));
  for (std::size_t i = 0; i < terms.size(); ++i) {
    terms[i] = without(std::move(terms[i]), labels_needed_outside(terms, i, i));
  }
  while (terms.size() > 1) {
    const auto [a, b] = next_pair(terms);
    const Labels needed = labels_needed_outside(terms, a, b);
    terms[a] = product(terms[a], terms[b], needed);
    terms.erase(terms.begin() + static_cast<std::ptrdiff_t>(b));
  }
  std::vector<int> order;
  for (const int label : output_) {
    const auto found = find(terms[0].labels, label);
    order.push_back(static_cast<int>(found - terms[0].labels.begin()));
  }
  return permute({terms[0].x, where_}, order);
}

SINTER_INLINE Tensor einsum(std::string_view equation, Span<const Operand> operands, Where where) {
  if (!operands.empty()) return Einsum(equation, operands, where)();
  throw_equation<ValueError>(equation, 0, "there are no operands", "there is at least one operand",
                             "name the operands: einsum(\"ij,jk->ik\", {a, b})", where);
}

}  // namespace detail

SINTER_INLINE Tensor einsum(std::string_view equation, std::initializer_list<Operand> operands) {
  const detail::Span<const Operand> list(operands.begin(), operands.size());
  return detail::einsum(equation, list, list.empty() ? Where() : list[0].where);
}

SINTER_INLINE Tensor einsum(std::string_view equation, const std::vector<Tensor>& operands,
                            Where where) {
  std::vector<Operand> list;
  for (const Tensor& operand : operands) list.push_back({operand, where});
  return detail::einsum(equation, list, where);
}

}  // namespace sinter::inline SINTER_ABI
