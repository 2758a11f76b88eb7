// Checks that numbers of machines and thresholds of policies are in schedule/ir/target.hpp.

#include <doctest/doctest.h>

#include <regex>
#include <set>
#include <string>

#include "blanked.hpp"
#include "repository.hpp"

using namespace repository;

namespace {

// Constants of schedule and codegen that are the same for every machine, by the header they are in.
const std::set<std::string> same_for_all{
    // The planner's own time: how much it looks at, and how large a kernel may get.
    "schedule/analysis/fusion_analysis.hpp most_visited",
    "schedule/analysis/positions.hpp most_position_nodes",
    "schedule/fuse/groups.hpp max_groups_tried",
    "schedule/fuse/groups.hpp max_group_members",
    "schedule/fuse/legality.hpp max_inlined_steps",
    "schedule/fuse/merge.hpp max_siblings_tried",
    "schedule/launch/horizontal_fusion.hpp max_batches_tried",
    "schedule/lower/kernels.hpp most_stored_operands",
    "schedule/memory/arena.hpp most",
    "schedule/memory/output_buffers.hpp most",
    "schedule/rewrite/rematerialize.hpp most_region_nodes",
    // Sizes that nobody knows.
    "codegen/cuda/product/tile.hpp usual_batch",
    "codegen/cuda/product/tile.hpp usual_size",
    "schedule/analysis/statistics.hpp typical_size",
    "schedule/rewrite/rematerialize.hpp typical",
    // Units of cost, by which plans and reports count.
    "schedule/analysis/cost.hpp operations_of_function",
    "schedule/analysis/statistics.hpp steps_of_sort",
    // Ranges of integers and bit masks.
    "schedule/analysis/positions.hpp largest_factor",
    "schedule/loop/generalize.hpp most_bounded",
    "schedule/loop/generalize.hpp most_generalized_loops",
    "schedule/tile/streaming_form.ipp max_running_reductions",
    // Values with a meaning of their own.
    "codegen/tune/candidates.ipp never_non_temporal",
    "schedule/fuse/groups.hpp no_group",
    "schedule/fuse/groups.hpp first_gather_range",
    "schedule/fuse/legality.hpp last",
    "schedule/ir/domain.hpp one_chunk_per_point",
    // What a text and its caller, or two parts of a text, agree on.
    "codegen/cpp/product/decision.hpp column_rows",
    "codegen/cpp/product/decision.hpp packed_header_bytes",
    "codegen/cuda/nest/options.hpp warp_threads",
    "codegen/cuda/nest/rows.hpp partial_alignment",
    "codegen/cuda/nest/transpose.hpp tile_rows",
    "codegen/cuda/nest/transpose.hpp tile_width",
    "schedule/memory/arena.hpp alignment",
    // Names of kernels and of sizes, for readers.
    "codegen/text/names.hpp longest_size",
    "schedule/lower/kernel_name.hpp longest_name",
};

// The constants that `code` declares with a number.
std::set<std::string> numbers_of(const std::string& code) {
  static const std::regex declaration(
      R"(constexpr\s+(?:std::)?(?:u?int\d*(?:_t)?|long|size_t|ptrdiff_t|float|double)\s+([^;]*);)");
  static const std::regex name(R"((\w+)(?:\[\])?\s*[={])");
  std::set<std::string> result;
  for (std::sregex_iterator one(code.begin(), code.end(), declaration), end; one != end; ++one) {
    const std::string names = (*one)[1].str();
    const bool is_function = names.find('(') < names.find_first_of("={");
    if (is_function || names.find_first_of("0123456789") == std::string::npos) continue;
    for (std::sregex_iterator at(names.begin(), names.end(), name); at != end; ++at) {
      if ((*at)[1] != "int64_t") result.insert((*at)[1]);
    }
  }
  return result;
}

bool may_have_numbers(const std::string& header) {
  return contains(header, "target.") || contains(header, "/prelude/");
}

}  // namespace

TEST_CASE("project: numbers of machines are in the target") {
  std::set<std::string> seen;
  for (const auto& header : headers()) {
    const std::string folder = folder_of(header);
    if ((folder != "schedule" && folder != "codegen") || may_have_numbers(name_of(header)))
      continue;
    const std::string path = name_of(header), name = path.substr(path.find(folder + "/"));
    for (const std::string& constant : numbers_of(Blanked(read(header)).str())) {
      const std::string one = name + " " + constant;
      INFO(one << ": a number of a machine belongs into schedule/ir/target.hpp");
      CHECK(same_for_all.count(one) == 1);
      seen.insert(one);
    }
  }
  for (const std::string& one : same_for_all) {
    INFO(one << " is no constant any more");
    CHECK(seen.count(one) == 1);
  }
}

TEST_CASE("project: the search for numbers of machines finds those that were planted") {
  CHECK(numbers_of("inline constexpr std::int64_t a = 4, b = std::int64_t{1} << 20;") ==
        std::set<std::string>{"a", "b"});
  CHECK(numbers_of("  constexpr int most[]{3, 4};") == std::set<std::string>{"most"});
  CHECK(numbers_of("constexpr int twice(int a) { const int b = 2; return a * b; }").empty());
  CHECK(numbers_of("static constexpr bool is_fast = true;").empty());
}
