// Shares of a topic in groups of documents or over time, and its weights for classes.

import { classes, groups, nTopics } from "./data.js";
import { bar, breakable, byId, element, formatPart, span, svgElement } from "./dom.js";
import { state } from "./state.js";

const WIDTH = 440;
const HEIGHT = 170;
const LEFT = 44;
const BOTTOM = 24;
const TOP = 12;
const RIGHT = 14;
const CROWDED = 40; // more points than that have no dots

function shareIn(group) {
  return groups.shares[group * nTopics + state.topic];
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

function scales() {
  const first = groups.places[0];
  const range = groups.places[groups.places.length - 1] - first || 1;
  const highest = Math.max(...groups.names.map((_, g) => shareIn(g))) || 1;
  return {
    highest,
    x: (g) => LEFT + ((WIDTH - LEFT - RIGHT) * (groups.places[g] - first)) / range,
    y: (share) => HEIGHT - BOTTOM - ((HEIGHT - BOTTOM - TOP) * share) / highest,
  };
}

function axisText(text, x, y, anchor) {
  return svgElement("text", { x, y, "text-anchor": anchor }, text);
}

function axes({ x, y, highest }) {
  const last = groups.names.length - 1;
  const lines = [0, highest].map((share) =>
    svgElement("line", {
      class: "grid",
      x1: LEFT,
      x2: WIDTH - RIGHT,
      y1: y(share),
      y2: y(share),
    }),
  );
  const base = HEIGHT - 6;
  return [
    ...lines,
    axisText("0%", LEFT - 6, y(0) + 4, "end"),
    axisText(formatPart(highest), LEFT - 6, y(highest) + 4, "end"),
    axisText(groups.names[0], x(0), base, "start"),
    ...(last > 0 ? [axisText(groups.names[last], x(last), base, "end")] : []),
  ];
}

function point(g, { x, y }) {
  const title = svgElement("title");
  title.append(`${groups.names[g]}: ${formatPart(shareIn(g))}`);
  const radius = groups.names.length > CROWDED ? 0 : 3;
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

/** A line for numbers and dates, in their order. */
function line() {
  const scale = scales();
  const all = groups.names.map((_, g) => g);
  const points = all.map((g) => `${scale.x(g)},${scale.y(shareIn(g))}`).join(" ");
  return svgElement(
    "svg",
    {
      class: "chart",
      viewBox: `0 0 ${WIDTH} ${HEIGHT}`,
      role: "img",
      "aria-label": `Share of topic ${state.topic} over the groups; numbers below`,
    },
    ...axes(scale),
    svgElement("polyline", { class: "line", points }),
    ...all.map((g) => point(g, scale)),
  );
}

function numbers() {
  const rows = groups.names.map((name, g) => row(name, formatPart(shareIn(g)), ""));
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

export function setUpGroups() {
  byId("groups-panel").hidden = groups === null;
  byId("classes-panel").hidden = classes === null;
  if (classes === null) return;
  const against = classes.other === null ? "against it" : `for “${classes.other}”`;
  byId("classes-note").textContent =
    `Weight of the topic: to the right it speaks for the class, to the left ${against}.`;
}

export function showGroupsAndClasses() {
  if (groups) showGroups();
  if (classes) showClasses();
}
