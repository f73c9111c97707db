// SPDX-License-Identifier: MIT
// Each figure of a report's data as an SVG file. Usage: node svg.js DATA.json FOLDER
"use strict";
const fs = require("fs");
const path = require("path");
const vm = require("vm");
const Figures = require("./figures.js");

const load = name => {
  const file = path.join(__dirname, "library", name);
  if (!fs.existsSync(file)) {
    console.error("wavetank: the charting library is missing: " + file + "\n  hint: tools/install-deps brings it");
    process.exit(1);
  }
  vm.runInThisContext(fs.readFileSync(file, "utf8"), file);
};
load("vega.min.js");
load("vega-lite.min.js");

const main = async () => {
  const [input, folder] = process.argv.slice(2);
  const data = JSON.parse(fs.readFileSync(input, "utf8"));
  for (const plan of data.plans)
    for (const figure of plan.figures) {
      const spec = globalThis.vegaLite.compile(Figures.spec(figure, "light")).spec;
      const view = new globalThis.vega.View(globalThis.vega.parse(spec), {renderer: "none"});
      fs.writeFileSync(path.join(folder, plan.name + "-" + figure.name + ".svg"), await view.toSVG());
    }
};
main().catch(error => {
  console.error("wavetank: " + error.message);
  process.exit(1);
});
