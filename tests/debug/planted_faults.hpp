#pragma once
// Faults that tests plant in the stages, one at a time, and functions that show them. The programs
// that minify() writes are compiled with this header too: they plant the fault that the environment
// variable PLANT names.

#include <cstdlib>
#include <cstring>
#include <functional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <sinter/autodiff/gradient/backward.hpp>
#include <sinter/base/error.hpp>
#include <sinter/compile/unit/translation_unit.hpp>
#include <sinter/graph/rewrite.hpp>
#include <sinter/jit/lower/lowering_probe.hpp>
#include <sinter/sinter.hpp>

namespace planted {

using namespace sinter;
using namespace sinter::detail;
using schedule::Code;
using schedule::Instruction;
using schedule::Kernel;

/// A wrong rule in one stage. Members that are empty change nothing.
struct Fault {
  const char* name = "";
  Op op{};                ///< What the rule is about, for rules of autodiff.
  const char* pass = "";  ///< The pass whose replacements of `op` are wrong.
  enum class In { gradient, batching, pass, kernel, plan, text, error } in{};
  void (*kernel)(Kernel& kernel) = nullptr;
  const char* printed = "";  ///< In the text of a kernel, printed as `instead`.
  const char* instead = "";
  const char* only = "";  ///< In kernels whose names have this, and not in the prelude.
};

class Plant final : public RewriteProbe, public autodiff::RuleProbe, public jit::LoweringProbe {
 public:
  explicit Plant(const Fault& fault) : fault_(fault) {
    rewrite_probe = this, autodiff::rule_probe = this, jit::lowering_probe = this;
  }
  ~Plant() override {
    rewrite_probe = nullptr, autodiff::rule_probe = nullptr, jit::lowering_probe = nullptr;
  }
  Plant(const Plant&) = delete;
  Plant& operator=(const Plant&) = delete;

  void begins(const Graph&, const jit::LowerOptions&) override {}
  void begins(std::string_view pass) override { pass_ = pass; }
  Vector<Value> replaced(Builder& builder, std::string_view, const Node& node,
                         Vector<Value> replacement) override {
    const bool applies = fault_.in == Fault::In::pass && pass_ == fault_.pass &&
                         node.op == fault_.op && is_floating(builder.dtype(replacement[0]));
    if (!applies) return replacement;
    const Value one = builder.constant_like(replacement[0], 1);
    return {builder.add(replacement[0], one)};
  }
  Value differentiated(Builder& builder, const Node& node, std::size_t, Value gradient) override {
    const bool applies = fault_.in == Fault::In::gradient && node.op == fault_.op;
    return applies ? builder.neg(gradient) : gradient;
  }
  Value batched(Builder& builder, const Graph&, const Node& node, std::size_t,
                Value result) override {
    const bool applies = fault_.in == Fault::In::batching && node.op == fault_.op;
    return applies ? builder.neg(result) : result;
  }
  void planning(schedule::Options& options) override {
    reuses_memory_ = options.target.writes_over_operands;
  }
  void planned(schedule::Plan& plan) override {
    if (fault_.in == Fault::In::kernel) {
      for (Kernel& kernel : plan.kernels) fault_.kernel(kernel);
    }
    if (fault_.in == Fault::In::plan) change(plan);
    if (fault_.in == Fault::In::error) refuse(plan);
  }
  void printed(compiler::TranslationUnit& unit) override {
    for (Source& kernel : unit.kernels) {
      if (kernel.name.find(fault_.only) != std::string::npos) plant(kernel.text);
    }
    if (*fault_.only == 0) plant(unit.prelude);
    for (Source& kernel : unit.kernels) {
      kernel.key = Hasher().add(kernel.key).add(fault_.name).result();
    }
  }

 private:
  void plant(std::string& text) const {
    const std::string printed = fault_.printed, instead = fault_.instead;
    if (printed.empty()) return;
    for (std::size_t at = 0; (at = text.find(printed, at)) != std::string::npos;) {
      text.replace(at, printed.size(), instead);
      at += instead.size();
    }
  }

  // In-place updates: what is written to a temporary and copied, because the output may be the
  // input, is written to the output at once. Memory reuse: all temporaries at one place.
  void change(schedule::Plan& plan) const {
    if (std::string_view(fault_.name) == "an update is written too early") {
      return write_early(plan);
    }
    for (schedule::Buffer& buffer : plan.buffers) {
      if (reuses_memory_ && buffer.home == schedule::Home::arena) buffer.offset = 0;
    }
  }

  static void write_early(schedule::Plan& plan) {
    for (const schedule::Launch& copy : plan.launches) {
      const Kernel& kernel = plan.kernels[static_cast<std::size_t>(copy.kernel)];
      if (!kernel.name.starts_with("copy")) continue;
      const std::int32_t from = copy.buffers[0], to = copy.buffers[1];
      const bool is_copy =
          plan.buffers[static_cast<std::size_t>(from)].home == schedule::Home::arena;
      if (!is_copy) continue;
      for (schedule::Launch& launch : plan.launches) {
        for (std::int32_t& buffer : launch.buffers) buffer = buffer == from ? to : buffer;
      }
    }
  }

  void refuse(const schedule::Plan& plan) const {
    for (const Kernel& kernel : plan.kernels) {
      for (const Instruction& at : kernel.instructions) {
        if (at.op == fault_.op && at.code == Code::scan) throw InternalError("a planted error");
      }
    }
  }

  const Fault& fault_;
  std::string pass_{};
  bool reuses_memory_ = false;
};

/// Calls change(instruction) until it gives true.
template <class Change>
void first(Kernel& kernel, Change change) {
  for (Instruction& instruction : kernel.instructions) {
    if (change(instruction)) return;
  }
}

inline bool computes(const Kernel& kernel, Op op) {
  for (const Instruction& at : kernel.instructions) {
    const bool counts = at.code == Code::compute || at.code == Code::reduce;
    if (counts && at.op == op) return true;
  }
  return false;
}

inline const Fault faults[]{
    {.name = "gradient of tanh", .op = Op::tanh, .in = Fault::In::gradient},
    {.name = "gradient of div", .op = Op::div, .in = Fault::In::gradient},
    {.name = "gradient of dot_general", .op = Op::dot_general, .in = Fault::In::gradient},
    {.name = "gradient of gather", .op = Op::gather, .in = Fault::In::gradient},
    {.name = "batch of sum", .op = Op::sum, .in = Fault::In::batching},
    {.name = "batch of exp", .op = Op::exp, .in = Fault::In::batching},
    {.name = "batch of concatenate", .op = Op::concatenate, .in = Fault::In::batching},
    {.name = "remove_identities",
     .op = Op::mul,
     .pass = "remove_identities",
     .in = Fault::In::pass},
    {.name = "merge_movements",
     .op = Op::permute,
     .pass = "merge_movements",
     .in = Fault::In::pass},
    {.name = "fold_constants", .op = Op::add, .pass = "fold_constants", .in = Fault::In::pass},
    {.name = "relax_arithmetic", .op = Op::div, .pass = "relax_arithmetic", .in = Fault::In::pass},
    {.name = "simplify_reductions",
     .op = Op::sum,
     .pass = "simplify_reductions",
     .in = Fault::In::pass},
    {.name = "a rewrite of the schedule", .op = Op::sum, .in = Fault::In::pass},
    {.name = "a sum is a product",
     .in = Fault::In::kernel,
     .kernel =
         [](Kernel& kernel) {
           first(kernel, [](Instruction& at) {
             const bool fits = at.code == Code::reduce && at.op == Op::sum;
             if (fits) at.op = Op::prod;
             return fits;
           });
         }},
    {.name = "a difference is turned around",
     .in = Fault::In::kernel,
     .kernel =
         [](Kernel& kernel) {
           first(kernel, [](Instruction& at) {
             const bool fits = at.code == Code::compute && at.op == Op::sub;
             if (fits) std::swap(at.operands[0], at.operands[1]);
             return fits;
           });
         }},
    {.name = "a max is a min",
     .in = Fault::In::kernel,
     .kernel =
         [](Kernel& kernel) {
           first(kernel, [](Instruction& at) {
             const bool fits = at.code == Code::reduce && at.op == Op::max;
             if (fits) at.op = Op::min;
             return fits;
           });
         }},
    {.name = "select takes the other value",
     .in = Fault::In::kernel,
     .kernel =
         [](Kernel& kernel) {
           first(kernel, [](Instruction& at) {
             const bool fits = at.code == Code::compute && at.op == Op::select;
             if (fits) std::swap(at.operands[1], at.operands[2]);
             return fits;
           });
         }},
    {.name = "exp and sub in one kernel",
     .in = Fault::In::kernel,
     .kernel =
         [](Kernel& kernel) {
           if (!computes(kernel, Op::exp)) return;
           first(kernel, [](Instruction& at) {
             const bool fits = at.code == Code::compute && at.op == Op::sub;
             if (fits) std::swap(at.operands[0], at.operands[1]);
             return fits;
           });
         }},
    {.name = "exp takes another logarithm of 2",
     .in = Fault::In::text,
     .printed = "0x1.62e4p-1f",
     .instead = "0x1.64e4p-1f"},
    {.name = "a sum adds a lane twice",
     .in = Fault::In::text,
     .printed = "(v[0] + v[1])",
     .instead = "(v[0] + v[0])"},
    {.name = "maximum loses NaN",
     .in = Fault::In::text,
     .printed = "((a > b) | (a != a)) ? a : b",
     .instead = "a > b ? a : b"},
    {.name = "threads leave out a row",
     .in = Fault::In::text,
     .printed = ", thread + 1, threads)",
     .instead = ", thread + 1, threads) - (thread + 1 < threads ? 64 : 0)"},
    {.name = "an update is written too early", .in = Fault::In::plan},
    {.name = "two temporaries at one place", .in = Fault::In::plan},
    {.name = "a kernel that does not compile",
     .in = Fault::In::text,
     .printed = "extern \"C\" ",
     .instead = "#error planted\nextern \"C\" ",
     .only = "erf"},
    {.name = "an internal error", .op = Op::cumsum, .in = Fault::In::error},
    {.name = "a kernel that crashes",
     .in = Fault::In::text,
     .printed = "long thread, long threads) {",
     .instead = "long thread, long threads) {\n  *(volatile int*)8 = 1;",
     .only = "floor"},
};

inline const Fault& fault_of(std::string_view name) {
  for (const Fault& fault : faults) {
    if (name == fault.name) return fault;
  }
  throw InternalError("no fault " + std::string(name));
}

/// Plants the fault of PLANT while the process runs.
inline const int from_environment = [] {
  const char* const name = std::getenv("PLANT");
  if (name != nullptr) static const Plant plant(fault_of(name));
  return 0;
}();

}  // namespace planted
