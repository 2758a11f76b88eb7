#pragma once
// A call that no variant serves: the function runs and is recorded. Then either a recording stands
// for it from now on, or what it computes is computed, and it will run on the next call as well.

#include <memory>    // std::shared_ptr
#include <optional>  // std::optional
#include <string>    // std::string
#include <vector>    // std::vector

#include <sinter/base/function_ref.hpp>
#include <sinter/config.hpp>
#include <sinter/jit/interface/callable.hpp>
#include <sinter/jit/run/run.hpp>
#include <sinter/jit/state/state.hpp>

namespace sinter::inline SINTER_ABI::detail::jit {

/// One call of the function on copies of its arguments.
struct Recorded {
  std::shared_ptr<AnyCopies> copies{};
  std::shared_ptr<void> result{};
  guard::Leaves results{};
  CallSignature after{};
};

/// Calls the function with placeholders. `begin` puts them into the leaves of the copies.
Recorded run_recorded(RecordingSession& session, const AnyCall& call,
                      FunctionRef<void(const guard::Leaves&)> begin);

/// A variant that was just recorded, and the state that the recording created.
struct Fresh {
  std::shared_ptr<const Variant> variant{};
  CallSignature signature{};            ///< Of the call, with the created state in its place.
  std::vector<Tensor> created{};        ///< What it starts with, or became.
  std::shared_ptr<AnyCopies> copies{};  ///< The arguments with placeholders.
};

/// Gives the arguments the state that the recorded call created, when the call is done.
void adopt_created_state(Fresh& fresh, const AnyCall& call);

/// Handles on leaves that are two leaves of one call and that the function changes: while they
/// live, these are not updated in place. Throws ValueError if the function changes both.
std::vector<Tensor> shared_leaves(std::span<const std::int32_t> changed,
                                  std::span<const guard::Leaf> leaves, const LeafNames& names,
                                  Where where);

class Attempt {
 public:
  /// `turn`, if any, is the one at recording `signature`, which is that of `call`.
  Attempt(State& state, AnyCall& call, const CallSignature& signature, OnMiss on_miss, Asker asker,
          std::optional<Turn>& turn)
      : state_(state),
        call_(call),
        signature_(signature),
        on_miss_(on_miss),
        asker_(asker),
        turn_(turn) {}

  /// Runs the function. Throws what it throws.
  void run();

  /// True if a recording stands for the function from now on.
  bool closes();

  /// The variant for calls like this one.
  Fresh close();
  /// Compiles what finish() would compute.
  void prepare();
  /// Computes what the run needs, gives the arguments their new values, and the call its result.
  void finish();

 private:
  // The names of the leaves of the copies, as the function left them.
  class NamesAfter : public LeafNames {
   public:
    explicit NamesAfter(AnyCopies& copies) : copies_(copies) {}
    std::vector<std::string> leaves() const override { return copies_.names().leaves; }

   private:
    AnyCopies& copies_;
  };

  void run_once(bool small_sizes_follow);
  bool runs_again(const std::string& reason);
  NamesAfter names_after() const { return NamesAfter(*recorded_.copies); }
  void require_same_numbers() const;
  std::vector<Tensor> shared_leaves() const;
  void write_back();

  State& state_;
  AnyCall& call_;
  const CallSignature& signature_;
  OnMiss on_miss_;
  Asker asker_;
  std::optional<Turn>& turn_;
  Recorded recorded_{};
  std::optional<Run> run_{};  // ends first: then nothing of it is held but by the user
};

}  // namespace sinter::inline SINTER_ABI::detail::jit

#ifdef SINTER_DEFINITIONS
#include <sinter/jit/run/attempt.ipp>
#endif
