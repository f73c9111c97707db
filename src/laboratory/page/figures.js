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

  // Pixels, of text about as much as the charts' font takes, and of what stands beside a panel.
  const letter = 6.5, side = 90, gap = 20, narrowest = 180;

  // Axes are in the order of the plan; anything else is a quantity. Labels that have no room side by side are turned.
  const place = (figure, field, title, order) => order
    ? {field, type: "ordinal", title, sort: order.map(String), axis: {labelOverlap: false,
       labelAngle: Math.max(...order.map(label => String(label).length)) * letter > figure.panel.width / order.length - 4 ? -45 : 0}}
    : {field, type: "quantitative", title, scale: {zero: false}, axis: {labelOverlap: true, tickCount: Math.ceil(figure.panel.width / 90)}};

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

  // Where an access waits (mem/journey.h), and its hue: what happens in one place has colors of one hue, from dark to light.
  const places = [[/^address$/, 0, 0], [/^l1_/, 215, 75], [/^network/, 135, 50], [/^(l2_|probes$)/, 32, 90], [/^dram/, 350, 65],
    [/^(return|in_order)/, 275, 45]];

  // A color for each part, none twice.
  const partColors = parts => {
    const groups = parts.map(part => places.findIndex(([pattern]) => pattern.test(part)));
    if (groups.includes(-1)) return parts.map((part, i) =>
      "hsl(" + Math.round(360 * i / parts.length) + ", " + (i % 2 ? 45 : 75) + "%, " + [40, 60, 75][i % 3] + "%)");
    return parts.map((part, i) => {
      const [, hue, saturation] = places[groups[i]];
      const count = groups.filter(group => group === groups[i]).length;
      const step = groups.slice(0, i).filter(group => group === groups[i]).length / Math.max(1, count - 1);
      return "hsl(" + Math.round(hue + 30 * (step - 0.5)) + ", " + saturation + "%, " + Math.round(34 + 46 * step) + "%)";
    });
  };

  const common = parts => {
    const prefix = parts[0].slice(0, parts[0].lastIndexOf(".") + 1);
    return parts.every(part => part.startsWith(prefix)) ? prefix : "";
  };

  // The parts that are not zero everywhere, without what all their names begin with.
  const stacked = rows => {
    const names = [...new Set(rows.map(row => row.part))], prefix = common(names);
    const kept = new Set(rows.filter(row => row.y !== 0).map(row => row.part));
    return rows.filter(row => kept.size === 0 || kept.has(row.part)).map(row => ({...row, part: row.part.slice(prefix.length)}));
  };

  const stack = figure => {
    const parts = [...new Set(figure.rows.map(row => row.part))];
    const spec = {mark: {type: "bar", tooltip: true}, encoding: {
      x: place(figure, "x", figure.x || "", figure.xOrder || [...new Set(figure.rows.map(row => row.x))]),
      y: {field: "y", type: "quantitative", stack: "zero",
          title: (figure.isMean ? "mean of " : "") + titleOf(figure.y.split(" ")[0], figure.unit) +
                 (figure.per ? " per " + figure.per : "")},
      color: {field: "part", type: "nominal", title: null, sort: parts,
              scale: parts.length > 10 ? {domain: parts, range: partColors(parts)} : {scheme: "tableau10"}}}};
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

  // Lines of so many pixels.
  const wrapped = (text, width) => text.split(" ").reduce((lines, word) => {
    const line = lines[lines.length - 1];
    if (line !== "" && (line.length + 1 + word.length) * letter > width) lines.push(word);
    else lines[lines.length - 1] = line === "" ? word : line + " " + word;
    return lines;
  }, [""]);

  // A panel for each value of the row axis; in a stack, where color is taken, for each of the color axis too.
  const panels = (figure, width) => {
    const axes = [["row", figure.row, figure.rowOrder], ["color", figure.kind === "stack" ? figure.color : null, figure.colorOrder]]
      .filter(([, name]) => name).map(([field, name, order]) => ({field, name, values: (order || [...new Set(figure.rows.map(row => row[field]))]).map(String)}));
    if (axes.length === 0) return {width: width - side, facet: undefined, of: () => undefined};
    const titles = axes.reduce((all, axis) => all.flatMap(title => axis.values.map(value => [...title, axis.name + ": " + value])), [[]]);
    const last = axes[axes.length - 1];
    const columns = last.field === "row" ? 1 : Math.max(1, Math.min(last.values.length, Math.floor((width - side) / (narrowest + gap))));
    const panel = Math.floor((width - side) / columns) - gap;
    return {width: panel, of: row => axes.map(axis => axis.name + ": " + row[axis.field]).join(", "),
      facet: {field: "panel", type: "nominal", columns, sort: titles.map(title => title.join(", ")),
              header: {title: null, labelAnchor: "start", labelLimit: panel}}};
  };

  // Below the plot, in as many columns as there is room for.
  const legend = (rows, field, width) => {
    const longest = Math.max(1, ...rows.map(row => String(row[field] ?? "").length));
    return {orient: "bottom", direction: "horizontal", titleLimit: width, symbolLimit: 0,
            columns: Math.max(1, Math.floor((width - side) / (longest * letter + 30)))};
  };

  // The whole specification, data included; so many pixels wide.
  const spec = (figure, theme, width = 760) => {
    const rows = (figure.kind === "stack" ? stacked(isRepeated(figure.rows) ? averaged(figure.rows) : figure.rows)
      : figure.kind === "time" ? closed(figure.rows) : figure.rows);
    const panel = panels(figure, width);
    const made = kinds[figure.kind]({...figure, rows: figure.kind === "stack" ? rows : figure.rows, panel, isMean: isRepeated(figure.rows)});
    const {x, y, color, strokeDash} = made.encoding;
    for (const channel of [color, strokeDash])
      if (channel) channel.legend = legend(rows, channel.field, width);
    // Above the plot: beside a panel, a long one would run into the next.
    const title = [y.title].flat().filter(Boolean).flatMap(text => wrapped(text, width - side));
    y.title = null;
    if (panel.facet) made.encoding.facet = panel.facet;
    if (x) x.title = x.title ? wrapped(x.title, panel.width) : x.title;
    const values = rows.map(row => ({...row, ...(row.low !== undefined ? {bucket: bucket(row)} : {}), panel: panel.of(row),
      label: [row.part, row.x].filter(part => part !== undefined).join(", ")}));
    return clean({$schema: "https://vega.github.io/schema/vega-lite/v6.json", description: figure.title,
      title: {text: title, fontSize: 11, fontWeight: "normal", offset: 8}, width: panel.width, height: panel.facet ? 180 : 280,
      autosize: {type: "pad", contains: "content"}, config: config(theme), data: {values}, ...made});
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
