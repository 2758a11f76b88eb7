#pragma once
// The terms of an einsum: their sizes, and how they are multiplied.

#include <cmath>  // HUGE_VAL

#include <sinter/trace/einsum.hpp>

namespace sinter::inline SINTER_ABI {

namespace detail {

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
        const auto place = std::find(written.labels.begin(), written.labels.end(), term.labels[i]);
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
    const auto place = std::find(written.labels.begin(), written.labels.end(), found);
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
    const bool is_repeated = has(output_, label);
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

// Summed over the labels that are not needed.
SINTER_INLINE EinsumTerm Einsum::without(EinsumTerm term, const Labels& needed) const {
  std::vector<int> summed;
  Labels kept;
  for (std::size_t i = 0; i < term.labels.size(); ++i) {
    if (has(needed, term.labels[i])) {
      kept.push_back(term.labels[i]);
    } else {
      summed.push_back(static_cast<int>(i));
    }
  }
  if (summed.empty()) return term;
  if (operands_.size() == 1) return {sum({term.x, where_}, summed), kept};  // no product: a sum
  return {sum({term.x, where_}, summed, false, term.x.dtype()), kept};
}

// Without the axes of extent 1 that other operands repeat.
SINTER_INLINE EinsumTerm Einsum::without_repeated_ones(EinsumTerm term) const {
  Shape shape;
  Labels kept;
  for (std::size_t i = 0; i < term.labels.size(); ++i) {
    const Extent extent = resolved({term.x.shape()[static_cast<int>(i)]})[0];
    const Extent size = resolved({sizes_.at(term.labels[i])})[0];
    // What is not the size that the operands agree on was found to be 1.
    const bool is_one = same(extent, 1) || is_computed_one(extent, where_);
    if (!same(extent, size) && (is_one || !equal_sizes(extent, size, where_))) continue;
    shape.push_back(extent), kept.push_back(term.labels[i]);
  }
  return {reshape({term.x, where_}, shape), kept};
}

// The labels that the product of two of `terms` still needs.
SINTER_INLINE Labels Einsum::needed_beside(const std::vector<EinsumTerm>& terms, std::size_t a,
                                           std::size_t b) const {
  Labels result = output_;
  for (std::size_t i = 0; i < terms.size(); ++i) {
    if (i == a || i == b) continue;
    result.insert(result.end(), terms[i].labels.begin(), terms[i].labels.end());
  }
  return result;
}

// The two terms whose product grows least; the first two if sizes are not numbers.
SINTER_INLINE std::pair<std::size_t, std::size_t> Einsum::next_pair(
    const std::vector<EinsumTerm>& terms) const {
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
      const Labels needed = needed_beside(terms, a, b);
      Labels labels;
      for (const EinsumTerm* term : {&terms[a], &terms[b]}) {
        for (const int label : term->labels) {
          if (has(needed, label) && !has(labels, label)) labels.push_back(label);
        }
      }
      const double growth = size(labels) - size(terms[a].labels) - size(terms[b].labels);
      if (growth >= least) continue;
      least = growth, best = {a, b};
    }
  }
  return best;
}

// Nothing to sum over: the axes of lhs, then those that only rhs has.
SINTER_INLINE EinsumTerm Einsum::elementwise_product(const EinsumTerm& lhs,
                                                     const EinsumTerm& rhs) const {
  Labels labels = lhs.labels;
  for (const int label : rhs.labels) {
    if (!has(labels, label)) labels.push_back(label);
  }
  const auto aligned = [&](const EinsumTerm& term) {
    std::vector<int> order;
    Shape shape;
    for (const int label : labels) {
      const auto found = std::find(term.labels.begin(), term.labels.end(), label);
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
    const auto found = std::find(rhs.labels.begin(), rhs.labels.end(), label);
    if (found == rhs.labels.end()) {
      rest.push_back(label);
      continue;
    }
    const bool is_batch = has(needed, label);
    if (is_batch) batch.push_back(label);
    (is_batch ? axes.lhs_batch : axes.lhs_contract).push_back(static_cast<std::int64_t>(i));
    (is_batch ? axes.rhs_batch : axes.rhs_contract).push_back(found - rhs.labels.begin());
  }
  if (axes.lhs_contract.empty()) return elementwise_product(lhs, rhs);
  for (const int label : rhs.labels) {
    if (!has(lhs.labels, label)) rest.push_back(label);
  }
  batch.insert(batch.end(), rest.begin(), rest.end());
  return {contract(lhs.x, rhs.x, axes, where_), batch};
}

SINTER_INLINE Tensor Einsum::operator()() {
  require_operands();
  const DType dtype = common_dtype();
  std::vector<EinsumTerm> terms;
  for (std::size_t i = 0; i < operands_.size(); ++i) {
    terms.push_back(without_repeats(labelled(i), equation_.inputs[i]));
    terms.back().x = cast({terms.back().x, where_}, dtype);
    note_sizes(terms.back(), equation_.inputs[i]);
  }
  find_output();
  for (EinsumTerm& term : terms) term = without_repeated_ones(std::move(term));
  for (std::size_t i = 0; i < terms.size(); ++i) {
    terms[i] = without(std::move(terms[i]), needed_beside(terms, i, i));
  }
  while (terms.size() > 1) {
    const auto [a, b] = next_pair(terms);
    const Labels needed = needed_beside(terms, a, b);
    terms[a] = product(terms[a], terms[b], needed);
    terms.erase(terms.begin() + static_cast<std::ptrdiff_t>(b));
  }
  std::vector<int> order;
  for (const int label : output_) {
    const auto found = std::find(terms[0].labels.begin(), terms[0].labels.end(), label);
    order.push_back(static_cast<int>(found - terms[0].labels.begin()));
  }
  return permute({terms[0].x, where_}, order);
}

SINTER_INLINE Tensor einsum(std::string_view equation, std::span<const Operand> operands,
                            Where where) {
  if (!operands.empty()) return Einsum(equation, operands, where)();
  throw_equation<ValueError>(equation, 0, "there are no operands", "there is at least one operand",
                             "name the operands: einsum(\"ij,jk->ik\", {a, b})", where);
}

}  // namespace detail

SINTER_INLINE Tensor einsum(std::string_view equation, std::initializer_list<Operand> operands) {
  const std::span<const Operand> list(operands.begin(), operands.size());
  return detail::einsum(equation, list, list.empty() ? Where() : list[0].where);
}

SINTER_INLINE Tensor einsum(std::string_view equation, const std::vector<Tensor>& operands,
                            Where where) {
  std::vector<Operand> list;
  for (const Tensor& operand : operands) list.push_back({operand, where});
  return detail::einsum(equation, list, where);
}

}  // namespace sinter::inline SINTER_ABI
