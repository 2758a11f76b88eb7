#pragma once

#include <sinter/base/text.hpp>
#include <sinter/debug/report/json.hpp>
#include <sinter/debug/report/page.hpp>
#include <sinter/debug/report/page_graph.hpp>
#include <sinter/debug/report/page_layout.hpp>
#include <sinter/debug/report/page_main.hpp>
#include <sinter/debug/report/page_script.hpp>

namespace sinter::inline SINTER_ABI::detail::debug {

namespace detail {

inline constexpr std::string_view style_text = R"PAGE(
:root {
  --sans: ui-sans-serif, system-ui, "Segoe UI", "Helvetica Neue", Arial, sans-serif;
  --mono: ui-monospace, "SF Mono", Menlo, Consolas, "DejaVu Sans Mono", monospace;
  --ground: #fbfbfa; --card: #ffffff; --ink: #1d2126; --quiet: #66707b; --rule: #dfe3e8;
  --accent: #0b62c4; --mark: #fff3c4; --edge: #9aa5b1; --node: #f3f4f6; --frame: #f6f7f9;
  --fill: 88%; --sat: 60%; --strong: 45%; --bar: 72%; --warn: #9a4b00;
}
:root[data-theme="dark"] {
  --ground: #14171b; --card: #1b1f24; --ink: #e4e8ec; --quiet: #94a0ac; --rule: #2f363e;
  --accent: #6db3ff; --mark: #4a3f14; --edge: #5b6773; --node: #262c33; --frame: #191d22;
  --fill: 26%; --sat: 38%; --strong: 62%; --bar: 36%; --warn: #ffb066; color-scheme: dark;
}
@media (prefers-color-scheme: dark) {
  :root:not([data-theme="light"]) {
    --ground: #14171b; --card: #1b1f24; --ink: #e4e8ec; --quiet: #94a0ac; --rule: #2f363e;
    --accent: #6db3ff; --mark: #4a3f14; --edge: #5b6773; --node: #262c33; --frame: #191d22;
    --fill: 26%; --sat: 38%; --strong: 62%; --bar: 36%; --warn: #ffb066; color-scheme: dark;
  }
}
* { box-sizing: border-box; }
body { margin: 0; font: 14px/1.5 var(--sans); background: var(--ground); color: var(--ink); }
#page { display: flex; flex-direction: column; height: 100vh; }
header { display: flex; flex-wrap: wrap; align-items: baseline; gap: 4px 16px; padding: 8px 20px 0;
         background: var(--card); border-bottom: 1px solid var(--rule); }
h1 { font-size: 17px; margin: 0 0 8px; font-weight: 650; }
.where { font-family: var(--mono); font-size: 12px; }
nav { display: flex; flex: 1; flex-wrap: wrap; gap: 2px; justify-content: flex-end; }
nav a { padding: 6px 10px 8px; color: var(--quiet); text-decoration: none;
        border-bottom: 2px solid transparent; }
nav a:hover { color: var(--ink); }
nav a.here { color: var(--ink); border-color: var(--accent); font-weight: 600; }
a { color: var(--accent); }
button, select, input { font: inherit; color: inherit; background: var(--card);
                        border: 1px solid var(--rule); border-radius: 6px; padding: 3px 9px; }
button:hover { border-color: var(--accent); cursor: pointer; }
.theme { border: 0; font-size: 16px; margin-left: auto; }
main { flex: 1; overflow: auto; padding: 16px 20px 40px; min-height: 0; }
main.at-graph { padding: 0; overflow: hidden; }
h2 { font-size: 15px; margin: 18px 0 6px; font-weight: 650; }
h3 { font-size: 15px; margin: 0 0 6px; font-weight: 650; overflow-wrap: anywhere; }
h4 { font-size: 12px; margin: 14px 0 4px; color: var(--quiet); font-weight: 600; }
.quiet, small { color: var(--quiet); }
.columns { display: grid; grid-template-columns: repeat(auto-fit, minmax(260px, 1fr)); gap: 0 40px;
           max-width: 1200px; }
.wide { grid-column: 1 / -1; }
dl { display: grid; grid-template-columns: max-content 1fr; gap: 2px 16px; margin: 0; }
dt { color: var(--quiet); }
dd { margin: 0; overflow-wrap: anywhere; font-variant-numeric: tabular-nums; }
.card { background: var(--card); border: 1px solid var(--rule); border-radius: 8px;
        padding: 14px 18px; margin: 0 0 14px; max-width: 1000px; }
.reason { overflow-wrap: anywhere; }
.tag { margin-left: 10px; padding: 1px 8px; border-radius: 10px; font-size: 11px; font-weight: 500;
       background: var(--node); color: var(--quiet); }
pre { margin: 0; font: 12px/1.5 var(--mono); overflow: auto; }
pre.text { background: var(--card); border: 1px solid var(--rule); border-radius: 6px;
           padding: 8px 12px; }
pre.wrap { white-space: pre-wrap; overflow-wrap: anywhere; }
pre.code { max-height: 62vh; }
.excerpt { margin: 6px 0 10px; background: var(--card); border: 1px solid var(--rule);
           border-radius: 6px; overflow: hidden; }
.excerpt figcaption { padding: 3px 12px; font: 11px var(--mono); color: var(--quiet);
                      border-bottom: 1px solid var(--rule); overflow-wrap: anywhere; }
.excerpt pre { padding: 4px 0; }
.line { display: block; padding-right: 12px; }
.line.here { background: var(--mark); }
.line i { color: var(--quiet); font-style: normal; user-select: none; }
.gap { color: var(--quiet); padding-left: 30px; }
summary { cursor: pointer; color: var(--quiet); margin: 8px 0 4px; }
.scroll { overflow: auto; }
table { border-collapse: collapse; font-variant-numeric: tabular-nums; width: 100%; }
th { text-align: left; font-weight: 600; font-size: 12px; color: var(--quiet); cursor: pointer;
     position: sticky; top: 0; background: var(--ground); white-space: nowrap; }
th[aria-sort="ascending"]::after { content: " \2191"; }
th[aria-sort="descending"]::after { content: " \2193"; }
td, th { padding: 4px 8px; border-bottom: 1px solid var(--rule); vertical-align: top; }
td.n, th.n { text-align: right; white-space: nowrap; }
td.name { font: 12px/1.7 var(--mono);
          white-space: nowrap; overflow: hidden; text-overflow: ellipsis;
          max-width: 0; width: 60%; min-width: 190px; }
tbody tr[tabindex] { cursor: pointer; }
tbody tr[tabindex]:hover { background: var(--node); }
tr.selected, tr.selected:hover { background: var(--mark); }
tr:focus { outline: 2px solid var(--accent); outline-offset: -2px; }
.dot { display: inline-block; width: 9px; height: 9px; margin-right: 7px; border-radius: 3px;
       background: hsl(var(--hue) 55% var(--strong)); }
.chip { display: inline-block; margin: 0 8px 4px 0; padding: 1px 9px; border-radius: 10px;
        text-decoration: none; color: var(--ink);
        background: hsl(var(--hue) var(--sat) var(--fill)); }
.share { display: inline-flex; align-items: center; gap: 6px; }
.share u, .bar { display: inline-block; height: 9px; border-radius: 2px; background: var(--accent);
                 opacity: 0.75; }
main.at-kernels { overflow: hidden; display: flex; flex-direction: column; padding-bottom: 0; }
.split { display: grid; grid-template-columns: minmax(0, 740px) minmax(0, 1fr); gap: 24px; flex: 1;
         min-height: 0; }
.split > div { overflow: auto; min-height: 0; padding-bottom: 24px; }
.split > div > .scroll { overflow: visible; }
.beside { display: grid; grid-template-columns: repeat(auto-fit, minmax(300px, 1fr)); gap: 0 16px; }
.beside > div { min-width: 0; }
@media (max-width: 1000px) {
  main.at-kernels { overflow: auto; }
  .split { display: block; }
}
.timeline { width: 100%; display: block; touch-action: none; }
.tip { height: 20px; font: 12px var(--mono); overflow-wrap: anywhere; }
.memory { width: 100%; max-width: 1200px; font: 11px var(--sans); }
.memory text { fill: var(--quiet); }
.memory .rule { stroke: var(--rule); }
.buffer { fill: hsl(var(--hue) 55% var(--bar)); stroke: var(--card); stroke-width: 0.5; }
.buffer:hover { stroke: var(--ink); }
.live { fill: none; stroke: var(--ink); stroke-width: 1.5; stroke-dasharray: 4 3; }
.graph-section { display: flex; flex-direction: column; height: 100%; }
.tools { display: flex; flex-wrap: wrap; gap: 8px; align-items: center; padding: 8px 20px;
         border-bottom: 1px solid var(--rule); }
.tools input { width: 330px; }
.graph-area { display: flex; flex: 1; min-height: 0; }
.holder { flex: 1; min-width: 0; }
svg.graph { width: 100%; height: 100%; display: block; cursor: grab; touch-action: none;
            outline: none; }
.node-detail { width: 360px; overflow: auto; padding: 14px 18px; border-left: 1px solid var(--rule);
               background: var(--card); }
.node-detail ul { margin: 0; padding-left: 18px; overflow-wrap: anywhere; }
.node-detail > pre { margin-top: 8px; }
.graph text { font: 12px var(--sans); fill: var(--ink); pointer-events: none; }
.box { cursor: pointer; }
.box text { text-anchor: middle; }
.box .op { font-weight: 600; }
.box .type { font: 10.5px var(--mono); fill: var(--quiet); }
.box > rect { fill: var(--node); stroke: var(--rule); }
.box.fused > rect { fill: hsl(var(--hue, 0) var(--sat) var(--fill));
                   stroke: hsl(var(--hue, 0) 45% var(--strong)); }
.box.several > rect { fill: var(--node); stroke: var(--quiet); stroke-dasharray: 4 2; }
.box.input > rect { fill: none; }
.box.output > rect:first-child { stroke: var(--ink); stroke-width: 1.8; }
.box.module > rect:first-child { fill: var(--card); stroke: var(--quiet); }
.box > rect.chip { fill: hsl(var(--hue) 55% var(--strong)); stroke: none; }
.box:hover > rect:first-child { stroke: var(--accent); stroke-width: 1.8; }
.box.found > rect:first-child { stroke: #d98200; stroke-width: 2.5; }
.box.selected > rect:first-child { stroke: var(--accent); stroke-width: 3; }
.frame rect { fill: var(--frame); stroke: var(--rule); }
.frame .head { stroke: none; fill: transparent; cursor: pointer; }
.frame .head:hover { fill: var(--node); }
.frame text { fill: var(--quiet); font-weight: 600; }
.edge { fill: none; stroke: var(--edge); stroke-width: 1.1; opacity: 0.75; }
.edge.near { stroke: var(--accent); stroke-width: 2; opacity: 1; }
.edge:hover { stroke: var(--ink); stroke-width: 2.5; opacity: 1; }
.arrow { fill: var(--edge); }
)PAGE";

// JSON for a <script> element, which the text "</script>" would end.
SINTER_INLINE std::string embedded(const std::string& json) {
  std::string result;
  result.reserve(json.size());
  for (const char c : json) c == '<' ? result += "\\u003c" : result += c;
  return result;
}

SINTER_INLINE std::string page_of(std::string_view title, const std::string& json) {
  return text("<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n<title>",
              title, "</title>\n<style>", style_text,
              "</style>\n</head>\n<body>\n<div id=\"page\"></div>\n"
              "<script type=\"application/json\" id=\"facts\">",
              embedded(json), "</script>\n<script>", page_layout(), page_graph(), page_script(),
              page_main(), "</script>\n</body>\n</html>\n");
}

}  // namespace detail

SINTER_INLINE std::string report_page(const std::string& facts) {
  return detail::page_of("sinter report", facts);
}

SINTER_INLINE std::string index_page(const std::vector<IndexEntry>& entries) {
  std::vector<std::string> list;
  for (const IndexEntry& entry : entries) {
    list.push_back(JsonObject().add_text("file", entry.file).add("summary", entry.summary).str());
  }
  return detail::page_of("sinter reports", JsonObject().add("index", json_values(list)).str());
}

}  // namespace sinter::inline SINTER_ABI::detail::debug
