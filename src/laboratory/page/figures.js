// SPDX-License-Identifier: MIT
// A figure with its rows (page_figures.c) as a Vega-Lite specification; for the page, and for SVG files under Node.js.
"use strict";

const Figures = (() => {
  const themes = {
    light: {text: "#1b1f24", quiet: "#59636e", line: "#d1d9e0", scheme: "tableau10", mark: "#4c78a8"},
    dark: {text: "#e6edf3", quiet: "#9198a1", line: "#3d444d", scheme: "tableau10", mark: "#72a5d8"},
  };

  const config = name => {
    const theme = themes[name] || themes.light;
    return {
      background: null,
      font: "sans-serif",
      view: {stroke: theme.line},
      mark: {color: theme.mark},
      range: {category: {scheme: theme.scheme}},
      axis: {labelColor: theme.text, titleColor: theme.text, gridColor: theme.line, domainColor: theme.quiet,
             tickColor: theme.quiet, labelLimit: 220},
      header: {labelColor: theme.text, titleColor: theme.text},
      legend: {labelColor: theme.text, titleColor: theme.text, labelLimit: 260},
      title: {color: theme.text, anchor: "start"},
    };
  };

  const isNumber = text => typeof text === "number" || (text !== "" && !isNaN(Number(text)));

  // Axes are in the order of the plan; anything else is a quantity.
  const place = (figure, field, title, order) => order
    ? {field, type: "ordinal", title, sort: order.map(String), axis: {labelAngle: order.join("").length > 60 ? -30 : 0}}
    : {field, type: "quantitative", title, scale: {zero: false}};

  const colorOf = (figure, field, title, order) => ({field, type: "nominal", title, sort: order ? order.map(String) : null,
    scale: order && order.length > 10 ? {scheme: "viridis"} : undefined});

  const titleOf = (name, unit) => unit ? name + " (" + unit + ")" : name;

  const isRepeated = rows => {
    const seen = new Set();
    for (const row of rows) {
      const key = JSON.stringify([row.x, row.color, row.row, row.part]);
      if (seen.has(key)) return true;
      seen.add(key);
    }
    return false;
  };

  const bucket = row => row.low === row.high ? String(row.low) : row.low + (row.high === null ? " or more" : " to " + row.high);

  const bars = figure => {
    const mean = isRepeated(figure.rows);
    const spec = {mark: {type: "bar", tooltip: true}, encoding: {
      x: figure.x ? place(figure, "x", figure.x, figure.xOrder || [...new Set(figure.rows.map(row => row.x))]) : undefined,
      y: {field: "y", type: "quantitative", title: (mean ? "mean of " : "") + titleOf(figure.y, figure.unit),
          aggregate: mean ? "mean" : undefined}}};
    if (figure.color) {
      spec.encoding.color = colorOf(figure, "color", figure.color, figure.colorOrder);
      spec.encoding.xOffset = {field: "color", sort: figure.colorOrder ? figure.colorOrder.map(String) : null};
    }
    return spec;
  };

  const lines = figure => {
    const spec = bars(figure);
    spec.mark = {type: "line", point: true, tooltip: true};
    if (spec.encoding.x) spec.encoding.x = place(figure, "x", figure.x, figure.xOrder);
    delete spec.encoding.xOffset;
    return spec;
  };

  const scatter = figure => ({mark: {type: "point", filled: true, opacity: 0.8, size: 50, tooltip: {content: "data"}}, encoding: {
    x: place(figure, "x", titleOf(figure.x, ""), figure.xOrder),
    y: {field: "y", type: "quantitative", title: titleOf(figure.y, figure.unit), scale: {zero: false}},
    color: figure.color ? colorOf(figure, "color", figure.color, figure.colorOrder) : undefined}});

  // Of a histogram's buckets; or, for plain values, how many points have which.
  const histogram = figure => {
    const color = figure.color ? colorOf(figure, "color", figure.color, figure.colorOrder) : undefined;
    if (figure.rows.length && figure.rows[0].low === undefined)
      return {mark: {type: "bar", tooltip: true}, encoding: {
        x: {field: "y", type: "quantitative", bin: {maxbins: 30}, title: titleOf(figure.y, figure.unit)},
        y: {aggregate: "count", type: "quantitative", title: "points"}, color}};
    const order = [...new Map(figure.rows.map(row => [bucket(row), row.low])).entries()].sort((a, b) => a[1] - b[1]);
    return {transform: [], mark: {type: "bar", tooltip: true}, encoding: {
      x: {field: "bucket", type: "ordinal", title: titleOf(figure.y, figure.unit), sort: order.map(entry => entry[0])},
      y: {field: "y", aggregate: "sum", type: "quantitative", title: "count"}, color,
      xOffset: figure.color ? {field: "color"} : undefined}};
  };

  // A stack of means is made of means, one a place and part.
  const averaged = rows => {
    const groups = new Map();
    for (const row of rows) {
      const key = JSON.stringify([row.x, row.color, row.row, row.part]);
      if (!groups.has(key)) groups.set(key, {...row, y: 0, points: 0});
      const group = groups.get(key);
      group.y += row.y;
      group.points++;
    }
    return [...groups.values()].map(group => ({...group, y: group.y / group.points}));
  };

  const stack = figure => {
    const parts = [...new Set(figure.rows.map(row => row.part))];
    const spec = {mark: {type: "bar", tooltip: true}, encoding: {
      x: place(figure, "x", figure.x || "", figure.xOrder || [...new Set(figure.rows.map(row => row.x))]),
      y: {field: "y", type: "quantitative", stack: "zero",
          title: (isRepeated(figure.rows) ? "mean of " : "") + titleOf(figure.y.split(" ")[0], figure.unit) +
                 (figure.per ? " per " + figure.per : "")},
      color: {field: "part", type: "nominal", title: null, sort: parts,
              scale: {scheme: parts.length > 10 ? "tableau20" : "tableau10"}}}};
    if (figure.color) spec.encoding.column = {field: "color", type: "ordinal", title: figure.color,
                                              sort: figure.colorOrder ? figure.colorOrder.map(String) : null};
    return spec;
  };

  // Lines over simulated time, one a point and statistic; a value holds from its interval's start to its end.
  const time = figure => {
    const parts = [...new Set(figure.rows.map(row => row.part))];
    const encoding = {x: {field: "x", type: "quantitative", title: "core cycles of kernels"},
      y: {field: "y", type: "quantitative", title: parts.length === 1 ? titleOf(parts[0], figure.unit) : null},
      detail: [{field: "point"}, {field: "part"}]};
    const part = {field: "part", type: "nominal", title: null, sort: parts};
    if (figure.color) encoding.color = colorOf(figure, "color", figure.color, figure.colorOrder);
    if (parts.length > 1) encoding[figure.color ? "strokeDash" : "color"] = part;
    return {mark: {type: "line", interpolate: "step-after", tooltip: true, strokeWidth: 1.5}, encoding};
  };

  // With the end of each line.
  const closed = rows => {
    const last = new Map();
    for (const row of rows) last.set(JSON.stringify([row.point, row.part]), row);
    return rows.concat([...last.values()].map(row => ({...row, x: row.x + row.cycles})));
  };

  const kinds = {bars, lines, scatter, histogram, stack, time};

  const clean = value => JSON.parse(JSON.stringify(value));

  // The whole specification, data included.
  const spec = (figure, theme, width) => {
    const made = kinds[figure.kind](figure);
    const plain = figure.kind === "stack" && isRepeated(figure.rows) ? averaged(figure.rows)
      : figure.kind === "time" ? closed(figure.rows) : figure.rows;
    const rows = plain.map(row => ({...row, ...(row.low !== undefined ? {bucket: bucket(row)} : {}),
      label: [row.part, row.x].filter(part => part !== undefined).join(", ")}));
    if (figure.row) made.encoding.row = {field: "row", type: "ordinal", title: figure.row,
                                         sort: figure.rowOrder ? figure.rowOrder.map(String) : null};
    const columns = made.encoding.column && figure.colorOrder ? figure.colorOrder.length : 1;
    return clean({$schema: "https://vega.github.io/schema/vega-lite/v6.json", description: figure.title,
      width: Math.max(160, Math.floor((width || 640) / columns)), height: figure.row ? 180 : 280,
      autosize: {type: "pad", contains: "content"}, config: config(theme), data: {values: rows}, ...made});
  };

  const csv = rows => {
    const names = [...new Set(rows.flatMap(row => Object.keys(row)))];
    const field = value => {
      const text = value === null || value === undefined ? "" : String(value);
      return /[",\r\n]/.test(text) ? '"' + text.replace(/"/g, '""') + '"' : text;
    };
    return [names, ...rows.map(row => names.map(name => row[name]))].map(line => line.map(field).join(",") + "\r\n").join("");
  };

  return {spec, csv, isNumber};
})();

if (typeof module !== "undefined") module.exports = Figures;
