#pragma once
// Which cases of a family are compiled, and in which form.

#include <string_view>
#include <vector>

#include "cases.hpp"

namespace reference {

struct Job {
  const Row* row;
  const Case* item;
  bool is_repeated = false;  // in a later call, for want of another one
};
using Jobs = std::vector<Job>;

/// Jobs with the same text but for sizes and elements.
using Group = Jobs;

/// How a function is computed; null if the table does not say it.
const Row* row_of(const Table& table, std::string_view function);
/// All cases of the family.
Jobs jobs_of(const Table& table);
/// Cases whose sizes are symbols; those of a group are calls of one variant. `Share::half`: every
/// other group, those of several cases, and one of each function at least.
std::vector<Group> symbolic_groups(const Table& table);
/// `Share::half`: the cases that are compiled in no other form, and one of each function. On a GPU
/// eager runs are compiled, with their sizes as numbers.
std::vector<Group> fused_groups(const Table& table);
/// The cases that mark no size. `Share::few`: one of each function that has no others.
std::vector<Group> unmarked_groups(const Table& table);

}  // namespace reference
