// Shares of a topic in groups of documents or over time, and its weights for classes.

import { classes, groups, nTopics } from "./data.js";
import {
  bar,
  breakable,
  byId,
  element,
  formatCount,
  formatPart,
  span,
  svgElement,
} from "./dom.js";
import { state } from "./state.js";

const WIDTH = 440;
const HEIGHT = 196;
const LEFT = 44;
const BOTTOM = 24;
const COUNTS = 26; // height of the bars that count documents
const GAP = 14; // between these and the line
const TOP = 12;
const RIGHT = 14;
const CROWDED = 40; // more points than that have no dots

function shareIn(group) {
  return groups.shares[group * nTopics + state.topic];
}

/** The number of documents of a group, as its size on the page is given. */
function sizeIn(group) {
  const size = groups.sizes[group];
  return `${formatCount(size)} document${size === 1 ? "" : "s"}`;
}

function row(name, figure, drawn) {
  return element(
    "li",
    {},
    span("label", ...breakable(name)),
    drawn,
    span("figure", figure),
  );
}

/** Bars of categories, the largest share first. */
function categoryBars() {
  const order = groups.names.map((_, g) => g).sort((a, b) => shareIn(b) - shareIn(a));
  const longest = shareIn(order[0]) || 1;
  const rows = order.map((g) =>
    row(groups.names[g], formatPart(shareIn(g)), bar(["part", shareIn(g) / longest])),
  );
  return element("ul", { class: "rows", tabindex: 0 }, ...rows);
}

/** Places of groups and shares in the chart; half a step of room at both ends. */
function scales() {
  const { names, places, sizes } = groups;
  const last = names.length - 1;
  const range = places[last] - places[0] || 1;
  const step = (WIDTH - LEFT - RIGHT) / (last + 1);
  const base = HEIGHT - BOTTOM - COUNTS - GAP;
  return {
    step,
    highest: Math.max(...names.map((_, g) => shareIn(g))) || 1,
    largest: Math.max(...sizes),
    x: (g) =>
      last === 0
        ? (LEFT + WIDTH - RIGHT) / 2
        : LEFT +
          step / 2 +
          ((WIDTH - LEFT - RIGHT - step) * (places[g] - places[0])) / range,
    y(share) {
      return base - ((base - TOP) * share) / this.highest;
    },
  };
}

function axisText(text, x, y, anchor) {
  return svgElement("text", { x, y, "text-anchor": anchor }, text);
}

function axes(scale) {
  const last = groups.names.length - 1;
  const bottom = HEIGHT - BOTTOM;
  const lines = [scale.y(0), scale.y(scale.highest), bottom].map((y) =>
    svgElement("line", { class: "grid", x1: LEFT, x2: WIDTH - RIGHT, y1: y, y2: y }),
  );
  const base = HEIGHT - 6;
  const ends = last > 0 ? ["start", "end"] : ["middle"];
  return [
    ...lines,
    axisText("0%", LEFT - 6, scale.y(0) + 4, "end"),
    axisText(formatPart(scale.highest), LEFT - 6, scale.y(scale.highest) + 4, "end"),
    axisText(formatCount(scale.largest), LEFT - 6, bottom - COUNTS + 8, "end"),
    axisText("docs", LEFT - 6, bottom, "end"),
    ...ends.map((anchor, end) => {
      const g = end * last;
      const x = last > 0 ? [LEFT, WIDTH - RIGHT][end] : scale.x(0);
      return axisText(groups.names[g], x, base, anchor);
    }),
  ];
}

/** A bar for the number of documents of a group. */
function countBar(g, { x, step, largest }) {
  const height = (COUNTS * groups.sizes[g]) / largest;
  const width = Math.max(step * 0.8, 1);
  return svgElement("rect", {
    class: "all",
    x: x(g) - width / 2,
    y: HEIGHT - BOTTOM - height,
    width,
    height,
  });
}

/** The groups with documents, cut where there are none between them. */
function runs() {
  const found = [];
  groups.names.forEach((_, g) => {
    if (groups.sizes[g] === 0) return;
    const last = found.at(-1);
    if (last?.at(-1) === g - 1) last.push(g);
    else found.push([g]);
  });
  return found;
}

function point(g, scale, radius) {
  const { x } = scale;
  const y = (share) => scale.y(share);
  const title = svgElement("title");
  title.append(`${groups.names[g]}: ${formatPart(shareIn(g))} of ${sizeIn(g)}`);
  const dot = svgElement("circle", {
    class: "dot",
    cx: x(g),
    cy: y(shareIn(g)),
    r: radius,
  });
  // What the pointer can hit is larger than the dot.
  const near = svgElement("circle", {
    class: "near",
    cx: x(g),
    cy: y(shareIn(g)),
    r: 9,
  });
  return svgElement("g", {}, title, dot, near);
}

/** A line for numbers and dates, in their order; groups without documents are gaps. */
function line() {
  const scale = scales();
  const parts = runs();
  const crowded = groups.names.length > CROWDED;
  const lines = parts.map((run) => {
    const points = run.map((g) => `${scale.x(g)},${scale.y(shareIn(g))}`).join(" ");
    return svgElement("polyline", { class: "line", points });
  });
  const dots = parts.flatMap((run) =>
    run.map((g) => point(g, scale, crowded && run.length > 1 ? 0 : 3)),
  );
  return svgElement(
    "svg",
    {
      class: "chart",
      viewBox: `0 0 ${WIDTH} ${HEIGHT}`,
      role: "img",
      "aria-label": `Share of topic ${state.topic} over the groups; numbers below`,
    },
    ...axes(scale),
    ...groups.names.map((_, g) => countBar(g, scale)),
    ...lines,
    ...dots,
  );
}

function numbers() {
  const rows = groups.names.map((name, g) =>
    row(name, groups.sizes[g] ? formatPart(shareIn(g)) : "–", span("about", sizeIn(g))),
  );
  return element(
    "details",
    {},
    element("summary", {}, "Numbers"),
    element("ul", { class: "rows", tabindex: 0 }, ...rows),
  );
}

function showGroups() {
  const nodes = groups.places ? [line(), numbers()] : [categoryBars()];
  const wasOpen = byId("groups").querySelector("details")?.open ?? false;
  byId("groups").replaceChildren(...nodes);
  const details = byId("groups").querySelector("details");
  if (details) details.open = wasOpen;
}

/** A bar to the right of the middle for a positive weight, to the left for others. */
function weightBar(weight, largest) {
  const half = (50 * Math.abs(weight)) / largest;
  const x = weight < 0 ? 50 - half : 50;
  const name = weight < 0 ? "all" : "part";
  const drawn = bar();
  drawn.append(
    svgElement("rect", { class: name, x, width: half, height: 10 }),
    svgElement("rect", { class: "axis", x: 49.8, width: 0.4, height: 10 }),
  );
  return drawn;
}

function showClasses() {
  const found = classes.weights[state.topic]
    .map((weight, task) => ({ name: classes.names[task], weight }))
    .filter(({ weight }) => weight !== null)
    .sort((a, b) => b.weight - a.weight);
  const all = classes.weights.flat().map((weight) => Math.abs(weight ?? 0));
  const largest = Math.max(...all) || 1;
  const rows = found.map(({ name, weight }) =>
    row(name, weight.toPrecision(3), weightBar(weight, largest)),
  );
  byId("classes").replaceChildren(
    element("ul", { class: "rows", tabindex: 0 }, ...rows),
  );
}

function titleOfGroups() {
  if (!groups.places) return "Share by group";
  if (groups.are_dates) return "Share over time";
  return `Share from ${groups.names[0]} to ${groups.names.at(-1)}`;
}

export function setUpGroups() {
  byId("groups-panel").hidden = groups === null;
  byId("groups-title").textContent = groups ? titleOfGroups() : "";
  byId("classes-panel").hidden = classes === null;
  if (classes === null) return;
  const against = classes.other === null ? "against it" : `for “${classes.other}”`;
  byId("classes-note").textContent =
    `Weights of the topic: bars to the right speak for the class, bars to the left ${against}.`;
}

export function showGroupsAndClasses() {
  if (groups) showGroups();
  if (classes) showClasses();
}
