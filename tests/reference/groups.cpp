#include "groups.hpp"

#include <algorithm>
#include <map>
#include <set>

#include "moved.hpp"

namespace reference {

const Row* row_of(const Table& table, std::string_view function) {
  for (const Row& row : table.rows) {
    if (row.name == function) return &row;
  }
  return nullptr;
}

Jobs jobs_of(const Table& table) {
  Jobs result;
  for (const Case& item : cases_of(table.family)) {
    if (const Row* row = row_of(table, item.function)) result.push_back({row, &item});
  }
  return result;
}

std::vector<Group> symbolic_groups(const Table& table) {
  std::map<std::string, Group> groups;
  for (const Job& job : jobs_of(table)) {
    const std::string key = variant_of(*job.item);
    if (!key.empty() && !job.row->reads_elements) groups[key].push_back(job);
  }
  std::map<std::string, std::size_t> turns;
  std::vector<Group> result;
  for (auto& [key, group] : groups) {
    const auto [turn, is_first] = turns.try_emplace(group[0].item->function, turns.size());
    const bool is_next = turn->second++ % 2 == 0;
    if (is_first || is_next || group.size() > 1) result.push_back(std::move(group));
  }
  std::stable_sort(result.begin(), result.end(),
                   [](const Group& a, const Group& b) { return a.size() > b.size(); });
  return result;
}

std::vector<Group> fused_groups(const Table& table) {
  std::set<const Case*> symbolic;
  for (const Group& group : symbolic_groups(table)) {
    for (const Job& job : group) symbolic.insert(job.item);
  }
  std::set<std::string_view> functions;
  std::vector<Group> result;
  for (const Job& job : jobs_of(table)) {
    if (job.row->reads_elements) continue;
    const bool is_first = functions.insert(job.row->name).second;
    const bool is_other = symbolic.count(job.item) == 0;
    const bool is_eager = sinter_test::on_gpu() && !variant_of(*job.item).empty();
    if (is_first || (is_other && !is_eager)) result.push_back({job});
  }
  return result;
}

}  // namespace reference
