#pragma once

#include <sinter/debug/report/page_layout.hpp>

namespace sinter::inline SINTER_ABI::detail::debug {

// A graph is a tree of modules. Each open module is a layered drawing of its children (Sugiyama):
// layers by longest paths, order by barycenters, places by weighted averages without overlap. All
// steps take linear time or nearly so, so that thousands of nodes take well under a second: see
// docs/decisions/report_layout.md.
namespace detail {

inline constexpr std::string_view layout_text = R"PAGE(
"use strict";
const MANY_LEAVES = 90;  // a module with more direct nodes is cut into runs of nodes
const OPEN_AT_FIRST = 80;  // boxes that are visible before a person unfolds any

// A graph of the facts as objects: nodes with operands, readers and their module.
function makeGraph(facts, json) {
  const nodes = json.nodes.map(([op, type, operands, attributes, line, path, called, kernels, name,
                                 bodies], id) => ({
    id, op, type, attributes, called, kernels, name, bodies, line: facts.strings[line],
    path: facts.strings[path], operands: operands.map(v => parseInt(v, 10)), readers: [],
    isNode: true, outputs: []}));
  for (const node of nodes) {
    for (const id of new Set(node.operands)) nodes[id].readers.push(node);
  }
  for (const [value, name] of json.outputs) nodes[parseInt(value, 10)].outputs.push(name);
  const shown = nodes.filter(n => n.op !== "constant" || n.outputs.length > 0);
  const graph = {nodes, shown, root: makeModule(null, "", "")};
  placeInModules(graph);
  return graph;
}

function makeModule(parent, key, label) {
  return {parent, key, label, children: [], byKey: new Map(), open: parent === null, size: 0};
}

function subModule(parent, name, label) {
  if (!parent.byKey.has(name)) {
    const made = makeModule(parent, parent.key + "/" + name, label);
    parent.byKey.set(name, made);
    parent.children.push(made);
  }
  return parent.byKey.get(name);
}

// The visits of each module: a node that depends on the module through nodes outside of it belongs
// to a later visit, as the gradient of a layer does. So no module would need its own result.
function visitsOf(graph) {
  const prefixes = new Set();
  for (const {path} of graph.shown) {
    const parts = path ? path.split(".") : [];
    for (let i = 1; i <= parts.length; ++i) prefixes.add(parts.slice(0, i).join("."));
  }
  const result = new Map();
  for (const prefix of prefixes) {
    const inside = graph.nodes.map(n => n.path === prefix || n.path.startsWith(prefix + "."));
    const visit = new Int32Array(graph.nodes.length);
    for (const node of graph.nodes) {
      for (const id of node.operands) {
        const next = visit[id] + (inside[id] && !inside[node.id] ? 1 : 0);
        visit[node.id] = Math.max(visit[node.id], next);
      }
    }
    result.set(prefix, visit);
  }
  return result;
}

// Nodes outside of modules that lead to one new value, such as the update of a parameter, get a
// path: "new values.encoder.norm.weight". Values that many nodes read do not connect these.
function nameUpdates(graph) {
  const free = graph.shown.filter(n => !n.path && n.op !== "input");
  if (free.length <= MANY_LEAVES) return;
  const isFree = new Set(free), above = new Map(free.map(n => [n, n]));
  const top = n => {
    while (above.get(n) !== n) above.set(n, above.get(above.get(n))), n = above.get(n);
    return n;
  };
  for (const node of free) {
    if (node.readers.length > 8) continue;
    for (const reader of node.readers) if (isFree.has(reader)) above.set(top(reader), top(node));
  }
  const names = new Map();
  for (const node of free) {
    for (const output of node.outputs) {
      const known = names.get(top(node));
      const isShorter = known === undefined || output.length < known.length;
      if (isShorter || !output.startsWith("new ")) names.set(top(node), output);
    }
  }
  for (const node of free) {
    const name = names.get(top(node)) || "";
    if (name.startsWith("new ")) node.path = name.replace(/^new (argument \d+\.)?/, "new values.");
  }
}

function placeInModules(graph) {
  nameUpdates(graph);
  const visits = visitsOf(graph);
  const first = new Map();  // a visit's number is shown if it is not the first of its module
  const place = (module, child) => { module.children.push(child); child.module = module; };
  for (const node of graph.shown) {
    if (node.op === "input") continue;
    let module = graph.root, prefix = "";
    for (const part of node.path ? node.path.split(".") : []) {
      prefix += (prefix ? "." : "") + part;
      const visit = visits.get(prefix)[node.id];
      if (!first.has(prefix)) first.set(prefix, [visit]);
      if (!first.get(prefix).includes(visit)) first.get(prefix).push(visit);
      const turn = first.get(prefix).indexOf(visit);
      module = subModule(module, part + "#" + visit, part);
      module.turn = turn > 0 ? ` (${turn + 1})` : "";
      module.path = prefix;
    }
    place(module, node);
  }
  for (const node of graph.shown) {
    if (node.op !== "input") continue;
    const first = node.readers.find(reader => reader.module);
    place(first ? first.module : graph.root, node);
  }
  mergeChains(graph.root);
  addTurns(graph.root);
  cutLong(graph.root);
  count(graph.root);
  openAtFirst(graph.root);
}

function ancestors(module) {
  const result = [];
  for (let m = module; m; m = m.parent) result.unshift(m);
  return result;
}

// "encoder" with nothing but "layers" is "encoder.layers".
function mergeChains(module) {
  for (let i = 0; i < module.children.length; ++i) {
    let child = module.children[i];
    if (child.isNode) continue;
    while (child.children.length === 1 && !child.children[0].isNode) {
      const only = child.children[0];
      only.label = child.label + "." + only.label;
      only.parent = module;
      child = module.children[i] = only;
    }
    mergeChains(child);
  }
}

function addTurns(module) {
  module.label += module.turn || "";
  for (const child of module.children) if (!child.isNode) addTurns(child);
}

// Runs of direct nodes become modules of their own where there are many.
function cutLong(module) {
  for (const child of module.children) if (!child.isNode) cutLong(child);
  const leaves = module.children.filter(c => c.isNode);
  if (leaves.length <= MANY_LEAVES) return;
  leaves.sort((a, b) => a.id - b.id);
  const others = module.children.filter(c => !c.isNode);
  const size = Math.max(MANY_LEAVES / 2, Math.ceil(leaves.length / MANY_LEAVES));
  module.children = others;
  for (let from = 0; from < leaves.length; from += size) {
    const run = leaves.slice(from, from + size);
    const made = makeModule(module, module.key + "/run" + from, runLabel(run));
    made.isRun = true;
    made.children = run;
    for (const node of run) node.module = made;
    module.children.push(made);
    cutLong(made);
  }
}

// "train.cpp:12-20", or the operations if no line is known.
function runLabel(run) {
  const lines = run.map(n => n.line).filter(l => l);
  if (lines.length === 0) return run[0].op + " ... " + run[run.length - 1].op;
  const file = l => l.slice(l.lastIndexOf("/") + 1, l.lastIndexOf(":"));
  const number = l => parseInt(l.slice(l.lastIndexOf(":") + 1), 10);
  const here = lines.filter(l => file(l) === file(lines[0])).map(number);
  const low = Math.min(...here), high = Math.max(...here);
  return file(lines[0]) + ":" + (low === high ? low : low + "-" + high);
}

function count(module) {
  module.size = 0;
  module.kernels = new Set();
  module.firstId = Infinity;
  for (const child of module.children) {
    if (!child.isNode) count(child);
    module.size += child.isNode ? 1 : child.size;
    for (const kernel of child.kernels || []) module.kernels.add(kernel);
    module.firstId = Math.min(module.firstId, child.isNode ? child.id : child.firstId);
  }
}

// Modules are unfolded level by level while there is room for all of a level.
function openAtFirst(root) {
  let level = root.children.filter(c => !c.isNode), visible = root.children.length;
  while (level.length > 0) {
    const next = level.flatMap(module => module.children);
    visible += next.length;
    if (visible > OPEN_AT_FIRST) return;
    for (const module of level) module.open = true;
    level = next.filter(c => !c.isNode);
  }
}

// The box that stands for a node: the outermost module around it that is folded, or itself.
function shownAs(node) {
  let result = node;
  for (let m = node.module; m; m = m.parent) if (!m.open) result = m;
  return result;
}

const parentOf = box => box.isNode ? box.module : box.parent;

// Sizes and places of all visible boxes, relative to the module around each.
function layout(graph) {
  const edges = new Map();  // of each module: [from, to] between its children
  const lines = new Map();  // between visible boxes, each once
  for (const to of graph.shown) {
    for (const id of new Set(to.operands)) {
      const from = graph.nodes[id];
      if (!from.module) continue;
      const a = shownAs(from), b = shownAs(to);
      if (a === b) continue;
      const key = keyOf(a) + ">" + keyOf(b);
      if (lines.has(key)) continue;
      const line = {from: a, to: b, type: from.type, points: []};
      lines.set(key, line);
      const [module, x, y] = belowCommonModule(a, b);
      if (x === y) continue;
      if (!edges.has(module)) edges.set(module, []);
      edges.get(module).push({from: x, to: y, line});
    }
  }
  arrange(graph.root, edges);
  return {lines: [...lines.values()]};
}

const keyOf = box => box.isNode ? "n" + box.id : box.key;

// The innermost module around both boxes, and its children that have them.
function belowCommonModule(a, b) {
  const chain = box => [...ancestors(parentOf(box)), box];
  const x = chain(a), y = chain(b);
  let i = 0;
  while (x[i + 1] && y[i + 1] && x[i] === y[i] && x[i + 1] === y[i + 1]) ++i;
  return [x[i], x[i + 1] || x[i], y[i + 1] || y[i]];
}

const GAP_X = 18, GAP_Y = 34, PAD = 14, HEAD = 26;

function boxSize(box) {
  if (box.isNode) {
    const small = box.op === "input";
    const wide = Math.max(labelOf(box).length * 7.4, box.type.length * 5.9);
    return [Math.max(52, Math.min(wide, 260) + 18), small ? 32 : 36];
  }
  return [Math.max(96, box.label.length * 7.6 + 40), 48];
}

const labelOf = node => node.name.replace(/^argument \d+\./, "") || node.op;

function arrange(module, edges) {
  for (const child of module.children) {
    if (!child.isNode && child.open) arrange(child, edges);
    else [child.w, child.h] = boxSize(child);
  }
  const layers = layersOf(module.children, edges.get(module) || []);
  orderLayers(layers);
  placeLayers(layers);
  let right = 0, bottom = HEAD;
  for (const layer of layers) {
    const height = Math.max(...layer.map(v => v.h), 0);
    for (const v of layer) {
      v.y = bottom + (height - v.h) / 2;
      right = Math.max(right, v.x + v.w);
    }
    bottom += height + GAP_Y;
  }
  for (const layer of layers) {
    for (const v of layer) if (v.box) [v.box.x, v.box.y] = [v.x + PAD, v.y];
  }
  for (const edge of edges.get(module) || []) {
    edge.line.module = module;
    edge.line.points = (edge.via || []).map(v => [v.x + PAD, v.y, v.h]);
    edge.line.back = edge.back;
  }
  module.w = Math.max(right + 2 * PAD, module.label.length * 7.6 + 60);
  module.h = bottom - GAP_Y + PAD;
}

// Layers by longest paths; edges that would close a cycle are turned around. Edges over several
// layers pass through points of their own in each.
function layersOf(children, edges) {
  const vertices = new Map();
  for (const box of children) {
    vertices.set(box, {box, w: box.w, h: box.h, up: [], down: [], rank: 0, waits: 0,
                       id: box.isNode ? box.id : box.firstId});
  }
  const list = [...vertices.values()].sort((a, b) => a.id - b.id);
  list.forEach((v, i) => v.id = i);
  for (const e of edges) [e.a, e.b] = [vertices.get(e.from), vertices.get(e.to)];
  rankInOrder(list, edges);
  for (const v of list.slice().reverse()) {  // sources stand right above their first reader
    if (v.up.length === 0 && v.down.length > 0) v.rank = Math.min(...v.down.map(d => d.rank)) - 1;
  }
  const layers = [];
  const put = (v, rank) => { (layers[rank] = layers[rank] || []).push(v); };
  for (const v of list) put(v, v.rank);
  for (const v of list) v.up = [], v.down = [];
  for (const e of edges) {
    e.via = [];
    let above = e.a;
    for (let rank = e.a.rank + 1; rank < e.b.rank; ++rank) {
      const point = {w: 2, h: 0, up: [], down: [], id: (e.a.id + e.b.id) / 2};
      e.via.push(point);
      put(point, rank);
      above.down.push(point), point.up.push(above);
      above = point;
    }
    above.down.push(e.b), e.b.up.push(above);
  }
  return layers.filter(layer => layer);
}

function rankInOrder(list, edges) {
  const out = list.map(() => []);
  for (const e of edges) out[e.a.id].push(e), ++e.b.waits;
  const done = new Set(), ready = list.filter(v => v.waits === 0);
  let next = 0;
  while (done.size < list.length) {
    let v = ready.shift();
    if (!v) {  // a cycle: the earliest that was not visited begins it
      while (done.has(list[next])) ++next;
      v = list[next];
    }
    if (done.has(v)) continue;
    done.add(v);
    for (const e of out[v.id]) {
      if (done.has(e.b) && e.b !== v) {
        [e.a, e.b, e.back] = [e.b, e.a, true];
        e.a.down.push(e.b), e.b.up.push(e.a);
        v.rank = Math.max(v.rank, e.a.rank + 1);
        continue;
      }
      e.back = false;
      e.a.down.push(e.b), e.b.up.push(e.a);
      e.b.rank = Math.max(e.b.rank, v.rank + 1);
      if (--e.b.waits === 0) ready.push(e.b);
    }
  }
  // Turned edges may have moved a vertex after its readers were ranked.
  for (let again = true, rounds = 0; again && rounds < 20; ++rounds) {
    again = false;
    for (const e of edges) {
      if (e.b.rank > e.a.rank) continue;
      e.b.rank = e.a.rank + 1;
      again = true;
    }
  }
}

function orderLayers(layers) {
  for (const layer of layers) layer.sort((a, b) => a.id - b.id);
  const number = layer => layer.forEach((v, i) => v.at = i);
  layers.forEach(number);
  const mean = list => list.reduce((sum, v) => sum + v.at, 0) / list.length;
  for (let sweep = 0; sweep < 6; ++sweep) {
    const down = sweep % 2 === 0;
    for (const layer of down ? layers : layers.slice().reverse()) {
      for (const v of layer) {
        const near = down ? v.up : v.down;
        v.wish = near.length > 0 ? mean(near) : v.at;
      }
      layer.sort((a, b) => a.wish - b.wish || a.at - b.at);
      number(layer);
    }
  }
}

function placeLayers(layers) {
  for (const layer of layers) {
    let x = 0;
    for (const v of layer) v.x = x, x += v.w + GAP_X;
  }
  const middle = v => v.x + v.w / 2;
  for (let sweep = 0; sweep < 8; ++sweep) {
    const down = sweep % 2 === 0;
    for (const layer of down ? layers : layers.slice().reverse()) {
      for (const v of layer) {
        const near = down ? v.up : v.down;
        const all = near.length > 0 ? near : down ? v.down : v.up;
        const sum = all.reduce((total, u) => total + middle(u), 0);
        v.wish = all.length > 0 ? sum / all.length - v.w / 2 : v.x;
      }
      spread(layer);
    }
  }
  let left = Infinity;
  for (const layer of layers) for (const v of layer) left = Math.min(left, v.x);
  for (const layer of layers) for (const v of layer) v.x -= left;
}

// The places closest to the wished ones, in this order and without overlap: pools of neighbours
// that touch move together (isotonic regression).
function spread(layer) {
  const pools = [];
  let offset = 0;
  for (const v of layer) {
    const weight = v.box ? 1 : 2;  // long edges are straight
    let pool = {sum: (v.wish - offset) * weight, weight, members: [[v, offset]]};
    offset += v.w + GAP_X;
    while (pools.length > 0) {
      const before = pools[pools.length - 1];
      if (before.sum / before.weight <= pool.sum / pool.weight) break;
      pools.pop();
      before.members.push(...pool.members);
      pool = {sum: before.sum + pool.sum, weight: before.weight + pool.weight,
              members: before.members};
    }
    pools.push(pool);
  }
  for (const pool of pools) {
    for (const [v, at] of pool.members) v.x = pool.sum / pool.weight + at;
  }
}
)PAGE";

}  // namespace detail

SINTER_INLINE std::string_view page_layout() { return detail::layout_text; }

}  // namespace sinter::inline SINTER_ABI::detail::debug
