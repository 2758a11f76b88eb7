#pragma once
// A call that no variant serves: the function is traced. Either its recording becomes a variant,
// which later calls replay, or its segments are executed and the next call is traced again.

#include <string>    // std::string
#include <vector>    // std::vector

#include <sinter/base/container/function_ref.hpp>
#include <sinter/base/container/optional.hpp>
#include <sinter/base/container/shared_ptr.hpp>
#include <sinter/base/container/span.hpp>
#include <sinter/config.hpp>
#include <sinter/jit/interface/callable.hpp>
#include <sinter/jit/run/segmented_tracer.hpp>
#include <sinter/jit/state/state.hpp>

namespace sinter::inline SINTER_ABI::detail::jit {

/// A finished call of the function on copies of its arguments, which held placeholders.
struct TracedCall {
  SharedPtr<AnyCopies> copies{};
  SharedPtr<void> result{};
  guard::Leaves results{};
  CallSignature after{};  ///< Of the copies, as the function left them.
};

/// Calls the function on placeholders, which `begin` puts into the leaves of the copies.
TracedCall trace_call(Tracer& tracer, const AnyCall& call,
                      FunctionRef<void(const guard::Leaves&)> begin);

/// A variant that was just added, and the state that its recording created.
struct NewVariant {
  SharedPtr<const Variant> variant{};
  CallSignature signature{};            ///< Of the call, created state included.
  std::vector<Tensor> created{};        ///< Initial values, then those after the call.
  SharedPtr<AnyCopies> copies{};        ///< The arguments with placeholders.
};

/// Moves the state that the recorded call created into the arguments, after the call.
void adopt_created_state(NewVariant& added, const AnyCall& call);

/// Handles on changed leaves that occur twice among the leaves of the call. While the handles live,
/// these leaves are not updated in place. Throws ValueError if the function changes both
/// occurrences.
std::vector<Tensor> shared_leaves(Span<const std::int32_t> changed, Span<const guard::Leaf> leaves,
                                  const LeafNames& names, Where where);

/// Handles one call that no variant serves.
class CacheMiss {
 public:
  /// `signature` is the signature of `call`; `ticket`, if any, is held for recording it.
  CacheMiss(State& state, AnyCall& call, const CallSignature& signature, OnMiss on_miss,
            Requester requester, Optional<Ticket>& ticket)
      : state_(state),
        call_(call),
        signature_(signature),
        on_miss_(on_miss),
        requester_(requester),
        ticket_(ticket) {}

  /// Traces the function. Throws what it throws.
  void trace();

  /// True if the recording can replace the function in later calls.
  bool is_replayable();

  /// Adds the variant for calls like this one.
  NewVariant add_variant();
  /// Compiles what complete_call() would compute.
  void compile_call();
  /// Executes what was recorded, assigns the new values of arguments, and sets the result.
  void complete_call();

 private:
  // The leaf names of the copies, as the function left them.
  class NamesAfter : public LeafNames {
   public:
    explicit NamesAfter(AnyCopies& copies) : copies_(copies) {}
    std::vector<std::string> leaves() const override { return copies_.names().leaves; }

   private:
    AnyCopies& copies_;
  };

  void trace_once(bool small_sizes_follow);
  bool not_replayable(const std::string& reason);
  NamesAfter names_after() const { return NamesAfter(*traced_.copies); }
  void require_same_numbers() const;
  std::vector<Tensor> shared_leaves() const;
  void write_back();

  State& state_;
  AnyCall& call_;
  const CallSignature& signature_;
  OnMiss on_miss_;
  Requester requester_;
  Optional<Ticket>& ticket_;
  TracedCall traced_{};
  // Last, hence destroyed first: then only the user still holds its values.
  Optional<SegmentedTracer> tracer_{};
};

}  // namespace sinter::inline SINTER_ABI::detail::jit

#ifdef SINTER_DEFINITIONS
#include <sinter/jit/run/cache_miss.ipp>
#endif
