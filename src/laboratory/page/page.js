// SPDX-License-Identifier: MIT
"use strict";

const data = JSON.parse(document.getElementById("data").textContent);
const pending = [];
const drawn = [];

// ---- Elements ----

const make = (tag, attributes, ...children) => {
  const element = document.createElement(tag);
  for (const [key, value] of Object.entries(attributes || {}))
    if (key.startsWith("on")) element.addEventListener(key.slice(2), value);
    else if (value !== undefined && value !== null && value !== false) element.setAttribute(key, value);
  element.append(...children.filter(child => child !== null && child !== undefined));
  return element;
};

const select = (id, values, chosen, onchange) => {
  const element = make("select", {id, onchange});
  for (const value of values) {
    const [key, label] = Array.isArray(value) ? value : [value, value];
    element.append(make("option", {value: key, selected: String(key) === String(chosen) ? "" : null}, String(label)));
  }
  return element;
};

const labelled = (text, element) => make("label", {}, text + " ", element);

const show = value => {
  if (value === null || value === undefined) return "–";
  if (typeof value !== "number") return String(value);
  if (Number.isInteger(value)) return value.toLocaleString("en-US");
  return Math.abs(value) >= 1e6 || (value !== 0 && Math.abs(value) < 1e-3) ? value.toExponential(3) : String(+value.toPrecision(4));
};

const save = (name, type, text) => {
  const link = make("a", {download: name, href: URL.createObjectURL(new Blob([text], {type}))});
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 1000);
};

// ---- Light and dark ----

const isDark = () => document.documentElement.classList.contains("dark");
const setTheme = dark => {
  document.documentElement.classList.toggle("dark", dark);
  for (const figure of drawn) figure.draw();
};

// ---- Charts ----

// A figure with its buttons. `get` gives the figure of the moment, so that the explorer draws with it too.
const chart = (get, name) => {
  const place = make("div", {class: "chart"});
  let view = null;
  const draw = () => {
    const figure = get();
    if (figure.rows.length === 0) {
      place.replaceChildren(make("p", {class: "quiet"}, "No point has a value here."));
      return Promise.resolve();
    }
    const promise = vegaEmbed(place, Figures.spec(figure, isDark() ? "dark" : "light", place.clientWidth || Math.min(1140, document.documentElement.clientWidth - 40)),
      {actions: false, renderer: "svg"}).then(result => {
        if (view && view !== result.view) view.finalize();
        view = result.view;
      });
    pending.push(promise);
    return promise;
  };
  const buttons = make("div", {class: "bar"},
    make("button", {onclick: () => save(name() + ".csv", "text/csv", Figures.csv(get().rows))}, "CSV"),
    make("button", {onclick: () => view && view.toSVG().then(svg => save(name() + ".svg", "image/svg+xml", svg))}, "SVG"),
    make("button", {onclick: () => {
      const text = JSON.stringify(Figures.spec(get(), "light"), null, 1);
      if (navigator.clipboard && isSecureContext) navigator.clipboard.writeText(text);
      save(name() + ".vl.json", "application/json", text);
    }}, "Vega-Lite"));
  const element = make("div", {}, place, buttons);
  const self = {element, draw};
  drawn.push(self);
  draw();
  return self;
};

// ---- Tables ----

// Columns: {name, value(row), title}. Sorted by a click on a head, filtered by words that all must be in a row; a word
// NAME=VALUE, NAME<VALUE or NAME>VALUE asks one column.
const table = (id, columns, rows, options = {}) => {
  let sorted = null, descending = false, limit = 200, words = "";
  const body = make("tbody"), head = make("tr"), count = make("span", {class: "quiet", id: id + "-count"});
  const compare = (a, b) => {
    const left = sorted.value(a), right = sorted.value(b);
    if (left === null || left === undefined) return 1;
    if (right === null || right === undefined) return -1;
    const order = Figures.isNumber(left) && Figures.isNumber(right) ? left - right : String(left).localeCompare(String(right));
    return descending ? -order : order;
  };
  const passes = (row, word) => {
    const match = word.match(/^([^=<>]+)([=<>])(.+)$/);
    const column = match && columns.find(candidate => candidate.name === match[1]);
    if (!column)
      return columns.some(candidate => String(candidate.value(row) ?? "").toLowerCase().includes(word.toLowerCase()));
    const value = column.value(row);
    if (match[2] === "=") return String(value) === match[3];
    return value !== null && value !== undefined && (match[2] === "<" ? Number(value) < Number(match[3]) : Number(value) > Number(match[3]));
  };
  const chosen = () => {
    const list = rows().filter(row => words.split(/\s+/).filter(Boolean).every(word => passes(row, word)));
    return sorted ? list.slice().sort(compare) : list;
  };
  const update = () => {
    const list = chosen();
    head.replaceChildren(...columns.map(column => make("th", {
      class: column.number ? "number" : null, title: column.title, onclick: () => {
        descending = sorted === column ? !descending : false;
        sorted = column;
        update();
      }}, column.name + (sorted === column ? (descending ? " ▾" : " ▴") : ""))));
    body.replaceChildren(...list.slice(0, limit).map(row => make("tr", {class: options.rowClass ? options.rowClass(row) : null},
      ...columns.map(column => make("td", {class: column.number ? "number" : column.code ? "code" : null, title: column.cellTitle ? column.cellTitle(row) : null},
        show(column.value(row)))))));
    more.hidden = list.length <= limit;
    count.textContent = list.length + " of " + rows().length + " rows";
  };
  const more = make("button", {onclick: () => { limit += 1000; update(); }}, "more rows");
  const element = make("div", {id},
    make("div", {class: "bar"},
      make("input", {type: "search", placeholder: "filter: words, or column=value", id: id + "-filter",
                     oninput: event => { words = event.target.value; update(); }}),
      count, make("button", {id: id + "-csv", onclick: () => save(id + ".csv", "text/csv", csv())}, "CSV"),
      ...(options.tools || [])),
    make("div", {class: "scroll"}, make("table", {}, make("thead", {}, head), body)), more);
  const csv = () => Figures.csv(chosen().map(row => Object.fromEntries(columns.map(column => [column.name, column.value(row)]))));
  update();
  return {element, update, columns, csv};
};

// ---- What there is ----

const position = new Map(data.runs.map((run, index) => [run.run, index]));
const statistic = (name, run) => {
  const column = data.values[name], at = position.get(run);
  return column && at !== undefined && at < column.length ? column[at] : null;
};
const kinds = new Map(data.names.map(name => [name.path, name]));
const describe = name => {
  const known = kinds.get(name);
  return known && known.help ? known.help + (known.unit ? " (" + known.unit + ")" : "") : name;
};
const statistics = Object.keys(data.values);

// A point's value of an axis, a derived quantity or a statistic.
const getter = (plan, name) => {
  const axis = plan.axes.findIndex(candidate => candidate.name === name);
  if (axis >= 0) return point => point.labels[axis];
  const derived = plan.derived.find(candidate => candidate.name === name);
  if (derived) return point => derived.values[plan.points.indexOf(point)];
  return point => statistic(name, point.run);
};

// ---- Sections ----

const claimElement = claim => {
  const style = {"holds": "holds", "holds partly": "partly", "does not hold": "not"}[claim.verdict] || "";
  const numbers = claim.values.map(value => value.name + " = " + show(value.value)).join(", ");
  return make("div", {class: "claim " + style, title: "holds if " + claim.holds + (claim.partly ? "; partly if " + claim.partly : "")},
    make("b", {}, claim.name + " " + claim.verdict), ": " + claim.sentence + " ",
    make("span", {class: "quiet"}, [claim.reason, numbers, claim.source].filter(Boolean).join(" · ")));
};

const claimsSection = plan => plan.claims.length === 0 || (plan.claimsFirst && plan.claims.every(claim => claim.figure)) ? null : make("section", {id: "claims"}, make("h2", {}, "Claims"),
  ...plan.claims.filter(claim => !claim.figure).map(claimElement),
  plan.claims.some(claim => claim.figure) ? make("p", {class: "quiet"}, "Claims that speak of a figure stand beside it.") : null,
  plan.claimsFirst ? null : make("p", {class: "quiet"},
    "These claims, or what they are computed from, were recorded after the plan's first run."));

const figuresSection = plan => make("section", {id: "figures"}, make("h2", {}, "Figures"),
  ...plan.figures.map(figure => make("div", {class: "figure", id: "figure-" + figure.name},
    make("h3", {}, figure.title),
    ...plan.claims.filter(claim => claim.figure === figure.name).map(claimElement),
    figure.missing > 0 ? make("p", {class: "quiet"}, figure.missing + " points have no value here.") : null,
    chart(() => figure, () => plan.name + "-" + figure.name).element)));

// The explorer: any two quantities of the plan's points.
const exploreFigure = (plan, choice) => {
  const axis = name => plan.axes.find(candidate => candidate.name === name);
  const order = name => axis(name) ? axis(name).values : null;
  const figure = {name: "explore", title: choice.y + " over " + choice.x, kind: choice.kind, x: choice.x, y: choice.y, unit: "",
                  color: choice.color || null, row: choice.row || null, xOrder: order(choice.x), colorOrder: order(choice.color),
                  rowOrder: order(choice.row), rows: []};
  const y = getter(plan, choice.y), x = getter(plan, choice.x);
  const color = choice.color && getter(plan, choice.color), row = choice.row && getter(plan, choice.row);
  const prefix = choice.y.replace(/[^.]*$/, "");
  for (const point of plan.points.filter(candidate => candidate.status === "done")) {
    const common = {point: point.number, x: x(point), ...(color ? {color: color(point)} : {}), ...(row ? {row: row(point)} : {})};
    if (choice.kind === "time") {
      const found = data.samples.find(entry => entry.run === point.run && entry.name === choice.y);
      if (!found) continue;
      const starts = JSON.parse(found.starts), lengths = JSON.parse(found.lengths);
      JSON.parse(found.values).forEach((value, index) => value === null ? 0 : figure.rows.push({point: point.number,
        ...(color ? {color: color(point)} : {}), ...(row ? {row: row(point)} : {}), part: choice.y, x: starts[index], cycles: lengths[index], y: value}));
    } else if (choice.kind === "stack" && prefix.endsWith("_stack.")) {
      // Of a latency stack the parts, for each instruction.
      const instructions = statistic(prefix + "instructions", point.run);
      for (const name of statistics.filter(name => name.startsWith(prefix) && !/\.(instructions|cycles)$/.test(name)))
        if (instructions) figure.rows.push({...common, part: name.slice(prefix.length), y: statistic(name, point.run) / instructions});
    } else if (choice.kind === "stack") {
      for (const name of statistics.filter(name => name.startsWith(prefix) && kinds.get(name).kind === kinds.get(choice.y).kind &&
                                            (kinds.get(name).unit === kinds.get(choice.y).unit)))
        if (statistic(name, point.run) !== null) figure.rows.push({...common, part: name, y: statistic(name, point.run)});
    } else if (choice.kind === "histogram" && kinds.get(choice.y) && kinds.get(choice.y).kind === "histogram") {
      const found = data.histograms.find(entry => entry.run === point.run && entry.name === choice.y);
      JSON.parse(found ? found.buckets : "[]").forEach((count, index) => figure.rows.push({...common, part: choice.y,
        low: index === 0 ? 0 : 2 ** (index - 1), high: index === 0 ? 0 : index === 23 ? null : 2 ** index - 1, y: count}));
    } else if (y(point) !== null && y(point) !== undefined && common.x !== null) {
      figure.rows.push({...common, y: Number(y(point))});
    }
  }
  if (choice.kind === "stack") figure.y = prefix + "*";
  return figure;
};

const exploreSection = plan => {
  const axes = plan.axes.map(axis => axis.name), quantities = [...plan.derived.map(entry => entry.name), ...statistics];
  if (quantities.length === 0) return null;
  const sampled = [...new Set(data.samples.map(entry => entry.name))].filter(name => !quantities.includes(name));
  const choice = {kind: "bars", x: axes[0] || "kernel.cycles", y: "kernel.cycles", color: axes[1] || "", row: ""};
  let drawing = null;
  const change = key => event => { choice[key] = event.target.value; drawing.draw(); };
  const bar = make("div", {class: "bar"},
    labelled("plot", select("explore-kind", ["bars", "lines", "scatter", "histogram", "stack",
      ...(data.samples.length ? ["time"] : [])], choice.kind, change("kind"))),
    labelled("of", select("explore-y", [...quantities, ...sampled], choice.y, change("y"))),
    labelled("over", select("explore-x", [...axes, ...quantities], choice.x, change("x"))),
    labelled("color", select("explore-color", [["", "–"], ...axes], choice.color, change("color"))),
    labelled("panels", select("explore-row", [["", "–"], ...axes], choice.row, change("row"))));
  drawing = chart(() => exploreFigure(plan, choice), () => plan.name + "-explore");
  return make("section", {id: "explore"}, make("h2", {}, "Explore"), bar,
    make("p", {class: "quiet"}, "A stack is of all statistics of the chosen one's component, kind and unit. " +
      "Of several points at one place bars and lines show the mean."), drawing.element);
};

const column = (plan, name) => {
  const get = getter(plan, name);
  return {name, value: get, title: describe(name), number: plan.points.some(point => typeof get(point) === "number") ||
    plan.points.every(point => Figures.isNumber(get(point) ?? ""))};
};

const pointsSection = plan => {
  const message = point => (data.runs[position.get(point.run)] || {}).message;
  const columns = [{name: "point", value: point => point.number, number: true}, ...plan.axes.map(axis => column(plan, axis.name)),
    {name: "status", value: point => point.status, cellTitle: message}, ...plan.derived.map(entry => column(plan, entry.name)),
    ...["kernel.cycles", "kernel.ipc"].filter(name => data.values[name]).map(name => column(plan, name))];
  let shown = null;
  const add = select("points-add", [["", "add a column…"], ...statistics], "", event => {
    if (event.target.value) shown.columns.push(column(plan, event.target.value));
    event.target.value = "";
    shown.update();
  });
  shown = table("points", columns, () => plan.points, {tools: [add], rowClass: point => point.status});
  const failed = plan.points.filter(point => point.status === "failed");
  return make("section", {}, make("h2", {}, "Points"), failed.length === 0 ? null : make("details", {},
    make("summary", {}, failed.length + " points failed"),
    make("pre", {}, failed.map(point => point.number + " (" + point.labels.join(", ") + "): " + message(point)).join("\n"))),
    shown.element);
};

const compareSection = plan => {
  const points = plan.points.filter(point => point.status === "done");
  if (points.length < 2) return null;
  const choice = {a: points[0].number, b: points[1].number};
  const point = number => points.find(candidate => candidate.number === Number(number));
  const rows = () => statistics.map(name => {
    const a = statistic(name, point(choice.a).run), b = statistic(name, point(choice.b).run);
    return {name, a, b, ratio: a ? b / a : null, change: a && b !== null ? 100 * (b - a) / Math.abs(a) : null};
  }).filter(row => row.a !== null || row.b !== null);
  let shown = null;
  const change = key => event => { choice[key] = event.target.value; shown.update(); };
  const labels = points.map(entry => [entry.number, entry.number + ": " + entry.labels.join(", ")]);
  shown = table("compare", [
    {name: "statistic", value: row => row.name}, {name: "a", value: row => row.a, number: true},
    {name: "b", value: row => row.b, number: true}, {name: "b/a", value: row => row.ratio, number: true},
    {name: "change", title: "in percent", value: row => row.change, number: true}], rows);
  return make("section", {}, make("h2", {}, "One run against another"), make("div", {class: "bar"},
    labelled("a", select("compare-a", labels, choice.a, change("a"))),
    labelled("b", select("compare-b", labels, choice.b, change("b")))), shown.element);
};

const kernelsSection = plan => {
  const number = new Map(plan.points.map(point => [point.run, point.number]));
  const rows = data.kernels.filter(kernel => number.has(kernel.run));
  const columns = ["name", "launches", "cycles", "instructions", "time_ns"].map(name => (
    {name, value: row => row[name], number: name !== "name"}));
  return rows.length === 0 ? null : make("section", {}, make("h2", {}, "Kernels"),
    table("kernels", [{name: "point", value: row => number.get(row.run), number: true}, ...columns], () => rows).element);
};

// ---- The profile by source line ----

const profileOf = run => data.profile.filter(entry => entry.run === run);

// What a column's name stands for, as in `wavetank run --profile`: the sum of its parts, and the largest of them.
const partsOf = (values, prefix) => Object.entries(values).filter(([name]) => name.startsWith(prefix) && name !== "latency_instructions");
const sumOf = (values, prefix) => partsOf(values, prefix).reduce((sum, [, value]) => sum + value, 0);
const largestOf = (values, prefix) => {
  const [name, value] = partsOf(values, prefix).reduce((best, part) => part[1] > best[1] ? part : best, ["", 0]);
  return value === 0 ? null : name.slice(prefix.length) + " " + Math.round(100 * value / sumOf(values, prefix)) + " %";
};
const ratio = (part, whole) => whole ? part / whole : null;
const found = (values, level) => values[level + "_hits"] === undefined && values[level + "_misses"] === undefined ? null :
  100 * ratio(values[level + "_hits"] || 0, ["_hits", "_misses", "_merges"].reduce((sum, name) => sum + (values[level + name] || 0), 0));

const profileColumns = whole => {
  const of = (name, title, value, number = true) => ({name, title, number, value: row => value(row.values)});
  const accesses = values => ["load", "store", "atomic"].reduce((sum, kind) => sum + (values[kind + "_accesses"] || 0), 0);
  return [
    {name: "kernel", value: row => row.kernel},
    {name: "line", number: true, value: row => row.file === null ? null : row.line},
    {name: "source", code: true, value: row => row.source},
    of("time %", "of the wavefronts' cycles", values => 100 * ratio(sumOf(values, "time_"), whole)),
    of("mostly", "what the wavefronts did or waited for longest", values => largestOf(values, "time_"), false),
    of("instructions", "wavefront instructions", values => values.instructions || 0),
    of("lanes", "active lanes of a vector instruction, of 64", values => ratio(values.vector_lanes || 0, values.vector_instructions)),
    of("lines", "line accesses that a vector memory instruction became", values => ratio(accesses(values), values.latency_instructions)),
    of("L1 hits %", "of loads", values => found(values, "l1")),
    of("L2 hits %", "of loads that L1 sent below", values => found(values, "l2")),
    of("latency", "cycles of a vector memory instruction", values => ratio(sumOf(values, "latency_"), values.latency_instructions)),
    of("waits", "the largest part of the latency", values => largestOf(values, "latency_"), false),
    {name: "file", value: row => row.file},
    ...data.profileColumns.map(column => of(column.name, column.help + " (" + column.unit + ")", values => values[column.name] || 0))];
};

const shownColumns = 13; // the others can be added

const profileSection = plan => {
  const points = plan.points.filter(point => profileOf(point.run).length > 0);
  if (points.length === 0) return null;
  const place = make("div", {});
  const draw = number => {
    const rows = profileOf(points.find(point => point.number === Number(number)).run).map(entry => ({...entry, values: JSON.parse(entry.values)}));
    const all = profileColumns(rows.reduce((sum, row) => sum + sumOf(row.values, "time_"), 0));
    let shown = null;
    const add = select("profile-add", [["", "add a column…"], ...all.slice(shownColumns).map(column => column.name)], "", event => {
      if (event.target.value) shown.columns.push(all.find(column => column.name === event.target.value));
      event.target.value = "";
      shown.update();
    });
    shown = table("profile", all.slice(0, shownColumns), () => rows, {tools: [add]});
    place.replaceChildren(shown.element);
  };
  draw(points[0].number);
  return make("section", {}, make("h2", {}, "Source lines"), make("div", {class: "bar"}, labelled("point", select("profile-point",
    points.map(point => [point.number, point.number + ": " + point.labels.join(", ")]), points[0].number, event => draw(event.target.value)))),
    make("p", {class: "quiet"}, "Lines add up to the run's statistics. A wait stands at the line that waits, a load's latency at the load."), place);
};

const distinct = key => [...new Set(data.runs.map(run => run[key]).filter(value => value !== null))];

const originSection = plan => make("section", {}, make("h2", {}, "What was run"),
  make("p", {}, plan.points.length + " points on " + distinct("gpu").join(", ") + " (" + distinct("model").join(", ") + "), by Wavetank " +
    distinct("wavetank").join(", ") + ", kernels compiled by " + distinct("clang").join(", ") + ", libclc " + distinct("libclc").join(", ") +
    ". Hosts: " + distinct("host").join(", ") + "; " + show(data.runs.reduce((sum, run) => sum + (run.seconds || 0), 0)) + " s of theirs; " +
    "from " + distinct("started").sort()[0] + " on."),
  make("details", {open: plan.text.length < 400 ? "" : null}, make("summary", {}, "the plan " + plan.name), make("pre", {}, plan.text)));

const showPlan = plan => {
  drawn.length = 0;
  document.getElementById("plan").replaceChildren(...[claimsSection, figuresSection, exploreSection, pointsSection, compareSection,
    kernelsSection, profileSection, originSection].map(section => section(plan)).filter(Boolean));
};

const start = () => {
  const plans = data.plans.map((plan, index) => [index, plan.name]);
  const title = make("h1", {}, data.plans.length ? data.plans[0].title : "No plans");
  document.getElementById("main").replaceChildren(
    make("header", {}, title, make("span", {class: "space"}),
      plans.length > 1 ? labelled("plan", select("plans", plans, 0, event => {
        const plan = data.plans[event.target.value];
        title.textContent = plan.title;
        showPlan(plan);
      })) : null,
      make("button", {id: "theme", onclick: () => setTheme(!isDark())}, "light / dark")),
    make("div", {class: "quiet"}, "Results of Wavetank " + data.version + ", from " + data.database),
    make("div", {id: "plan"}));
  document.documentElement.classList.toggle("dark", matchMedia("(prefers-color-scheme: dark)").matches);
  if (data.plans.length) showPlan(data.plans[0]);
  Promise.all(pending).then(() => { document.body.dataset.ready = "yes"; });
};
start();
