#pragma once

#include <algorithm>  // std::max

#include <sinter/base/container/vector.hpp>
#include <sinter/graph/print.hpp>
#include <sinter/trace/module/text.hpp>

namespace sinter::inline SINTER_ABI::detail {

namespace module_text {

inline void erase_all(std::string& from, std::string_view words) {
  for (std::size_t at = 0; (at = from.find(words, at)) != std::string::npos;) {
    from.erase(at, words.size());
  }
}

// "[1, 1]" for a container of plain values, which has no lines of its own.
inline void join_plain_members(MemberText& member) {
  bool joins = !member.members.empty() && member.text.empty();
  for (MemberText& each : member.members) {
    join_plain_members(each);
    joins = joins && each.is_plain;
  }
  if (!joins) return;
  for (const MemberText& each : member.members) {
    member.text += (member.text.empty() ? "[" : ", ") + each.text;
  }
  member.text += "]";
  member.members.clear();
}

inline std::int64_t count(MemberText& member) {
  for (MemberText& each : member.members) member.parameters += count(each);
  return member.parameters;
}

struct Line {
  std::string left{}, text{};
  std::int64_t parameters = 0;
};

inline void add_lines(const MemberText& member, std::size_t depth, Vector<Line>& lines) {
  lines.push_back({std::string(2 * depth, ' ') + member.name, member.text, member.parameters});
  for (const MemberText& each : member.members) add_lines(each, depth + 1, lines);
}

}  // namespace module_text

SINTER_INLINE std::string type_in_signature(std::string_view signature) {
  signature.remove_prefix(signature.find(" = ") + 3);  // [with T = Net; ...], or [T = Net]
  const std::size_t end = signature.find(';');
  signature = signature.substr(0, end == std::string_view::npos ? signature.rfind(']') : end);
  std::string result(signature);
  for (const std::string_view scope : {"v0_compiled::", "v0_header_only::", "sinter::",
                                       "{anonymous}::", "(anonymous namespace)::"}) {
    module_text::erase_all(result, scope);
  }
  constexpr std::size_t most = 40;
  const std::size_t arguments = result.find('<');
  return result.size() > most ? result.substr(0, arguments) : result;
}

SINTER_INLINE MemberText& ModuleTextBuilder::at(const LeafName& name) {
  MemberText& outer = name.parent == nullptr ? root_ : at(*name.parent);
  const std::string own = name.index < 0 ? std::string(name.name) : std::to_string(name.index);
  if (own.empty()) return outer;
  if (outer.members.empty() || outer.members.back().name != own) outer.members.push_back({own});
  return outer.members.back();
}

SINTER_INLINE void ModuleTextBuilder::add_tensor(const Tensor& value, const LeafName& name,
                                                 bool is_parameter) {
  MemberText& member = at(name);
  if (!value.defined()) {
    member.text = "undefined";
    return;
  }
  member.text = sinter::detail::text(value.type(), is_parameter ? "" : ", buffer");
  if (!is_static(value.shape())) return;
  const std::int64_t count = value.numel().number();
  member.bytes = count * static_cast<std::int64_t>(info(value.dtype()).size);
  if (is_parameter) member.parameters = count;
}

SINTER_INLINE void ModuleTextBuilder::add_module(std::string type, const LeafName& name) {
  MemberText& member = at(name);
  member.text = std::move(type);
  member.is_module = true;
}

SINTER_INLINE void ModuleTextBuilder::scalar(const Scalar& value, const LeafName& name) {
  at(name).text = sinter::detail::text(value.dtype(), ", Scalar");
}

SINTER_INLINE void ModuleTextBuilder::add_plain(std::string value, const LeafName& name) {
  MemberText& member = at(name);
  member.text = std::move(value);
  member.is_plain = true;
}

SINTER_INLINE void ModuleTextBuilder::structure(std::size_t length, const LeafName& name) {
  if (length == 0) at(name).text = "empty";
}

SINTER_INLINE void ModuleTextBuilder::presence(bool is_present, const LeafName& name) {
  if (!is_present) at(name).text = "none";
}

SINTER_INLINE std::string ModuleTextBuilder::text() const {
  MemberText root = root_;
  module_text::join_plain_members(root);
  module_text::count(root);
  Vector<module_text::Line> lines;
  for (const MemberText& member : root.members) module_text::add_lines(member, 1, lines);
  std::size_t left = 0, middle = 0, right = 0;
  for (const module_text::Line& line : lines) {
    left = std::max(left, line.left.size());
    middle = std::max(middle, line.text.size());
    right = std::max(right, std::to_string(line.parameters).size());
  }
  std::string result =
      sinter::detail::text(root.text, ": ", quantity(root.parameters, "parameter"));
  for (const module_text::Line& line : lines) {
    result +=
        "\n" + (line.text.empty() && line.parameters == 0 ? line.left : pad(line.left, left + 2));
    if (line.parameters == 0) {
      result += line.text;
      continue;
    }
    const std::string number = std::to_string(line.parameters);
    result += pad(line.text, middle + 2) + std::string(right - number.size(), ' ') + number;
  }
  return result;
}

}  // namespace sinter::inline SINTER_ABI::detail
