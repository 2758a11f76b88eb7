#pragma once

#include <sinter/debug/report/page_main.hpp>

namespace sinter::inline SINTER_ABI::detail::debug {

namespace detail {

inline constexpr std::string_view main_text = R"PAGE(
// -- timeline and memory -------------------------------------------------------------------------
function timelineSection(facts) {
  const profile = facts.profile;
  if (!profile) {
    return el("p", {class: "quiet"},
        "No timeline: call profile([&] { f(x); }) before report(f, path).");
  }
  const rowOf = e => e[2] >= 0 ? "GPU " + e[2] : "thread " + e[1];
  const rows = [...new Set(profile.events.map(rowOf))].sort();
  const canvas = el("canvas", {class: "timeline"}), tip = el("div", {class: "tip"});
  const height = 34, top = 26, left = 70;
  let view = {from: 0, to: profile.call};
  const x = t => left + (t - view.from) / (view.to - view.from) * (canvas.clientWidth - left - 10);
  const hue = kernelHues(facts);
  const paint = () => {
    const pixel = window.devicePixelRatio || 1, width = canvas.clientWidth;
    canvas.style.height = top + rows.length * height + 10 + "px";
    [canvas.width, canvas.height] = [width * pixel, (top + rows.length * height + 10) * pixel];
    const c = canvas.getContext("2d"), style = getComputedStyle(document.documentElement);
    c.scale(pixel, pixel);
    c.font = "12px " + style.getPropertyValue("--sans");
    c.fillStyle = style.getPropertyValue("--quiet");
    rows.forEach((row, i) => c.fillText(row, 4, top + i * height + 21));
    for (let i = 0; i <= 6; ++i) {
      const t = view.from + (view.to - view.from) * i / 6;
      c.textAlign = i === 6 ? "right" : "left";
      c.fillText(timeText(Math.max(t, 0) * 1e-6), x(t), 14);
      c.fillRect(x(t), 18, 1, rows.length * height + 8);
    }
    c.textAlign = "left";
    c.save();
    c.beginPath(), c.rect(left, 0, width - left, 10000), c.clip();
    for (const e of profile.events) {
      const y = top + rows.indexOf(rowOf(e)) * height + 3, w = Math.max(x(e[4]) - x(e[3]), 1);
      if (x(e[4]) < left || x(e[3]) > width) continue;
      c.fillStyle = `hsl(${hue(e[0])} 55% ${style.getPropertyValue("--bar").trim()})`;
      c.fillRect(x(e[3]), y, w - (w > 3 ? 1 : 0), height - 8);
      if (w < 60) continue;
      c.fillStyle = style.getPropertyValue("--ink");
      c.save(), c.beginPath(), c.rect(x(e[3]), y, w - 4, height), c.clip();
      c.fillText(profile.kernels[e[0]].name, x(e[3]) + 4, y + 17);
      c.restore();
    }
    c.restore();
  };
  const timeAt = px => view.from +
      (px - left) / (canvas.clientWidth - left - 10) * (view.to - view.from);
  canvas.addEventListener("wheel", e => {
    e.preventDefault();
    const at = timeAt(e.offsetX), f = Math.exp(e.deltaY * 0.0015);
    view = {from: at - (at - view.from) * f, to: at + (view.to - at) * f};
    paint();
  }, {passive: false});
  canvas.addEventListener("pointermove", e => {
    if (e.buttons === 1) {
      const moved = timeAt(0) - timeAt(e.movementX);
      view = {from: view.from + moved, to: view.to + moved};
      return paint();
    }
    const t = timeAt(e.offsetX), row = rows[Math.floor((e.offsetY - top) / height)];
    const hit = profile.events.find(v => rowOf(v) === row && v[3] <= t && t <= v[4]);
    tip.textContent = hit ?
        `${profile.kernels[hit[0]].name}: ${timeText((hit[4] - hit[3]) * 1e-6)}` : "";
  });
  canvas.addEventListener("dblclick", () => { view = {from: 0, to: profile.call}; paint(); });
  return [el("p", {}, `One call of ${profile.calls}, that of median length: `,
             timeText(profile.call * 1e-6) + ". ",
             el("span", {class: "quiet"},
                 "Wheel: zoom. Drag: move. Double click: the whole call.")),
          canvas, tip, Object.assign(el("span"), {onShow: paint})];
}

// The colour of a profiled kernel: that of the fusion group of its first launch.
function kernelHues(facts) {
  const hues = new Map();
  for (const program of facts.lastPrograms) {
    for (const launch of facts.launches(program)) {
      const hue = hueOf(launch.groups.length > 0 ? launch.groups[0] : launch.index);
      if (!hues.has(launch.full)) hues.set(launch.full, hue);
    }
  }
  return kernel => hues.get(facts.profile.kernels[kernel].name) || 0;
}

// The bytes that are alive at each launch.
function liveBytes(memory) {
  const live = new Array(memory.steps.length).fill(0);
  for (const [bytes, , first, last] of memory.buffers) {
    for (let i = first; i <= last; ++i) live[i] += bytes;
  }
  return live;
}

function memoryPicture(memory) {
  const steps = memory.steps.length, width = 1000, height = 320, top = 10;
  const live = liveBytes(memory), most = Math.max(memory.arena, ...live, 1);
  const x = i => 60 + i / steps * (width - 70), y = b => top + height - b / most * height;
  const picture = el("svg", {class: "memory", viewBox: `0 0 ${width} ${height + 40}`});
  for (const part of [0, 0.25, 0.5, 0.75, 1]) {
    picture.append(el("line", {x1: 60, x2: width - 10, y1: y(part * most), y2: y(part * most),
        class: "rule"}),
                   el("text", {x: 54, y: y(part * most) + 4, "text-anchor": "end"},
                       bytesText(Math.round(part * most))));
  }
  for (const [bytes, offset, first, last] of memory.buffers) {
    picture.append(el("rect", {class: "buffer", x: x(first), y: y(offset + bytes),
      width: Math.max(x(last + 1) - x(first), 1), height: Math.max(bytes / most * height, 0.5),
      style: "--hue:" + hueOf(first)},
      el("title", {}, `${bytesText(bytes)} at ${countText(offset)}, ` +
         `launches ${first + 1} to ${last + 1}\n` +
         `written by ${memory.steps[first]}\nlast used by ${memory.steps[last]}`)));
  }
  const d = live.map((b, i) =>
      `${i === 0 ? "M" : "L"}${x(i)} ${y(b)}L${x(i + 1)} ${y(b)}`).join("");
  picture.append(el("path", {class: "live", d}),
                 el("text", {x: 60, y: height + 30}, "launch 1"),
                 el("text", {x: width - 10, y: height + 30, "text-anchor": "end"}, "launch " +
                     steps));
  return picture;
}

function memorySection(facts) {
  const programs = facts.lastPrograms.filter(p => facts.programs[p].memory);
  if (programs.length === 0) return el("p", {class: "quiet"}, "The last call ran no plan.");
  const titles = facts.titles();
  return programs.map(p => {
    const memory = facts.programs[p].memory;
    const empty = memory.buffers.length === 0;
    return [el("h2", {}, titles.get(p)), definitions([
      ["arena", bytesText(memory.arena)], ["most alive", bytesText(Math.max(0,
          ...liveBytes(memory)))],
      ["without reuse", bytesText(memory.buffers.reduce((sum, b) => sum + b[0], 0))],
      ["inputs", bytesText(memory.inputs)], ["outputs", bytesText(memory.outputs)]]),
      empty ? el("p", {class: "quiet"}, "No temporaries.") :
      [memoryPicture(memory), el("p", {class: "quiet"},
          "Each rectangle is a buffer of the arena: from the " +
        "launch that writes it to the one that last uses it. The line is the sum of live bytes.")]];
  });
}

// -- the graph section ---------------------------------------------------------------------------
const STAGES = [["recorded", "as recorded"], ["optimized", "after the passes"],
                ["scheduled", "as scheduled: fusion groups"]];

class GraphSection {
  constructor(facts) {
    this.facts = facts;
    this.titles = facts.titles();
    this.views = new Map();
    this.programs = el("select", {"aria-label": "graph", change: () => this.choose()},
      facts.programs.map((p, i) => el("option", {value: i}, this.titles.get(i) || "graph " + (i +
          1))));
    this.stages = el("select", {"aria-label": "stage", change: () => this.choose()});
    this.search = el("input", {type: "search",
        placeholder: "Search: operation, module, line, kernel3  ( / )",
                               "aria-label": "search", input: () => this.find(),
                               keydown: e => this.searchKey(e)});
    this.found = el("span", {class: "quiet"});
    this.holder = el("div", {class: "holder"});
    this.aside = el("aside", {class: "node-detail"});
    const button = (text, title, click) => el("button", {title, click}, text);
    this.element = el("div", {class: "graph-section"},
      el("div", {class: "tools"}, this.programs, this.stages, this.search, this.found,
        button("Fit", "f", () => this.view.fit()),
        button("Fold all", "", () => this.view.setAll(false)),
        button("Unfold all", "", () => this.view.setAll(true))),
      el("div", {class: "graph-area"}, this.holder, this.aside));
    const last = facts.lastPrograms.find(p => facts.programs[p].scheduled);
    if (last !== undefined) this.programs.value = last;
  }

  onShow() { if (!this.view) this.choose(); }

  choose(stage) {
    const number = this.programs.value || 0, program = this.facts.programs[number];
    if (!program) return this.holder.replaceChildren("No graph.");
    const names = STAGES.filter(([name]) => program[name]);
    const wanted = stage || this.stages.value || "scheduled";
    this.stages.replaceChildren(...names.map(([name, text]) => el("option", {value: name}, text)));
    this.stages.value = names.some(([name]) => name === wanted) ? wanted :
        names[names.length - 1][0];
    const key = number + this.stages.value;
    if (!this.views.has(key)) {
      this.views.set(key, new GraphView(this.facts, program[this.stages.value], n =>
          this.describe(n)));
    }
    this.view = this.views.get(key);
    this.holder.replaceChildren(this.view.svg);
    this.view.fit();
    this.describe(this.view.selected);
    if (this.search.value) this.find();
  }

  find() {
    const hits = this.view.find(this.search.value);
    this.at = -1;
    this.found.textContent = this.search.value ? plural(hits.length, "node") : "";
  }

  searchKey(e) {
    if (e.key === "Escape") { this.search.value = ""; this.find(); this.search.blur(); }
    if (e.key === "Enter") this.next(e.shiftKey ? -1 : 1);
  }

  next(step) {
    const hits = this.view.hits;
    if (hits.length === 0) return;
    this.at = (this.at + step + hits.length) % hits.length;
    this.found.textContent = `${this.at + 1} of ${plural(hits.length, "node")}`;
    this.view.select(hits[this.at], true);
  }

  // What is known about a node, beside the picture.
  describe(node) {
    if (!node) {
      const size = this.view ? this.view.graph.shown.length : 0;
      const texts = [`${plural(size, "node")}; constants are not drawn.`,
        "Colours are fusion groups: nodes of one colour are one kernel. Dashed nodes are " +
        "computed in several kernels.",
        "Click a module to fold or unfold it, a node to see what it is. Drag to move, wheel to " +
        "zoom.",
        "Keys: / searches, n goes to the next hit, f fits, " +
        "1 to 8 change the section."];
      return this.aside.replaceChildren(...texts.map(t => el("p", {class: "quiet"}, t)));
    }
    const facts = this.facts, number = parseInt(this.programs.value, 10);
    const program = facts.programs[number], nodes = this.view.graph.nodes;
    const link = n => n.op === "constant" ? el("span", {}, n.op + n.attributes) :
      el("a", {href: "#", click: e => { e.preventDefault(); this.view.select(n, true); }},
         `%${n.id} ${labelOf(n)}`);
    const list = all => all.map(n => el("li", {}, link(n)));
    const launches = facts.launches(number).filter(l => l.groups.some(g =>
        node.kernels.includes(g)));
    const rows = facts.lastPrograms.flatMap(p => facts.launches(p));
    const numberOf = l => rows.findIndex(r => r.program === l.program && r.index === l.index) + 1;
    this.aside.replaceChildren(...[
      el("h3", {}, `%${node.id} ${labelOf(node)}`), definitions([
        ["operation", node.op + node.attributes], ["type", node.type],
        node.called ? ["called as", node.called] : null,
        node.path ? ["module", node.path] : null,
        node.outputs.length > 0 ? ["output", node.outputs.join(", ")] : null].filter(x => x)),
      node.line ? excerpt(facts, [node.line]) : null,
      node.operands.length > 0 ? [el("h4", {}, "Operands"), el("ul", {},
          list(node.operands.map(i =>
          nodes[i])))] : null,
      node.readers.length > 0 ? [el("h4", {}, "Readers"), el("ul", {}, list(node.readers.slice(0,
          30)))] : null,
      launches.length > 0 ? [el("h4", {}, node.kernels.length > 1 ? "Computed in each of" :
          "Computed in"),
        el("ul", {}, launches.map(l => el("li", {}, numberOf(l) > 0 ?
          el("a", {href: `#kernels/${numberOf(l)}`}, l.full) : l.full)))] : null,
      node.kernels.map(g => el("pre", {class: "text wrap"}, ((program.groups || [])[g] ||
          []).join("\n"))),
      node.bodies ? el("pre", {class: "text"}, node.bodies) : null,
    ].flat(Infinity).filter(x => x));
  }

  // "#graph/program=2/stage=recorded/find=softmax/open=all"
  open(parts) {
    const options = Object.fromEntries(parts.map(p => p.split("=").map(decodeURIComponent)));
    if (options.program !== undefined) this.programs.value = options.program;
    this.choose(options.stage);
    if (options.open) this.view.setAll(options.open === "all");
    if (options.find) {
      this.search.value = options.find;
      this.find();
      this.next(1);
    }
  }
}

// -- the page ------------------------------------------------------------------------------------
function setTheme(name) {
  document.documentElement.dataset.theme = name;
  window.dispatchEvent(new Event("resize"));
}

function isDark() {
  const chosen = document.documentElement.dataset.theme;
  return chosen ? chosen === "dark" : window.matchMedia("(prefers-color-scheme: dark)").matches;
}

const themeButton = () => el("button", {class: "theme", title: "light or dark",
  click: () => setTheme(isDark() ? "light" : "dark")}, "\u25d0");

function reportPage(json) {
  const facts = new Facts(json), s = facts.summary;
  document.title = s.name + " \u2013 sinter report";
  const graph = new GraphSection(facts);
  const sections = {
    overview: ["Overview", () => overviewSection(facts)],
    recordings: [`Recordings (${facts.recordings.length})`, () => recordingsSection(facts)],
    breaks: [`Breaks (${facts.last.breaks.length})`, () => breaksSection(facts)],
    graph: ["Graph", () => graph.element],
    kernels: [`Kernels (${facts.stats.launches})`, parts => kernelsSection(facts,
        parseInt(parts[0], 10))],
    timeline: ["Timeline", () => timelineSection(facts)],
    memory: ["Memory", () => memorySection(facts)],
    caches: ["Caches", () => cachesSection(facts)],
  };
  const links = Object.entries(sections).map(([key, [title]], i) =>
    el("a", {href: "#" + key, "data-section": key, title: `key ${i + 1}`}, title));
  const main = el("main");
  const show = () => {
    const [key, ...parts] = (location.hash.slice(1) || "overview").split("/");
    const known = sections[key] ? key : "overview";
    links.forEach(a => a.classList.toggle("here", a.dataset.section === known));
    main.className = "at-" + known;
    main.replaceChildren(...[sections[known][1](parts)].flat(Infinity).filter(x => x));
    main.querySelectorAll("*").forEach(e => e.onShow && e.onShow());
    if (known === "graph") parts.length > 0 ? graph.open(parts) : graph.onShow();
  };
  document.getElementById("page").replaceChildren(
    el("header", {}, el("h1", {}, s.name), el("span", {class: "quiet where", title: s.where},
        shortPlace(s.where)),
       el("nav", {}, links), themeButton()), main);
  window.addEventListener("hashchange", show);
  window.addEventListener("resize", () => main.querySelectorAll("*").forEach(e => e.onShow &&
      e.onShow()));
  document.addEventListener("keydown", e => {
    if (/^(INPUT|SELECT|TEXTAREA)$/.test(e.target.tagName) || e.ctrlKey || e.metaKey ||
        e.altKey) return;
    if (e.key === "/") { e.preventDefault(); location.hash = "#graph"; setTimeout(() =>
        graph.search.focus()); }
    if (e.key === "f" && main.className === "at-graph") graph.view.fit();
    if (e.key === "n" && main.className === "at-graph") graph.next(1);
    const link = links[parseInt(e.key, 10) - 1];
    if (link) link.click();
  });
  show();
  return {facts, graph, show};
}

const shortPlace = place => place.split("/").slice(-2).join("/");

function indexPage(entries) {
  document.title = "sinter reports";
  const link = e => el("a", {href: e.file}, e.summary.name);
  const number = (title, key, text = countText) =>
    [title, e => e.summary[key], e => text(e.summary[key]), "n"];
  document.getElementById("page").replaceChildren(
    el("header", {}, el("h1", {}, "Compiled functions"), themeButton()),
    el("main", {class: "index"}, table([
      ["function", e => e.summary.name, link, "name"],
      ["compiled at", e => e.summary.where, e => shortPlace(e.summary.where)],
      number("calls", "calls"), number("recordings", "recordings"), number("breaks", "breaks"),
      number("launches", "launches"), number("bytes", "bytes", bytesText),
      number("temporaries", "peak_bytes", bytesText),
      number("compiling", "compile_seconds", timeText)], entries)));
}

const FACTS = JSON.parse(document.getElementById("facts").textContent);
const PAGE = FACTS.index ? indexPage(FACTS.index) : reportPage(FACTS);
)PAGE";

}  // namespace detail

SINTER_INLINE std::string_view page_main() { return detail::main_text; }

}  // namespace sinter::inline SINTER_ABI::detail::debug
