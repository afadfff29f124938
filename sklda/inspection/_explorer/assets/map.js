// The map: similar topics are close, areas are shares.

import {
  explained,
  nTopics,
  positions,
  shares,
  topicsOfDocument,
  topicsOfWord,
} from "./data.js";
import { byId, formatPart, svgElement } from "./dom.js";
import { labelOf } from "./labels.js";
import { state } from "./state.js";
import { chooseTopic } from "./topics.js";

const SIZE = 340;
const MARGIN = 6;
const AREA = 0.26; // of the map, for all circles together
const REACH = 9; // of the pointer around a smaller circle
const LEAST_FILLING = 3; // a smaller one would only blur the number
const DIRECTIONS = {
  ArrowLeft: [-1, 0],
  ArrowRight: [1, 0],
  ArrowUp: [0, -1],
  ArrowDown: [0, 1],
};

let svg = null;
let circles = [];

/** Return the circles, and the height of the map that they need. */
function layOut() {
  const radii = shares.map((share) => SIZE * Math.sqrt((AREA * share) / Math.PI));
  const edge = Math.max(...radii) + MARGIN;
  const ranges = [0, 1].map((axis) => {
    const values = positions.map((position) => position[axis]);
    return [Math.min(...values), Math.max(...values)];
  });
  const widest = Math.max(...ranges.map(([low, high]) => high - low)) || 1;
  const scale = (SIZE - 2 * edge) / widest;
  const [[left, right], [bottom, top]] = ranges;
  const placed = positions.map(([x, y], k) => ({
    x: SIZE / 2 + scale * (x - (left + right) / 2),
    y: edge + scale * (top - y),
    radius: radii[k],
  }));
  return { placed, height: 2 * edge + scale * (top - bottom) };
}

/** Return the topics whose numbers fit beside those of larger topics. */
function numbered() {
  const bySize = circles.map((_, k) => k).sort((a, b) => shares[b] - shares[a]);
  const chosen = [];
  for (const k of bySize) {
    const isFree = chosen.every(
      (other) =>
        Math.abs(circles[k].x - circles[other].x) > 17 ||
        Math.abs(circles[k].y - circles[other].y) > 12,
    );
    if (isFree) chosen.push(k);
  }
  return new Set(chosen);
}

function drawTopic(k) {
  const { x, y, radius } = circles[k];
  return svgElement(
    "g",
    { role: "option", id: `map-${k}`, "data-topic": k },
    svgElement("title"),
    svgElement("circle", { class: "near", cx: x, cy: y, r: Math.max(radius, REACH) }),
    svgElement("circle", { class: "area", cx: x, cy: y, r: radius }),
    svgElement("circle", { class: "filling", cx: x, cy: y, r: radius }),
  );
}

/** Draw the number of a topic in a layer of its own, which no circle covers. */
function drawNumber(k, hasNumber) {
  const { x, y } = circles[k];
  const place = { id: `number-${k}`, x, y, dy: "0.35em", "aria-hidden": "true" };
  const number = svgElement("text", place, String(k));
  number.classList.toggle("crowded", !hasNumber);
  return number;
}

/** Return the nearest topic in a direction, or the same if there is none. */
function neighbour(from, [dx, dy]) {
  const start = circles[from];
  let nearest = from;
  let least = Number.POSITIVE_INFINITY;
  circles.forEach((circle, k) => {
    const ahead = (circle.x - start.x) * dx + (circle.y - start.y) * dy;
    const aside = Math.abs((circle.x - start.x) * dy + (circle.y - start.y) * dx);
    const cost = ahead + 2 * aside;
    if (k !== from && ahead > aside / 2 && cost < least) {
      nearest = k;
      least = cost;
    }
  });
  return nearest;
}

function onKey(event) {
  if (!(event.key in DIRECTIONS) || event.ctrlKey || event.altKey || event.metaKey)
    return;
  event.preventDefault();
  chooseTopic(neighbour(state.topic, DIRECTIONS[event.key]), true);
}

function onClick(event) {
  const node = event.target.closest("[data-topic]");
  if (node) chooseTopic(Number(node.dataset.topic), false);
}

export function setUpMap() {
  const { placed, height } = layOut();
  circles = placed;
  svg = svgElement("svg", {
    viewBox: `0 0 ${SIZE} ${height}`,
    role: "listbox",
    tabindex: 0,
    "aria-label": "Map of topics; arrow keys move to the next topic",
  });
  const shown = numbered();
  // Small circles are drawn last, where large ones cannot cover them.
  const bySize = circles.map((_, k) => k).sort((a, b) => shares[b] - shares[a]);
  svg.append(...bySize.map(drawTopic));
  svg.append(...bySize.map((k) => drawNumber(k, shown.has(k))));
  svg.addEventListener("keydown", onKey);
  svg.addEventListener("click", onClick);
  byId("map").append(svg);
}

/** Return the part of each topic in what is shown in detail, the largest being 1. */
function emphasis() {
  let row = [];
  if (state.word !== null) row = topicsOfWord(state.word);
  else if (state.doc !== null) row = topicsOfDocument(state.doc);
  const largest = row.length > 0 ? row[0].part || 1 : 1;
  return new Map(row.map(({ topic, part }) => [topic, part / largest]));
}

function note() {
  const areas = "Areas show the share of all tokens";
  if (state.word !== null) return `${areas}, filled areas the topics of the word.`;
  if (state.doc !== null) return `${areas}, filled areas the topics of the document.`;
  const axes = `the two axes explain ${formatPart(explained[0] + explained[1])}`;
  return `${areas}. Topics with similar words are close; ${axes} of all differences.`;
}

export function showMap() {
  const parts = emphasis();
  for (let k = 0; k < nTopics; k += 1) {
    const node = byId(`map-${k}`);
    const name = `Topic ${k}: ${labelOf(k)}, ${formatPart(shares[k])}`;
    node.querySelector("title").textContent = name;
    node.setAttribute("aria-label", name);
    node.setAttribute("aria-selected", String(k === state.topic));
    const filling = node.querySelector(".filling");
    const radius = circles[k].radius * Math.sqrt(parts.get(k) ?? 0);
    filling.setAttribute("r", radius < LEAST_FILLING ? 0 : radius);
    const number = byId(`number-${k}`);
    number.classList.toggle("filled", radius > 7);
    number.classList.toggle("chosen", k === state.topic);
  }
  svg.setAttribute("aria-activedescendant", `map-${state.topic}`);
  byId("map-note").textContent = note();
}
