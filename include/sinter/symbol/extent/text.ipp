#pragma once

#include <cstdlib>    // std::abs

#include <sinter/base/container/algorithm.hpp>
#include <sinter/base/text.hpp>
#include <sinter/symbol/extent/extent.hpp>
#include <sinter/symbol/extent/interval.hpp>
#include <sinter/symbol/extent/node.hpp>
#include <sinter/symbol/extent/proof.hpp>
#include <sinter/symbol/extent/text.hpp>

namespace sinter::inline SINTER_ABI {

namespace detail {

// The precedence of the text of an extent, loosest first.
enum class TextBinding : std::uint8_t { sum, product, division, whole };

struct ExtentText {
  std::string text;
  TextBinding binding;

  // Adds parentheses if the precedence is lower than needed.
  std::string at_least(TextBinding needed) const {
    return binding < needed ? sinter::detail::text("(", text, ")") : text;
  }
};

// Prints sums and products; languages differ only in atoms.
class ExtentPrinter {
 public:
  explicit ExtentPrinter(VariableName name) : name_(name) {}
  virtual ~ExtentPrinter() = default;

  ExtentText print(Extent extent) const {
    if (extent.is_number()) return print_number(extent.number());
    if (extent.is_variable()) return {name_(extent), TextBinding::whole};
    const ExtentNode& node = *extent.node();
    if (node.kind == ExtentKind::sum) return print_sum(node);
    if (node.kind == ExtentKind::product) return {print_product(1, extent), TextBinding::product};
    const std::string named = part_name(extent);
    if (!named.empty()) return {named, TextBinding::whole};
    return print_atom(node.kind, node.operands[0], node.operands[1]);
  }

 protected:
  virtual ExtentText print_atom(ExtentKind kind, Extent lhs, Extent rhs) const = 0;
  virtual std::string part_name(Extent /*part*/) const { return ""; }

 private:
  static ExtentText print_number(std::int64_t number) {
    return {text(number), number < 0 ? TextBinding::sum : TextBinding::whole};
  }

  std::string print_product(std::int64_t coefficient, Extent monomial) const {
    const auto factors = factors_of(monomial);
    if (coefficient == 1 && factors.size() == 1)
      return print(monomial).at_least(TextBinding::division);
    std::string result = coefficient == 1 ? "" : text(coefficient);
    for (const Extent factor : factors) {
      result += text(result.empty() ? "" : "*", print(factor).at_least(TextBinding::whole));
    }
    return result;
  }

  // A sum starts with a minus only if all of it is negative: r0 - s0, 15 - r0.
  ExtentText print_sum(const ExtentNode& sum) const {
    const auto positive = [](const ExtentTerm& term) { return term.coefficient > 0; };
    const auto first = find_if(sum.terms, positive);
    std::string result;
    if (first != sum.terms.end()) add_term(result, *first);
    if (first == sum.terms.end() && sum.constant > 0) result = text(sum.constant);
    const bool constant_last = result.empty() || first != sum.terms.end();
    for (auto term = sum.terms.begin(); term != sum.terms.end(); ++term) {
      if (term != first) add_term(result, *term);
    }
    if (sum.constant != 0 && constant_last) {
      result += text(sum.constant < 0 ? " - " : " + ", std::abs(sum.constant));
    }
    const bool product = sum.terms.size() == 1 && sum.constant == 0 && first != sum.terms.end();
    return {result, product ? TextBinding::product : TextBinding::sum};
  }

  void add_term(std::string& sum, const ExtentTerm& term) const {
    const bool negative = term.coefficient < 0;
    if (sum.empty())
      sum += negative ? "-" : "";
    else
      sum += negative ? " - " : " + ";
    sum += print_product(std::abs(term.coefficient), term.monomial);
  }

  VariableName name_;
};

class PlainPrinter final : public ExtentPrinter {
 public:
  using ExtentPrinter::ExtentPrinter;

 private:
  ExtentText print_atom(ExtentKind kind, Extent lhs, Extent rhs) const override {
    const ExtentText x = print(lhs);
    const ExtentText y = print(rhs);
    if (kind == ExtentKind::min || kind == ExtentKind::max) {
      const auto function = kind == ExtentKind::min ? "min(" : "max(";
      return {text(function, x.text, ", ", y.text, ")"), TextBinding::whole};
    }
    const auto sign = kind == ExtentKind::floor_div ? "//" : "%";
    return {text(x.at_least(TextBinding::whole), sign, y.at_least(TextBinding::whole)),
            TextBinding::division};
  }
};

class CPrinter final : public ExtentPrinter {
 public:
  CPrinter(VariableName name, PartName part) : ExtentPrinter(name), part_(part) {}

 private:
  std::string part_name(Extent part) const override { return part_(part); }

  ExtentText print_atom(ExtentKind kind, Extent lhs, Extent rhs) const override {
    if (kind == ExtentKind::min || kind == ExtentKind::max) {
      const std::string x = print(lhs).at_least(TextBinding::whole);
      const std::string y = print(rhs).at_least(TextBinding::whole);
      const auto relation = kind == ExtentKind::min ? " < " : " > ";
      return {text("(", x, relation, y, " ? ", x, " : ", y, ")"), TextBinding::whole};
    }
    if (proven_ge0(lhs)) return divide(kind, lhs, rhs);
    return divide_signed(kind, lhs, rhs);
  }

  // Indices are computed before it is known whether there is an element, and a size may be 0.
  std::string divisor(Extent rhs) const {
    const std::string size = print(rhs).at_least(TextBinding::whole);
    return proven_less(0, rhs) ? size : text("(", size, " > 0 ? ", size, " : 1)");
  }

  ExtentText divide(ExtentKind kind, Extent lhs, Extent rhs) const {
    const auto sign = kind == ExtentKind::floor_div ? " / " : " % ";
    const std::string dividend = print(lhs).at_least(TextBinding::whole);
    return {text(dividend, sign, divisor(rhs)), TextBinding::division};
  }

  ExtentText divide_signed(ExtentKind kind, Extent lhs, Extent rhs) const {
    const std::string x = print(lhs).at_least(TextBinding::whole);
    const std::string d = divisor(rhs);
    if (kind == ExtentKind::mod) {
      return {text("((", x, " % ", d, " + ", d, ") % ", d, ")"), TextBinding::whole};
    }
    const auto below = text("-((", d, " - 1 - ", x, ") / ", d, ")");
    return {text("(", x, " >= 0 ? ", x, " / ", d, " : ", below, ")"), TextBinding::whole};
  }

  PartName part_;
};

SINTER_INLINE std::string default_name(Extent variable) {
  return text(variable.is_symbol() ? "s" : "r", variable.id());
}

}  // namespace detail

SINTER_INLINE std::string to_string(Extent extent, detail::VariableName name) {
  return detail::PlainPrinter(name).print(extent).text;
}

namespace detail {

SINTER_INLINE std::string c_text(Extent extent, VariableName name) {
  return c_text(extent, name, [](Extent) { return std::string(); });
}

SINTER_INLINE std::string c_text(Extent extent, VariableName name, PartName part_name) {
  const detail::CPrinter printer(name, part_name);
  return printer.print(extent).at_least(detail::TextBinding::whole);
}

}  // namespace detail

}  // namespace sinter::inline SINTER_ABI
