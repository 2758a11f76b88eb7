// Uses the page as a person does, and writes what failed into the element "checks". browser_test.cpp
// puts it at the end of a page, and at its beginning window.problems, and window.claims: what
// explain(), stats() and profile() say.
(async () => {
  const problems = window.problems;
  let done = 0;
  const check = (condition, what) => {
    ++done;
    if (!condition) problems.push(what);
  };
  const wait = () => new Promise(resolve => setTimeout(resolve, 20));
  const press = (key, target = document.body) =>
    target.dispatchEvent(new KeyboardEvent("keydown", {key, bubbles: true, cancelable: true}));
  const {facts, graph} = PAGE, main = document.querySelector("main");

  for (const link of document.querySelectorAll("nav a")) {
    link.click();
    await wait();
    check(link.classList.contains("here"), link.textContent + " is where its link leads");
    check(main.textContent.trim().length > 0 || main.querySelector("canvas, svg"),
          link.textContent + " has content");
    check(main.scrollWidth <= main.clientWidth + 1, link.textContent + " fits into the window");
  }

  location.hash = "#kernels";
  await wait();
  check(main.querySelectorAll("tbody tr").length === facts.stats.launches, "a row for each launch");
  const rows = facts.lastPrograms.flatMap(p => facts.launches(p));
  const sum = key => rows.reduce((total, row) => total + row[key], 0);
  check(sum("read") === facts.stats.bytes_read, "bytes read add up");
  check(sum("written") === facts.stats.bytes_written, "bytes written add up");
  check(rows.length === 0 || main.querySelector(".code").textContent.includes(rows[0].name),
        "the text of a kernel");
  main.querySelectorAll("th").forEach(th => th.click());
  check(main.querySelectorAll("tbody tr").length === facts.stats.launches, "sorted, all are there");

  await checkClaims(window.claims);

  for (const number of [...new Set(facts.lastPrograms)]) {
    for (const stage of ["recorded", "optimized", "scheduled"].filter(s => facts.programs[number][s])) {
      location.hash = `#graph/program=${number}/stage=${stage}`;
      await wait();
      await checkGraph(graph.view, `graph ${number} ${stage}`);
    }
  }
  press("/");
  await wait();
  check(document.activeElement === graph.search, "the key / searches");

  async function show(section) {
    location.hash = "#" + section;
    await wait();
    return main.textContent;
  }

  // The numbers and texts that the page shows are those of the claims.
  async function checkClaims(claims) {
    const {stats, kernels, breaks, recompiles, profile} = claims;
    const overview = await show("overview");
    const value = name => [...main.querySelectorAll("dt")].find(dt => dt.textContent === name)
      .nextSibling.textContent;
    check(value("launches") === `${countText(stats.launches)} of ${countText(stats.kernels)} kernels`,
          "launches and kernels are those of stats()");
    check(value("graphs").startsWith(countText(stats.graphs)), "graphs are those of stats()");
    check(value("read") === bytesText(stats.bytes_read), "bytes read are those of stats()");
    check(value("written") === bytesText(stats.bytes_written), "bytes written, too");
    check(value("temporaries").startsWith(bytesText(stats.peak_bytes)), "the arena, too");
    check(value("calls").startsWith(countText(stats.calls)), "calls are those of stats()");
    check(stats.breaks === 0 || overview.includes(plural(stats.breaks, "graph break")),
          "breaks are those of stats()");
    await show("caches");
    check(value("compiled").startsWith(countText(stats.kernels_compiled)), "compiled kernels");
    check(value("disk hits").startsWith(countText(stats.disk_hits)), "kernels from the disk");
    const recordings = await show("recordings");
    for (const reason of recompiles) {
      check(recordings.includes("Recompiled: " + reason), "the reason: " + reason);
    }
    const breaksShown = await show("breaks");
    check(main.querySelectorAll(".card").length === breaks.length, "a card for each break");
    for (const {reason, line, fix} of breaks) {
      check(breaksShown.includes(reason) && breaksShown.includes(fix), "the break: " + reason);
      check(hasLine(main, line), "the line of the break " + line);
    }
    await show("kernels");
    const shown = [...main.querySelectorAll("tbody tr")];
    check(shown.length === kernels.length, "a row for each kernel of explain()");
    const times = new Map((profile || []).map(k => [k.name, k]));
    for (let i = 0; i < Math.min(shown.length, kernels.length); ++i) {
      checkKernel(shown[i], kernels[i], times, profile !== null);
    }
  }

  // Whether an excerpt has "folder/file.cpp:14" as a line of the user.
  function hasLine(element, place) {
    const colon = place.lastIndexOf(":");
    return [...element.querySelectorAll(".excerpt")].some(figure =>
      figure.querySelector("figcaption").textContent === place.slice(0, colon) &&
      [...figure.querySelectorAll(".here i")].some(i => i.textContent.trim() ===
        place.slice(colon + 1))) || element.textContent.includes(place);
  }

  // A row of the table of kernels, and what its click shows.
  function checkKernel(row, kernel, times, isMeasured) {
    const cells = [...row.querySelectorAll("td")].map(td => td.textContent), name = cells[1];
    const [read, written] = cells.slice(-3);
    check(name === kernel.name || name.startsWith(kernel.name + " and "), "kernel " + kernel.name);
    check(read === bytesText(kernel.read), kernel.name + ": bytes read");
    check(written === bytesText(kernel.written), kernel.name + ": bytes written");
    if (isMeasured) {
      const time = times.get(name);
      check(time !== undefined, kernel.name + ": is in the profile");
      if (time) {
        check(cells[2] === timeText(time.seconds / time.runs), kernel.name + ": its time");
        check(cells[4] === (time.roof > 0 ? Math.round(100 * time.roof) + "%" : ""),
              kernel.name + ": its share of the roof");
      }
    }
    row.click();
    const detail = main.querySelector(".detail");
    const text = detail.querySelector(".code").textContent.replaceAll("\n", "");
    check(text === kernel.source.replaceAll("\n", ""), kernel.name + ": its text");
    check(kernel.lines.every(line => hasLine(detail, line)), kernel.name + ": the user's lines");
  }

  // The boxes of each open module do not overlap, and lie inside of it.
  function overlaps(module) {
    const boxes = module.children.map(c => c.absolute), found = [];
    const sorted = boxes.slice().sort((a, b) => a.y - b.y);
    sorted.forEach((a, i) => {
      for (let j = i + 1; j < sorted.length && sorted[j].y < a.y + a.h - 0.5; ++j) {
        const b = sorted[j];
        if (a.x < b.x + b.w - 0.5 && b.x < a.x + a.w - 0.5) found.push([a, b]);
      }
      const m = module.absolute;
      if (a.x < m.x - 0.5 || a.x + a.w > m.x + m.w + 0.5) found.push([a, m]);
      if (a.y < m.y - 0.5 || a.y + a.h > m.y + m.h + 0.5) found.push([a, m]);
    });
    for (const child of module.children) {
      if (!child.isNode && child.open) found.push(...overlaps(child));
    }
    return found;
  }

  async function checkGraph(view, name) {
    const shown = view.graph.shown;
    check(view.boxes.size <= 120, name + ": few boxes at first");
    view.setAll(false);
    const folded = view.boxes.size;
    check(overlaps(view.graph.root).length === 0, name + ": folded, nothing overlaps");
    const last = shown[shown.length - 1];
    graph.search.value = `${last.op} ${last.path}`;
    graph.find();
    check(view.hits.includes(last), name + ": the search finds an operation of a module");
    press("Enter", graph.search);
    const hit = view.hits[0], box = view.boxes.get(hit);
    check(box && box.classList.contains("selected"), name + ": a hit is unfolded and selected");
    const at = box.getBoundingClientRect(), window = view.svg.getBoundingClientRect();
    check(at.left >= window.left && at.right <= window.right && at.top >= window.top &&
          at.bottom <= window.bottom, name + ": a hit is visible");
    check(graph.aside.textContent.includes(hit.type), name + ": a hit is described");
    const link = graph.aside.querySelector("a[href^='#kernels/']");
    if (link) {
      const wanted = link.textContent, here = location.hash;
      link.click();
      await wait();
      check(main.querySelector(".detail h3").textContent.includes(wanted), name + ": its kernel");
      location.hash = here;
      await wait();
    }
    view.setAll(true);
    check(view.boxes.size === shown.length, name + ": unfolded, each node is a box");
    check(view.boxes.size >= folded, name + ": folded there are fewer boxes");
    check(overlaps(view.graph.root).length === 0, name + ": unfolded, nothing overlaps");
    const lines = new Set(view.lines.map(l => l.from.id + ">" + l.to.id));
    const expected = shown.flatMap(n => n.operands.filter(i => view.graph.nodes[i].module)
                                         .map(i => i + ">" + n.id));
    check(expected.every(e => lines.has(e)), name + ": a line for each operand");
    view.setAll(false);
    graph.search.value = "";
    graph.find();
  }

  document.querySelector(".theme").click();
  check(document.documentElement.dataset.theme !== undefined, "dark and light");
  const result = document.createElement("pre");
  result.id = "checks";
  result.textContent = `${done} checks, ${problems.length} failed\n` +
    problems.map(p => "failed: " + p + "\n").join("");
  document.body.append(result);
})().catch(error => {
  const result = document.createElement("pre");
  result.id = "checks";
  result.textContent = "failed: " + error + "\n" + error.stack;
  document.body.append(result);
});
