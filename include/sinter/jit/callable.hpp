#pragma once
// How a callable of any type is recorded and replayed: arguments bound to its parameters, copied,
// called with placeholders; results filled with what was computed.

#include <algorithm>    // std::find
#include <memory>       // std::shared_ptr
#include <optional>     // std::optional
#include <tuple>        // std::tuple
#include <type_traits>  // std::is_empty_v
#include <utility>      // std::forward

#include <sinter/config.hpp>
#include <sinter/jit/signature.hpp>
#include <sinter/jit/state.hpp>
#include <sinter/trace/host.hpp>
#include <sinter/trace/transform.hpp>

namespace sinter::inline SINTER_ABI::jit {

namespace detail {

template <class F>
inline constexpr bool is_closed = std::is_empty_v<F> || std::is_pointer_v<F> ||
                                  std::is_function_v<F> || Module<std::remove_const_t<F>>;
template <class F>
inline constexpr bool is_closed<const F> = is_closed<F>;
// The result of a transform.
template <class F>
requires requires { typename F::Transformed; }
inline constexpr bool is_closed<F> = is_closed<typename F::Transformed>;
template <class F>
inline constexpr bool is_closed<AssumedPure<F>> = true;

// True if the user promised that what it has captured does not change.
template <class F>
inline constexpr bool is_pure = false;
template <class F>
inline constexpr bool is_pure<const F> = is_pure<F>;
template <class F>
inline constexpr bool is_pure<AssumedPure<F>> = true;

[[noreturn]] void throw_changed_number(const guard::PlainValue& before,
                                       const guard::PlainValue& after, Where where);

// Throws if the function changed a plain number of its arguments.
void require_same_numbers(std::span<const guard::PlainValue> before,
                          std::span<const guard::PlainValue> after, Where where);

// Handles on leaves that are two leaves of one call and that the function changes: while they live,
// these are not updated in place. Throws if the function changes both.
std::vector<Tensor> shared_leaves(std::span<const std::int32_t> changed,
                                  std::span<const guard::Leaf> leaves, const LeafNames& names,
                                  Where where);

// Calls the host functions of a recording, whose operands are `values`.
void call_host_functions(const Recording& recording, std::span<const Tensor> values);

// Throws if `again` is not what `recording` is.
void require_same_recording(const Recording& recording, const Recording& again, Where where);

// The tensors of arguments whose structure changed: leaves as they were, and new values.
std::vector<Tensor> tensors_afterwards(const Recording& recording,
                                       std::span<const guard::Leaf> leaves,
                                       std::span<const Tensor> values);

}  // namespace detail

namespace detail {

// The names in a call, found when they are asked for.
template <class F, class... Bound>
class CallNames : public LeafNames {
 public:
  CallNames(F& function, std::tuple<Bound...>& bound) : function_(function), bound_(bound) {}

  const Names& all() const {
    if (!names_) names_ = names_of(function_, bound_);
    return *names_;
  }
  std::vector<std::string> leaves() const override { return all().leaves; }
  std::vector<guard::PlainValue> plain() const override { return all().plain; }

 private:
  F& function_;
  std::tuple<Bound...>& bound_;
  mutable std::optional<Names> names_{};
};

template <class F, class... Bound>
class CopyNames : public LeafNames {
 public:
  CopyNames(Copies<F, Bound...>& copies) : copies_(copies) {}
  std::vector<std::string> leaves() const override {
    return names_of(copies_.function, copies_.arguments).leaves;
  }

 private:
  Copies<F, Bound...>& copies_;
};

// One call of the function on copies of its arguments.
template <class Result, class F, class... Bound>
struct Recorded {
  std::shared_ptr<Copies<F, Bound...>> copies{};
  std::shared_ptr<Result> result{};
  guard::Leaves results{};
  CallSignature after{};
};

// Calls the function with placeholders. `begin` puts them into the leaves of the copies.
template <class Result, class F, class... Bound, class Begin>
Recorded<Result, F, Bound...> run_recorded(RecordingSession& session, F& function,
                                           std::tuple<Bound...>& bound, Begin begin) {
  Recorded<Result, F, Bound...> run;
  run.copies = std::make_shared<Copies<F, Bound...>>(copy_of<F, Bound...>(function, bound));
  Copies<F, Bound...>& copies = *run.copies;
  {
    const RecorderScope scope(&session.recorder());
    begin(signature_of_copies(copies).leaves);
    visit_arguments(copies.function, copies.arguments,
                    [&](auto& argument) { guard::name_modules(argument, session.recorder()); });
    if constexpr (std::is_void_v<Result>) {
      invoke(copies);
    } else {
      run.result = std::make_shared<Result>(invoke(copies));
      guard::collect(*run.result, run.results);
    }
  }
  run.after = signature_of_copies(copies);
  return run;
}

}  // namespace detail

/// A variant that was just recorded, and the state that the recording created.
template <class F, class... Bound>
struct Fresh {
  std::shared_ptr<const Variant> variant{};
  CallSignature signature{};      ///< Of the call, with the created state in its place.
  std::vector<Tensor> created{};  ///< What it starts with, or became.
  std::shared_ptr<Copies<F, Bound...>> copies{};  ///< The arguments with placeholders.
};

namespace detail {

// The call as if the state that was created had been there before.
template <class F, class... Bound>
void take_created_state(Fresh<F, Bound...>& fresh, const CallSignature& call,
                        const Names& names_before, const Names& names_after,
                        const CallSignature& after, const std::vector<CreatedState>& created) {
  for (const CreatedState& state : created) fresh.created.push_back(state.initial);
  fresh.signature = after;
  for (std::size_t i = 0; i < after.leaves.list.size(); ++i) {
    Tensor*& tensor = fresh.signature.leaves.list[i].tensor;
    const auto state = std::find_if(created.begin(), created.end(), [&](const CreatedState& known) {
      return known.member == tensor;
    });
    if (state != created.end()) {
      tensor = &fresh.created[static_cast<std::size_t>(state - created.begin())];
      continue;
    }
    const auto name =
        std::find(names_before.leaves.begin(), names_before.leaves.end(), names_after.leaves[i]);
    tensor = call.leaves.list[static_cast<std::size_t>(name - names_before.leaves.begin())].tensor;
  }
}

// Assigns the arguments that can be changed.
template <class F, class... Bound>
void assign_arguments(F& function, std::tuple<Bound...>& bound, Copies<F, Bound...>& copies) {
  const auto assign = [](auto& to, auto& from) {
    if constexpr (!std::is_const_v<std::remove_reference_t<decltype(to)>>) to = from;
  };
  if constexpr (Module<std::remove_const_t<F>>) assign(function, copies.function);
  std::apply(
      [&](auto&... to) {
        std::apply([&](auto&... from) { (assign(to, from), ...); }, copies.arguments);
      },
      bound);
}

}  // namespace detail

/// Gives the arguments the state that the recorded call created, when the call is done.
template <class F, class... Bound>
void adopt_created_state(Fresh<F, Bound...>& fresh, F& function, std::tuple<Bound...>& bound) {
  if (fresh.created.empty()) return;
  std::vector<Tensor> values;
  for (const guard::Leaf& leaf : fresh.signature.leaves.list) values.push_back(*leaf.tensor);
  detail::assign_arguments(function, bound, *fresh.copies);
  const CallSignature real = signature_of(function, bound);
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (real.leaves.list[i].is_mutable) *real.leaves.list[i].tensor = std::move(values[i]);
  }
  fresh.created.clear();
}

/// SINTER_CHECK, read once.
bool checks();

/// SINTER_CHECK=1: records a call again that `call.variant` serves.
///
/// Throws ValueError if another graph comes of it.
template <class Result, class F, class... Bound>
void check(const Call& call, F& function, std::tuple<Bound...>& bound, Where where) {
  const CallSignature signature = signature_of(function, bound);
  const Recording& recording = call.variant->recording;
  const detail::CallNames<F, Bound...> names(function, bound);
  const CompileOptions options;
  RecordingSession session(signature.leaves, names, options, {}, where);
  const auto run = detail::run_recorded<Result>(
      session, function, bound,
      [&](const guard::Leaves& leaves) { session.begin_again(leaves, recording); });
  const detail::Names after = detail::names_of(run.copies->function, run.copies->arguments);
  const Recording again = session.finish(run.after.leaves, after.leaves, run.results,
                                         signature.structure, run.after.structure);
  detail::require_same_recording(recording, again, where);
}

namespace detail {

inline void fill(const guard::Leaves& leaves, std::span<const Tensor> tensors) {
  for (std::size_t i = 0; i < tensors.size(); ++i) *leaves.list[i].tensor = tensors[i];
}

// The new values of leaves that were not updated in place.
template <class F, class... Bound>
void write_back(const Variant& variant, F& function, std::tuple<Bound...>& bound,
                const CallSignature& call, std::span<const Tensor> values) {
  const Recording& recording = variant.recording;
  if (!recording.changes_structure) {
    for (std::size_t i = 0; i < values.size(); ++i) {
      const auto leaf = static_cast<std::size_t>(recording.changed[i]);
      if (values[i].defined()) call.leaves.list[leaf].tensor->set_value(values[i]);
    }
    return;
  }
  // The arguments as the function left them, with the new values in them.
  Copies<F, Bound...> copies = *static_cast<const Copies<F, Bound...>*>(variant.arguments.get());
  fill(signature_of_copies(copies).leaves, tensors_afterwards(recording, call.leaves.list, values));
  assign_arguments(function, bound, copies);
}

}  // namespace detail

/// Lets go of the tensors of a call, so that who gets them holds them alone, and takes back what
/// it drew unless that is kept.
struct NoTensors {
  Memory& memory;
  ~NoTensors() {
    memory.tensors.clear();
    memory.draw.reset();
  }
};

/// Runs the variant of `call`, whose inputs are bound; gives the result of the function.
template <class Result, class F, class... Bound>
Result replay(Call& call, F& function, std::tuple<Bound...>& bound) {
  const Variant& variant = *call.variant;
  const NoTensors when_done{call.memory};
  const std::span<Tensor> all = run(variant, call.leaves(), call.symbols, call.memory);
  const std::size_t results = variant.recording.results;
  const std::size_t changed = variant.recording.changed.size();
  detail::call_host_functions(variant.recording, all.subspan(results + changed));
  if (call.memory.draw) call.memory.draw->keep();
  detail::write_back(variant, function, bound, call.signature, all.subspan(results, changed));
  if constexpr (std::is_same_v<Result, Tensor>) {
    return std::move(all[0]);
  } else if constexpr (!std::is_void_v<Result>) {
    Result result = *static_cast<const Result*>(variant.result.get());
    guard::Leaves leaves;
    guard::collect(result, leaves);
    detail::fill(leaves, all.first(results));
    return result;
  }
}

}  // namespace sinter::inline SINTER_ABI::jit

#ifdef SINTER_DEFINITIONS
#include <sinter/jit/callable.ipp>
#endif
