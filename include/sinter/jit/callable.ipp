#pragma once

#include <sinter/jit/callable.hpp>

namespace sinter::inline SINTER_ABI::jit::detail {

SINTER_INLINE void throw_open(Where where) {
  throw ValueError({.op = "compile",
                    .what = "the callable has captures or members that a recording would not see "
                            "change",
                    .rule = "this version compiles functions, lambdas without captures, and "
                            "modules",
                    .fix = "pass what is captured as an argument, or make the callable a module "
                           "with SINTER_MODULE",
                    .where = where,
                    .see = "open-callables"});
}

SINTER_INLINE void throw_changed_number(const guard::PlainValue& before,
                                        const guard::PlainValue& after, Where where) {
  throw ValueError({.op = "compile",
                    .what = "the function changes a plain number of its arguments",
                    .facts = {{"member", after.name},
                              {"before", before.value},
                              {"after", after.value}},
                    .rule = "numbers are constants of a recording",
                    .fix = "make it a Scalar, which is computed on every call",
                    .where = where,
                    .see = "numbers"});
}

SINTER_INLINE void require_same_numbers(std::span<const guard::PlainValue> before,
                                        std::span<const guard::PlainValue> after, Where where) {
  for (const guard::PlainValue& value : after) {
    for (const guard::PlainValue& known : before) {
      if (known.name != value.name || known.value == value.value) continue;
      if (known.value.ends_with(" elements") || known.value == "undefined") continue;
      throw_changed_number(known, value, where);
    }
  }
}

}  // namespace sinter::inline SINTER_ABI::jit::detail
