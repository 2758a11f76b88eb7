#pragma once

#include <sinter/debug/report/page_script.hpp>

namespace sinter::inline SINTER_ABI::detail::debug {

namespace detail {

inline constexpr std::string_view script_text = R"PAGE(
// -- texts ---------------------------------------------------------------------------------------
const bytesText = n => {
  const units = ["B", "KiB", "MiB", "GiB", "TiB"];
  let i = 0;
  while (Math.abs(n) >= 1024 && i < 4) n /= 1024, ++i;
  return (i === 0 ? n : n.toPrecision(n >= 1000 ? 4 : 3)) + " " + units[i];
};
const timeText = s => {
  if (s === 0) return "0 s";
  const units = [[1e-9, "ns"], [1e-6, "\u00b5s"], [1e-3, "ms"], [1, "s"]];
  const [unit, name] = units.filter(([u]) => s >= u * 0.9995).pop() || units[0];
  return (s / unit).toPrecision(3) + " " + name;
};
const countText = n => n.toLocaleString("en-US");
const shortText = n => {  // 7.21 M
  const units = ["", " k", " M", " G", " T"];
  let i = 0;
  while (n >= 1000 && i < 4) n /= 1000, ++i;
  return (i === 0 ? n : n.toPrecision(3)) + units[i];
};
const plural = (n, word) => countText(n) + " " + word + (n === 1 ? "" : "s");

// -- the facts as the sections read them ---------------------------------------------------------
class Facts {
  constructor(json) {
    Object.assign(this, json);
    this.times = new Map((json.profile ? json.profile.kernels : []).map(k => [k.name, k]));
    this.lastPrograms = [...json.last.programs, ...json.last.derivatives];
  }

  // The kernel launches of a program, with their names and measured times.
  launches(number) {
    const program = this.programs[number];
    return (program.launches || []).map((launch, index) => {
      const name = program.kernels[launch.kernel].name, others = launch.runs - 1;
      const full = others > 0 ? `${name} and ${others} other${others > 1 ? "s" : ""}` : name;
      return {...launch, index, program: number, name, full, time: this.times.get(full) || null,
              texts: launch.kernels.map(k => this.strings[program.kernels[k].text]),
              places: launch.lines.map(l => this.strings[l])};
    });
  }

  // "recording 2, graph 3 of 4" for each program.
  titles() {
    const result = new Map();
    this.recordings.forEach((recording, i) => recording.programs.forEach((p, k) => {
      const part = recording.programs.length > 1 ?
          `, graph ${k + 1} of ${recording.programs.length}` : "";
      if (!result.has(p)) result.set(p, `recording ${i + 1}${part}`);
    }));
    this.last.programs.forEach((p, k) => {
      if (!result.has(p)) result.set(p,
          `last call, graph ${k + 1} of ${this.last.programs.length}`);
    });
    this.last.derivatives.forEach((p, k) => {
      if (!result.has(p)) result.set(p, `derivative ${k + 1} of the last call`);
    });
    return result;
  }
}

// An excerpt of the user's file around "model.cpp:14", with the named lines marked.
function excerpt(facts, places) {
  const files = new Map();
  for (const place of new Set(places)) {
    const colon = place.lastIndexOf(":"), file = place.slice(0, colon);
    if (!place) continue;
    if (!files.has(file)) files.set(file, new Set());
    files.get(file).add(parseInt(place.slice(colon + 1), 10));
  }
  return [...files].map(([file, lines]) => {
    const known = facts.sources[file];
    if (!known) return el("p", {class: "quiet"}, [...lines].map(l => `${file}:${l}`).join(", "));
    const near = known.filter(([n]) => [...lines].some(l => Math.abs(l - n) <= 2));
    let before = null;
    return el("figure", {class: "excerpt"}, el("figcaption", {}, file), el("pre", {}, near.map(
      ([number, text]) => {
        const gap = before !== null && number > before + 1 ? el("span", {class: "gap"},
            "\u22ee\n") : null;
        before = number;
        return [gap, el("span", {class: lines.has(number) ? "line here" : "line"},
                        el("i", {}, String(number).padStart(5) + "  "), text + "\n")];
      })));
  });
}

// -- tables --------------------------------------------------------------------------------------
// columns: [title, value(row), text(row), class]. A click on a title sorts.
function table(columns, rows, onRow, key) {
  const body = el("tbody");
  let order = rows, sorted = null, down = false;
  const fill = () => body.replaceChildren(...order.map(row => el("tr",
    {tabindex: onRow ? 0 : null, "data-key": key ? key(row) : null,
     click: onRow ? e => onRow(row, e.currentTarget) : null,
     keydown: e => {
       if (!onRow) return;
       const next = e.key === "ArrowDown" ? e.currentTarget.nextSibling :
                    e.key === "ArrowUp" ? e.currentTarget.previousSibling : null;
       if (next) { e.preventDefault(); next.focus(); next.click(); }
       if (e.key === "Enter") onRow(row, e.currentTarget);
     }},
    columns.map(([, value, text, kind]) => el("td", {class: kind || null,
      title: kind === "name" ? value(row) : null}, text(row))))));
  const sort = index => {
    const value = columns[index][1];
    down = sorted === index ? !down : typeof value(rows[0]) === "number";
    sorted = index;
    const compare = (a, b) => a < b ? -1 : a > b ? 1 : 0;
    order = rows.slice().sort((a, b) => (down ? -1 : 1) * compare(value(a), value(b)));
    head.querySelectorAll("th").forEach((th, i) =>
      th.setAttribute("aria-sort", i !== sorted ? "none" : down ? "descending" : "ascending"));
    fill();
  };
  const head = el("tr", {}, columns.map(([title, , , kind], i) =>
    el("th", {class: kind || null, click: () => rows.length > 0 && sort(i)}, title)));
  fill();
  return el("div", {class: "scroll"}, el("table", {}, el("thead", {}, head), body));
}

const definitions = pairs => el("dl", {}, pairs.map(([name, value, note]) =>
  [el("dt", {}, name), el("dd", {}, value, note ? el("small", {}, note) : null)]));

// -- sections ------------------------------------------------------------------------------------
function overviewSection(facts) {
  const s = facts.stats, o = facts.options;
  const lines = facts.summary.where ? excerpt(facts, [facts.summary.where]) : [];
  return el("div", {class: "columns"},
    el("section", {}, el("h2", {}, "Last call"), definitions([
      ["graphs", countText(s.graphs), s.breaks > 0 ? ` around ${plural(s.breaks, "graph break")}` :
          ""],
      ["launches", countText(s.launches), ` of ${countText(s.kernels)} kernels`],
      ["read", bytesText(s.bytes_read)], ["written", bytesText(s.bytes_written)],
      ["temporaries", bytesText(s.peak_bytes), " in the arena"]])),
    el("section", {}, el("h2", {}, "Since compile()"), definitions([
      ["calls", countText(s.calls), s.eager_calls > 0 ?
          `, ${countText(s.eager_calls)} of them eager` : ""],
      ["recordings", countText(facts.recordings.length), `, ${plural(s.recompiles, "recompile")}`],
      ["recording", timeText(s.record_seconds)],
      ["compiling", timeText(s.compile_seconds), ` in ${plural(s.compiler_runs, "compiler run")}`],
      ["allocations", countText(s.allocations)],
      ["interpreted", countText(s.interpreted), " programs"]])),
    el("section", {}, el("h2", {}, "Options"), definitions([
      ["backend", o.backend], ["mode", o.mode], ["dynamic", o.dynamic], ["numerics", o.numerics],
      ["fullgraph", String(o.fullgraph)], ["recompile limit", countText(o.recompile_limit)],
      ["threads", countText(facts.summary.threads)], ["sinter", facts.summary.version]])),
    el("section", {class: "wide"}, el("h2", {}, "Compiled at"), lines));
}

function recordingsSection(facts) {
  if (facts.recordings.length === 0) return el("p", {class: "quiet"}, "Nothing was recorded.");
  return facts.recordings.map((r, i) => el("article", {class: "card"},
    el("h3", {}, `Recording ${i + 1}`, r.last ? el("b", {class: "tag"}, "last call") : null,
       r.traced ? el("b", {class: "tag"}, "traced on every call") : null),
    el("p", {class: "reason"}, r.reason ? "Recompiled: " + r.reason : "The first call."),
    definitions([
      r.traced ? null : ["calls served", countText(r.calls)],
      r.traced ? null : ["kernels", `${countText(r.kernels_compiled)} compiled, ` +
                         `${countText(r.disk_hits)} from the disk cache`],
      r.traced ? null : ["compiling", timeText(r.compile_seconds)],
      r.device ? ["device", r.device] : null,
      ["graphs", r.programs.map(p => el("a", {href: `#graph/program=${p}`}, `graph ${p + 1} `))],
      r.breaks.length > 0 ? ["breaks", el("a", {href: "#breaks"}, countText(r.breaks.length))] :
          null,
    ].filter(x => x)),
    r.guards.length === 0 ? null : el("details", {}, el("summary", {}, plural(r.guards.length,
        "guard")),
      el("pre", {class: "text"}, r.guards.join("\n")))));
}

function breaksSection(facts) {
  const breaks = facts.last.breaks;
  if (breaks.length === 0) return el("p", {class: "quiet"}, "The last call has no graph break.");
  return breaks.map((b, i) => el("article", {class: "card"},
    el("h3", {}, `Break ${i + 1}: ${b.reason}`),
    el("p", {}, el("b", {}, "Way out: "), b.fix), excerpt(facts, [facts.strings[b.line]])));
}

function cachesSection(facts) {
  const s = facts.stats;
  const served = facts.recordings.filter(r => !r.traced);
  const most = Math.max(1, ...served.map(r => r.calls));
  return [el("div", {class: "columns"},
    el("section", {}, el("h2", {}, "Kernels"), definitions([
      ["compiled", countText(s.kernels_compiled),
          ` in ${plural(s.compiler_runs, "compiler run")}`],
      ["disk hits", countText(s.disk_hits), " from the disk cache or a loaded file"],
      ["time", timeText(s.compile_seconds), " compiling, loading and waiting"]])),
    el("section", {}, el("h2", {}, "Recordings"), definitions([
      ["calls", countText(s.calls)], ["variants", countText(s.variants)],
      ["recompiles", countText(s.recompiles), `, limit ${facts.options.recompile_limit}`]]))),
  served.length === 0 ? null : [el("h2", {}, "Calls that each recording served"), table([
    ["recording", r => r.i, r => el("a", {href: "#recordings"}, r.i + 1)],
    ["calls", r => r.calls, r => countText(r.calls), "n"],
    ["", r => r.calls, r => el("div", {class: "bar", style: `width:${240 * r.calls / most}px`})],
    ["kernels compiled", r => r.kernels_compiled, r => countText(r.kernels_compiled), "n"],
    ["disk hits", r => r.disk_hits, r => countText(r.disk_hits), "n"],
    ["made because", r => r.reason, r => r.reason || "first call"],
  ], served.map(r => ({...r, i: facts.recordings.indexOf(r)})))]];
}

function kernelsSection(facts, choice) {
  const rows = facts.lastPrograms.flatMap(p => facts.launches(p));
  if (rows.length === 0) return el("p", {class: "quiet"}, "The last call launched no kernels.");
  rows.forEach((row, i) => row.number = i + 1);
  const each = r => r.time ? r.time.seconds / r.time.runs : 0;
  const total = rows.reduce((sum, r) => sum + each(r), 0), most = Math.max(...rows.map(each));
  const detail = el("div", {class: "detail"});
  const measured = facts.profile !== null;
  const columns = [
    ["#", r => r.number, r => r.number, "n"],
    ["kernel", r => r.full, r => [el("i", {class: "dot", style: "--hue:" +
      hueOf(r.groups.length > 0 ? r.groups[0] : r.index)}), r.full], "name"],
    ...(measured ? [
      ["time", each, r => r.time ? timeText(each(r)) : "", "n"],
      ["least", r => r.time ? r.time.least : 0, r => r.time ? timeText(r.time.least) : "", "n"],
      ["share", each, r => r.time ? el("span", {class: "share"}, el("u", {style:
        `width:${40 * each(r) / most}px`}), (100 * each(r) / total).toFixed(1) + "%") : "", "n"],
      ["roof", r => r.time ? r.time.roof : 0,
       r => r.time && r.time.roof > 0 ? Math.round(100 * r.time.roof) + "%" : "", "n"],
      ["GB/s", r => r.time ? (r.read + r.written) / each(r) : 0,
       r => r.time ? ((r.read + r.written) / each(r) / 1e9).toFixed(1) : "", "n"]] : []),
    ["read", r => r.read, r => bytesText(r.read), "n"],
    ["written", r => r.written, r => bytesText(r.written), "n"],
    ["flop", r => r.operations, r => shortText(r.operations), "n"],
  ];
  const show = (row, element) => {
    body.querySelectorAll("tr.selected").forEach(tr => tr.classList.remove("selected"));
    if (element) element.classList.add("selected");
    detail.replaceChildren(...kernelDetail(facts, row).flat(Infinity).filter(x => x));
  };
  const body = table(columns, rows, show, r => r.number);
  const first = rows[Math.min(rows.length, Math.max(1, choice || 1)) - 1];
  show(first, body.querySelector(`[data-key="${first.number}"]`));
  return el("div", {class: "split"}, el("div", {}, el("p", {class: "quiet"}, measured ?
    `Times are the mean of ${plural(facts.profile.calls, "profiled call")}, and the least of all ` +
    "runs; launches that share a kernel share both. Roof: the time that memory or arithmetic " +
    "would allow, over the time taken." :
    "No times: profile() did not measure these kernels."), body), detail);
}

function kernelDetail(facts, row) {
  const program = facts.programs[row.program];
  const reasons = row.groups.map(g => (program.groups || [])[g]).filter(x => x);
  return [el("h3", {}, `${row.number}. ${row.full}`),
    el("p", {}, row.groups.map(g => el("a", {class: "chip", style: "--hue:" + hueOf(g),
       href: `#graph/program=${row.program}/find=kernel${g}`}, `fusion group ${g}`))),
    el("div", {class: "beside"}, el("div", {}, el("h4", {}, "Your lines"), excerpt(facts,
        row.places)),
      el("div", {}, el("h4", {}, row.texts.length > 1 ? `Texts of ${row.texts.length} kernels` :
          "Its text"),
        el("pre", {class: "text code"}, row.texts.join("\n")))),
    reasons.length === 0 ? null : [el("h4", {},
        "What was fused, and what it loads from other kernels"),
      el("pre", {class: "text wrap"}, reasons.flat().join("\n"))]];
}
)PAGE";

}  // namespace detail

SINTER_INLINE std::string_view page_script() { return detail::script_text; }

}  // namespace sinter::inline SINTER_ABI::detail::debug
