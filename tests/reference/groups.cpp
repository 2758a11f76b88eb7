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
    if (!key.empty() && !job.row->is_eager) groups[key].push_back(job);
  }
  std::map<std::string, std::size_t> turns;
  std::vector<Group> result;
  for (auto& [key, group] : groups) {
    const auto [turn, is_first] = turns.try_emplace(group[0].item->function, turns.size());
    const bool is_odd = turn->second++ % 2 == 0 || group.size() > 1;
    const bool is_next = is_odd && table.compiled != Share::few;
    if (is_first || is_next || table.compiled == Share::all) {
      result.push_back(std::move(group));
    }
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
    if (job.row->is_eager) continue;
    const bool is_first = functions.insert(job.row->name).second;
    const bool is_other = symbolic.count(job.item) == 0;
    const bool is_eager = sinter_test::on_gpu() && !variant_of(*job.item).empty();
    const bool is_next = is_other && !is_eager && table.compiled != Share::few;
    if (is_first || is_next || table.compiled == Share::all) result.push_back({job});
  }
  return result;
}

std::vector<Group> unmarked_groups(const Table& table) {
  std::set<std::string_view> functions;
  if (table.compiled == Share::few) {
    for (const Group& group : symbolic_groups(table)) functions.insert(group[0].row->name);
  }
  std::vector<Group> result;
  for (const Job& job : jobs_of(table)) {
    if (job.row->is_eager || !variant_of(*job.item).empty()) continue;
    const bool is_first = functions.insert(job.row->name).second;
    if (is_first || table.compiled != Share::few) result.push_back({job});
  }
  return result;
}

}  // namespace reference
