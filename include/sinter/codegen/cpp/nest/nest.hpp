#pragma once
// Writes the loops of a kernel as C++, each with its remainder, and the stages inside of them.

#include <string>  // std::string
#include <vector>  // std::vector

#include <sinter/codegen/cpp/nest/function_head.hpp>
#include <sinter/codegen/cpp/nest/transpose.hpp>
#include <sinter/config.hpp>

namespace sinter::inline SINTER_ABI::detail::codegen {

class Nest : public Transposes {
 public:
  Nest(const Kernel& kernel, int lanes, bool strict, const Tuning& tuning = {});
  /// The text of the function that is called `name`.
  std::string function(const std::string& name, Linkage linkage = Linkage::exported);

 private:
  /// The iterations of one loop: from `begin` to `end`, neighbours `unroll` at a time.
  struct Head {
    int stage = 0, position = 0, unroll = 1;
    std::string name{}, begin{}, end{};
    bool vector = false, parallel = false;
    Extent extent = 0;
  };
  Head head_of(int stage, int position) const;
  void write_parameters();
  /// The text so far, in which the long sizes are declared behind the parameters.
  std::string with_sizes() const;
  void write_rows();
  void write_share();
  /// Declares which outputs are streamed; the condition that any is, "" if none may be.
  std::string write_streams();
  /// Declares `name`: memory of a thread, on the stack where it is small.
  void write_memory(const std::string& name, DType dtype, Extent elements);
  void write_panels(int unroll);
  Extent panel_rows(ValueId id) const;
  void write_loop(int stage, int position);
  void write_tiled_loops(int position);
  void write_full(const Head& head, bool rest, bool declared);
  /// Begins the loop `head`, if its rows may start within a vector of memory, so that what it
  /// stores does not: true if it did.
  bool write_lead(const Head& head);
  ValueId first_store(const Head& head) const;
  /// A store inside of `head` for which the loop is written twice, with and without streaming; -1
  /// if there is none.
  ValueId streamed_if_large(const Head& head) const;
  void write_body(const Head& head, int unroll, const std::string& loop);
  std::vector<const schedule::Stage*> stages_inside(const Head& head) const;
  void write_rest(const Head& head, bool declared);
  void write_single_vectors(const Head& head);
  void write_inside(const Head& head, int unroll, bool masked);
  void write_grid();
  void write_grid_body();
  void write_stage(int stage);
  int neighbouring_columns() const;
  int unroll_of(int stage, int position) const;
  int step_of(const Head& head) const { return head.unroll * (head.vector ? lanes_ : 1); }

  /// How many neighbouring iterations stay with one thread.
  int shared_step_of(const Head& head) const {
    return is_tiled(head.position) ? static_cast<int>(tile()) : step_of(head);
  }

  std::size_t end_of_parameters_ = 0;  ///< In the text.
  int columns_ = 1;                    ///< How many vectors of columns are reduced at once.
  bool in_tile_ = false;
  int parallel_ = -1;  ///< The loop of the grid that threads share; -1 if one thread does all.
};

}  // namespace sinter::inline SINTER_ABI::detail::codegen

#ifdef SINTER_DEFINITIONS
#include <sinter/codegen/cpp/nest/nest.ipp>
#endif
