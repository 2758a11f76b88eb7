#pragma once
// Compiles an eager optimizer step to one program.

#include <array>  // std::array
#include <vector>  // std::vector

#include <sinter/config.hpp>
#include <sinter/jit/compile.hpp>
#include <sinter/optim/update.hpp>

namespace sinter::inline SINTER_ABI::optim {

/// True if a step should be compiled: outside of recordings, once gradients have come from a
/// compiled function.
bool compiles_steps();

namespace detail {

/// The source line of the step that this thread records.
inline thread_local Where line_of_step{};

// The updates as arguments of a compiled function.
struct UpdateLists {
  std::vector<std::string> names;
  std::vector<Tensor> parameters;
  std::vector<std::array<int, 2>> groups;
  SINTER_MODULE(UpdateLists, names, parameters, groups)
};

template <class Optimizer>
void record_update(Optimizer& optimizer, UpdateLists& lists, const std::vector<Tensor>& gradients) {
  std::vector<Update> updates;
  for (std::size_t i = 0; i < lists.names.size(); ++i) {
    updates.push_back({lists.names[i], &lists.parameters[i], gradients[i], lists.groups[i]});
  }
  optimizer.update(updates, line_of_step);
}

}  // namespace detail

/// Runs optimizer.update(updates) as one program for all parameters, with bit-identical results;
/// parameters and state without other references are updated in place.
template <class Optimizer>
void update_compiled(Optimizer& optimizer, const std::vector<Update>& updates, Where where) {
  // One compiled function serves all models; their shapes differ, so sizes must not become symbols.
  static const auto& step =
      *new auto(compile(&detail::record_update<Optimizer>, {.dynamic = Dynamic::off,
                                                            .recompile_limit = 4096,
                                                            .name = "optimizer.step",
                                                            .numerics = Numerics::strict}));
  detail::UpdateLists lists;
  std::vector<Tensor> gradients;
  for (const Update& update : updates) {
    lists.names.push_back(update.name);
    lists.parameters.push_back(std::move(*update.parameter));
    lists.groups.push_back(update.groups);
    gradients.push_back(update.gradient);
  }
  const auto give_back = [&] {
    for (std::size_t i = 0; i < updates.size(); ++i) {
      *updates[i].parameter = std::move(lists.parameters[i]);
    }
  };
  detail::line_of_step = where;
  try {
    step(optimizer, lists, gradients);
  } catch (...) {
    give_back();
    throw;
  }
  give_back();
}

}  // namespace sinter::inline SINTER_ABI::optim

#ifdef SINTER_DEFINITIONS
#include <sinter/optim/compiled_update.ipp>
#endif
