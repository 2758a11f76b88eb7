#pragma once

#include <sinter/debug/report/page_graph.hpp>

namespace sinter::inline SINTER_ABI::detail::debug {

namespace detail {

inline constexpr std::string_view graph_text = R"PAGE(
// -- small helpers -------------------------------------------------------------------------------
const SVG = "http://www.w3.org/2000/svg";

// An element: el("td", {class: "n"}, child, "text"). Functions are listeners.
function el(name, attributes = {}, ...children) {
  const isSvg = /^(svg|g|path|rect|text|title|line|defs|marker|clipPath)$/.test(name);
  const made = isSvg ? document.createElementNS(SVG, name) : document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) {
    if (typeof value === "function") made.addEventListener(key, value);
    else if (value !== null && value !== undefined && value !== false) made.setAttribute(key,
        value);
  }
  for (const child of children.flat(Infinity)) {
    if (child !== null && child !== undefined && child !== false) made.append(child);
  }
  return made;
}

const hueOf = kernel => (kernel * 137.508 + 200) % 360;
const baseName = path => path.slice(path.lastIndexOf("/") + 1);

// -- the picture of a graph ----------------------------------------------------------------------
class GraphView {
  constructor(facts, json, onSelect) {
    this.graph = makeGraph(facts, json);
    this.onSelect = onSelect;
    this.scene = el("g");
    this.svg = el("svg", {class: "graph", tabindex: 0}, markers(), this.scene);
    this.view = {x: 20, y: 20, scale: 1};
    this.selected = null;
    this.hits = [];
    this.listen();
    this.draw();
  }

  listen() {
    let from = null;
    this.svg.addEventListener("pointerdown", e => {
      from = {x: e.clientX - this.view.x, y: e.clientY - this.view.y, moved: false,
          id: e.pointerId};
    });
    this.svg.addEventListener("pointermove", e => {
      if (!from) return;
      const x = e.clientX - from.x, y = e.clientY - from.y;
      if (Math.abs(x - this.view.x) + Math.abs(y - this.view.y) > 4) {
        if (!from.moved) this.svg.setPointerCapture(from.id);
        from.moved = true;
      }
      if (from.moved) this.move(x, y, this.view.scale);
    });
    this.svg.addEventListener("pointerup", () => { this.dragged = from && from.moved; from = null;
        });
    this.svg.addEventListener("wheel", e => {
      e.preventDefault();
      const box = this.svg.getBoundingClientRect();
      this.zoom(Math.exp(-e.deltaY * 0.0015), e.clientX - box.left, e.clientY - box.top);
    }, {passive: false});
  }

  move(x, y, scale) {
    this.view = {x, y, scale};
    this.scene.setAttribute("transform", `translate(${x} ${y}) scale(${scale})`);
  }

  zoom(factor, x, y) {
    const scale = Math.min(3, Math.max(0.02, this.view.scale * factor)),
        f = scale / this.view.scale;
    this.move(x - (x - this.view.x) * f, y - (y - this.view.y) * f, scale);
  }

  fit() {
    const box = this.svg.getBoundingClientRect(), {w, h} = this.graph.root;
    const scale = Math.min(1, (box.width - 40) / w, (box.height - 40) / h);
    const readable = Math.max(scale, 0.6);  // a long graph begins at its top
    this.move((box.width - w * readable) / 2, readable > scale ? 16 : (box.height - h * scale) / 2,
              readable);
  }

  // Draws all visible boxes anew.
  draw() {
    const {lines} = layout(this.graph);
    this.boxes = new Map();
    const edges = el("g", {class: "edges"}), boxes = el("g", {class: "boxes"});
    this.drawModule(this.graph.root, 0, 0, boxes);
    this.lines = lines;
    for (const line of lines) {
      line.element = el("path", {class: "edge", d: pathOf(line),
                                 [line.back ? "marker-start" : "marker-end"]: "url(#arrow)"},
                        el("title", {}, line.type));
      edges.append(line.element);
    }
    const frames = boxes.querySelectorAll(".frame");
    const under = el("g");
    frames.forEach(frame => under.append(frame));
    this.scene.replaceChildren(under, edges, boxes);
    this.mark();
  }

  drawModule(module, x, y, into) {
    module.absolute = {x, y, w: module.w, h: module.h};
    if (module.parent) {
      into.append(el("g", {class: "frame", transform: `translate(${x} ${y})`},
        el("rect", {width: module.w, height: module.h, rx: 8}),
        el("rect", {class: "head", width: module.w, height: HEAD - 6, rx: 8,
                    click: () => this.toggle(module)}),
        el("text", {x: 10, y: 15}, "\u2212 " + module.label)));
    }
    for (const child of module.children) {
      const at = [x + child.x, y + child.y];
      if (!child.isNode && child.open) this.drawModule(child, ...at, into);
      else into.append(this.drawBox(child, ...at));
    }
  }

  drawBox(box, x, y) {
    box.absolute = {x, y, w: box.w, h: box.h};
    const kernels = [...(box.kernels || [])];
    const group = el("g", {class: boxClass(box), transform: `translate(${x} ${y})`,
                           style: kernels.length === 1 ? "--hue:" + hueOf(kernels[0]) : null,
                           click: () => this.click(box)});
    group.append(el("rect", {width: box.w, height: box.h, rx: box.isNode ? 6 : 8}));
    if (box.isNode) {
      const top = labelOf(box), below = box.outputs.length > 0 ?
        box.type + " \u2192 " + (box.outputs.find(o => o) || "output") : box.type;
      group.append(el("text", {class: "op", x: box.w / 2, y: box.h / 2 - 2}, cutLeft(top, 30)),
                   el("text", {class: "type", x: box.w / 2, y: box.h / 2 + 11}, cut(below, 44)));
      this.boxes.set(box, group);
    } else {
      const count = box.size + (box.size === 1 ? " operation" : " operations");
      group.append(el("text", {class: "op", x: box.w / 2, y: 19}, "+ " + box.label),
                   el("text", {class: "type", x: box.w / 2, y: 33}, count));
      const width = Math.min(12, (box.w - 16) / Math.max(kernels.length, 1));
      kernels.slice(0, 60).forEach((kernel, i) => group.append(
        el("rect", {class: "chip", x: 8 + i * width, y: 39, width: Math.max(width - 1.5, 1),
                    height: 4, style: "--hue:" + hueOf(kernel)})));
      this.boxes.set(box, group);
    }
    return group;
  }

  click(box) {
    if (this.dragged) { this.dragged = false; return; }
    if (box.isNode) this.select(box);
    else this.toggle(box);
  }

  // Folds or unfolds a module, which keeps its place on the screen.
  toggle(module) {
    if (this.dragged) { this.dragged = false; return; }
    const before = module.absolute, {x, y, scale} = this.view;
    module.open = !module.open;
    if (module.open && module.children.length === 1 && !module.children[0].isNode) {
      module.children[0].open = true;
    }
    this.draw();
    const after = module.absolute;
    this.move(x + (before.x - after.x) * scale, y + (before.y - after.y) * scale, scale);
  }

  setAll(open) {
    const visit = module => {
      if (module.parent) module.open = open;
      module.children.filter(c => !c.isNode).forEach(visit);
    };
    visit(this.graph.root);
    this.draw();
    this.fit();
  }

  select(node, moves = false) {
    this.selected = node;
    if (node && moves) this.show(node);
    this.mark();
    this.onSelect(node);
  }

  // Unfolds what is around a node and moves it to the middle.
  show(node) {
    let folded = false;
    for (let m = node.module; m && m.parent; m = m.parent) folded = folded || !m.open,
        m.open = true;
    if (folded) this.draw();
    const box = this.svg.getBoundingClientRect(), at = node.absolute;
    const scale = Math.max(this.view.scale, 0.8);
    this.move(box.width / 2 - (at.x + at.w / 2) * scale, box.height / 2 - (at.y +
        at.h / 2) * scale,
              scale);
  }

  find(text) {
    const words = text.toLowerCase().split(/\s+/).filter(w => w);
    const texts = n => (n.textForSearch = n.textForSearch || [n.name, n.op, n.path, n.called,
        n.line,
      n.type, n.outputs.join(" "), ...(n.kernels || []).map(k => "kernel" + k)]
      .join(" ").toLowerCase());
    this.hits = words.length === 0 ? [] :
      this.graph.shown.filter(n => words.every(w => texts(n).includes(w)));
    this.mark();
    return this.hits;
  }

  // Classes of what is selected, found, or next to it.
  mark() {
    const selected = this.selected && shownAs(this.selected);
    const found = new Set(this.hits.map(shownAs));
    for (const [box, element] of this.boxes) {
      element.classList.toggle("selected", box === selected);
      element.classList.toggle("found", found.has(box));
    }
    for (const line of this.lines) {
      line.element.classList.toggle("near", line.from === selected || line.to === selected);
    }
  }
}

function boxClass(box) {
  const kernels = box.kernels ? [...box.kernels] : [];
  return ["box", box.isNode ? "node" : "module", box.op === "input" ? "input" : "",
          box.isNode && kernels.length > 0 ? "fused" : "",
          box.isNode && kernels.length > 1 ? "several" : "",
          box.isNode && box.outputs.length > 0 ? "output" : ""].filter(c => c).join(" ");
}

const cutLeft = (text, length) =>
  text.length > length ? "\u2026" + text.slice(text.length - length + 1) : text;
const cut = (text, length) => text.length > length ? text.slice(0, length - 1) + "\u2026" : text;

function markers() {
  return el("defs", {}, el("marker", {id: "arrow", viewBox: "0 0 8 8", refX: 7, refY: 4,
                                      markerWidth: 6, markerHeight: 6,
                                          orient: "auto-start-reverse"},
                           el("path", {d: "M0 0L8 4L0 8z", class: "arrow"})));
}

// A smooth line from the bottom of the upper box through its points to the top of the lower one.
function pathOf(line) {
  const [a, b] = (line.back ? [line.to, line.from] : [line.from, line.to]).map(v => v.absolute);
  const origin = line.module ? line.module.absolute : {x: 0, y: 0};
  const points = [[a.x + a.w / 2, a.y + a.h]];
  for (const [x, y] of line.points) points.push([origin.x + x, origin.y + y]);
  points.push([b.x + b.w / 2, b.y - 1]);
  let d = "M" + points[0].map(round).join(" ");
  for (let i = 1; i < points.length; ++i) {
    const [[x, y], [u, v]] = [points[i - 1], points[i]];
    const bend = Math.max(10, Math.abs(v - y) / 2) * (v < y ? 1.5 : 1);
    d += `C${round(x)} ${round(y + bend)} ${round(u)} ${round(v - bend)} ${round(u)} ${round(v)}`;
  }
  return d;
}

const round = number => Math.round(number * 10) / 10;
)PAGE";

}  // namespace detail

SINTER_INLINE std::string_view page_graph() { return detail::graph_text; }

}  // namespace sinter::inline SINTER_ABI::detail::debug
