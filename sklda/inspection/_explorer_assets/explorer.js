// The page of a topic model: one module, from top to bottom. Each part uses those above
// it; the last one draws the whole page, when it opens and after each change.

// --- elements, bars and numbers ----------------------------------------------------

// Elements, bars and numbers. Texts of users are only ever set as text.

const SVG = "http://www.w3.org/2000/svg";
const WHOLE = new Intl.NumberFormat("en", { maximumFractionDigits: 0 });
const SHORT = new Intl.NumberFormat("en", { maximumSignificantDigits: 3 });

const byId = (id) => document.getElementById(id);

function fill(node, attributes, children) {
  for (const [name, value] of Object.entries(attributes)) {
    node.setAttribute(name, value);
  }
  node.append(...children);
  return node;
}

function element(tag, attributes = {}, ...children) {
  return fill(document.createElement(tag), attributes, children);
}

function svgElement(tag, attributes = {}, ...children) {
  return fill(document.createElementNS(SVG, tag), attributes, children);
}

function span(name, ...children) {
  return element("span", { class: name }, ...children);
}

/** Return a name as nodes that may be broken after its punctuation. */
function breakable(name) {
  const pieces = name.split(/(?<=[./_-])(?=[^./_-])/);
  return pieces.flatMap((piece, i) => (i > 0 ? [element("wbr"), piece] : [piece]));
}

/** Draw parts of 1 on top of each other, the longest first. */
function bar(...parts) {
  const lengths = parts.map(([name, part]) =>
    svgElement("rect", { class: name, width: 100 * part, height: 10 }),
  );
  return svgElement(
    "svg",
    {
      class: "bar-line",
      viewBox: "0 0 100 10",
      preserveAspectRatio: "none",
      "aria-hidden": "true",
    },
    ...lengths,
  );
}

/** Write a number of tokens, or a sum of weights. */
function formatCount(number) {
  return Number.isInteger(number) || number >= 100
    ? WHOLE.format(number)
    : SHORT.format(number);
}

function formatPart(part) {
  const percent = 100 * part;
  if (percent > 0 && percent < 0.1) return "<0.1%";
  return `${percent.toFixed(percent < 9.95 ? 1 : 0)}%`;
}

// --- the model ---------------------------------------------------------------------

// The model, read from the JSON in this page.

const FULL = 255; // stands for a part of 1
const ARRAYS = {
  uint8: Uint8Array,
  uint16: Uint16Array,
  uint32: Uint32Array,
  float32: Float32Array,
};

const stored = JSON.parse(byId("data").textContent);

function unpack({ type, base64 }) {
  const bytes = Uint8Array.from(atob(base64), (byte) => byte.charCodeAt(0));
  return new ARRAYS[type](bytes.buffer);
}

/** Return a function from a row to its topics, the largest part first. */
function sparseRows({ n_topics, topics, parts }) {
  const columns = unpack(topics);
  const values = unpack(parts);
  const ends = [0];
  for (const size of unpack(n_topics)) ends.push(ends[ends.length - 1] + size);
  return (row) => {
    const found = [];
    for (let i = ends[row]; i < ends[row + 1]; i += 1) {
      found.push({ topic: columns[i], part: values[i] / FULL });
    }
    return found.sort((a, b) => b.part - a.part || a.topic - b.topic);
  };
}

const shares = stored.topics.shares;
const positions = stored.topics.positions;
const explained = stored.topics.explained;
const topicNames = stored.topics.names; // null without a name
const nTopics = shares.length;
const empty = new Set(stored.topics.empty); // topics without a token

const words = stored.words.names;
const wordCounts = unpack(stored.words.counts);
const weights = stored.words.weights;
const topicsOfWord = sparseRows(stored.words);
const ranking = unpack(stored.words.ranking);

const texts = stored.documents.texts;
const dates = stored.documents.dates;
const lengths = unpack(stored.documents.lengths);
const nDocuments = lengths.length;
const topicsOfDocument = sparseRows(stored.documents);
const typical = unpack(stored.documents.typical);

const classes = stored.classes;
const groups = stored.groups && {
  ...stored.groups,
  sizes: unpack(stored.groups.sizes),
  members: unpack(stored.groups.members),
  shares: unpack(stored.groups.shares),
};

/** Return the most relevant words of a topic for a weight, given by its index. */
function rankedWords(topic, weightIndex) {
  if (empty.has(topic)) return [];
  const n = stored.words.n_ranked;
  const start = (topic * weights.length + weightIndex) * n;
  return [...ranking.subarray(start, start + n)];
}

function typicalDocuments(topic) {
  if (empty.has(topic)) return [];
  const n = stored.documents.n_typical;
  return [...typical.subarray(topic * n, (topic + 1) * n)];
}

function partOf(topic, row) {
  const found = row.find((one) => one.topic === topic);
  return found ? found.part : 0;
}

/** Return the date of a document, or the name of its group, if it has either. */
function groupOf(doc) {
  return dates?.[doc] ?? groups?.names[groups.members[doc]] ?? null;
}

// --- what is chosen ----------------------------------------------------------------

// What is chosen. It is kept in the address, so that a view can be sent and the
// button "Back" of the browser works.

const DEFAULTS = {
  topic: shares.indexOf(Math.max(...shares)),
  weight: 6, // index of 0.6
  word: null,
  doc: null,
};

const state = { ...DEFAULTS, labels: new Map() };

function index(text, size, otherwise) {
  return /^\d+$/.test(text ?? "") && Number(text) < size ? Number(text) : otherwise;
}

function read() {
  const given = new URLSearchParams(location.hash.slice(1));
  const weight = weights.indexOf(Number(given.get("relevance") ?? "none"));
  const word = words.indexOf(given.get("word"));
  state.topic = index(given.get("topic"), nTopics, DEFAULTS.topic);
  state.weight = weight < 0 ? DEFAULTS.weight : weight;
  state.word = word < 0 ? DEFAULTS.word : word;
  state.doc = index(given.get("document"), nDocuments, DEFAULTS.doc);
  state.labels = new Map();
  for (const [name, label] of given) {
    const topic = index(name.match(/^label(\d+)$/)?.[1], nTopics, null);
    if (topic !== null) state.labels.set(topic, label);
  }
}

function address({ topic, weight, word, doc, labels }) {
  const parts = new URLSearchParams({ topic });
  if (weight !== DEFAULTS.weight) parts.set("relevance", weights[weight]);
  if (word !== null) parts.set("word", words[word]);
  if (doc !== null) parts.set("document", doc);
  for (const [k, label] of labels) parts.set(`label${k}`, label);
  return `#${parts}`;
}

/** Change what is chosen; with `replace`, "Back" does not return to what was. */
function go(changes, { replace = false } = {}) {
  const next = address({ ...state, ...changes });
  if (replace) location.replace(next);
  else location.hash = next;
}

/** Call a function now and after each change. */
function onChange(render) {
  const update = () => {
    read();
    render();
  };
  window.addEventListener("hashchange", update);
  update();
}

// --- lists of options --------------------------------------------------------------

// A list of which one option can be chosen, by a click or by the keyboard.

const STEPS = { ArrowDown: 1, ArrowUp: -1 };

/** Scroll a list, and nothing around it, until an option is visible. */
function reveal(list, option) {
  const above = option.offsetTop - list.scrollTop;
  const below = above + option.offsetHeight - list.clientHeight;
  if (above < 0) list.scrollTop += above;
  else if (below > 0) list.scrollTop += below;
}

/**
 * Make a list of a container.
 *
 * `choose(value, byArrow)` is called for the option that is clicked or entered and, if
 * `follows`, for each that the arrow keys reach. Keys are those of `keys`, by default
 * the container.
 */
function makeListbox(container, { label, choose, follows, keys = container }) {
  let values = [];
  let active = -1;
  container.setAttribute("role", "listbox");
  container.setAttribute("aria-label", label);
  if (keys === container) container.tabIndex = 0;

  function activate(i) {
    container.children[active]?.classList.remove("active");
    active = i;
    const option = container.children[i];
    if (!option) return keys.removeAttribute("aria-activedescendant");
    option.classList.add("active");
    keys.setAttribute("aria-activedescendant", option.id);
    return reveal(container, option);
  }

  function target(key) {
    const last = values.length - 1;
    if (key in STEPS) return Math.min(Math.max(active + STEPS[key], 0), last);
    if (keys !== container) return -1; // a field of text has its own Home and End
    return { Home: 0, End: last }[key] ?? -1;
  }

  function onKey(event) {
    const enters = event.key === "Enter" || (event.key === " " && keys === container);
    const next = target(event.key);
    if (values.length === 0 || event.ctrlKey || event.metaKey || event.altKey) return;
    if (enters && active >= 0) choose(values[active], false);
    else if (next >= 0) {
      activate(next);
      if (follows) choose(values[next], true);
    } else return;
    event.preventDefault();
  }

  function onClick(event) {
    const option = event.target.closest('[role="option"]');
    if (!option) return;
    const i = [...container.children].indexOf(option);
    activate(i);
    choose(values[i], false);
  }

  keys.addEventListener("keydown", onKey);
  container.addEventListener("click", onClick);

  return {
    /** Show options: { value, nodes, title }; one of them may be selected. */
    show(options, selected = null) {
      const kept = Math.min(active, options.length - 1);
      values = options.map((option) => option.value);
      const nodes = options.map((option, i) => {
        const node = element("div", {
          role: "option",
          id: `${container.id}-${i}`,
          class: "option",
          "aria-selected": String(option.value === selected),
        });
        if (option.title) node.title = option.title;
        node.append(...option.nodes);
        return node;
      });
      container.replaceChildren(...nodes);
      const place = values.indexOf(selected);
      activate(place >= 0 ? place : kept);
    },
    /** Move the keyboard to the first option, or to none. */
    restart(i = 0) {
      activate(i < values.length ? i : -1);
      container.scrollTop = 0;
    },
  };
}

// --- names of topics ---------------------------------------------------------------

// Names of topics: edited in this page, given, or their most relevant words.
//
// The address has the edited ones, so that a view can be sent, and the browser stores
// them for the next visit, under the original names: other models have others.

const WEIGHT_OF_NAMES = 6; // index of 0.6
const WORDS_IN_NAME = 3;

function originalLabel(topic) {
  if (topicNames[topic] !== null) return topicNames[topic];
  const top = rankedWords(topic, WEIGHT_OF_NAMES).slice(0, WORDS_IN_NAME);
  return top.map((word) => words[word]).join(", ") || "(no tokens)";
}

function labelOf(topic) {
  return state.labels.get(topic) ?? originalLabel(topic);
}

function originalLabels() {
  return topicNames.map((_, topic) => originalLabel(topic));
}

/** Call a function with what the browser stores, which it may refuse. */
function withStorage(use) {
  try {
    return use(window.localStorage, `labels of ${JSON.stringify(originalLabels())}`);
  } catch {
    return undefined;
  }
}

/** Rename a topic; an empty label brings the original back. */
function rename(topic, text) {
  const label = text.trim();
  const labels = new Map(state.labels);
  if (label === "" || label === originalLabel(topic)) labels.delete(topic);
  else labels.set(topic, label);
  withStorage((storage, key) => {
    if (labels.size > 0) storage.setItem(key, JSON.stringify([...labels]));
    else storage.removeItem(key);
  });
  go({ labels });
}

/** Restore the labels of the last visit, unless the address has some. */
function restoreLabels() {
  const labels = withStorage(
    (storage, key) => new Map(JSON.parse(storage.getItem(key))),
  );
  if (labels?.size > 0 && state.labels.size === 0) go({ labels }, { replace: true });
}

/** Hand the names of topics to the browser as a file, for name_topics. */
function saveLabels() {
  const labels = topicNames.map((name, topic) => state.labels.get(topic) ?? name);
  const text = `${JSON.stringify(labels, null, 1)}\n`;
  const url = URL.createObjectURL(new Blob([text], { type: "application/json" }));
  element("a", { href: url, download: "labels.json" }).click();
  setTimeout(() => URL.revokeObjectURL(url), 1000);
}

function setUpLabels() {
  const field = byId("label");
  field.addEventListener("change", () => rename(state.topic, field.value));
  field.addEventListener("keydown", (event) => {
    if (event.key === "Enter") field.blur();
  });
  byId("save-labels").addEventListener("click", saveLabels);
}

function showLabel() {
  const field = byId("label");
  field.value = labelOf(state.topic);
  field.title = field.value;
  field.setAttribute("aria-label", `Label of topic ${state.topic}`);
}

// --- lists of topics ---------------------------------------------------------------

// Lists of topics: all of them, and those of a word or of a document.

let topicList = null;

/** Return a row with the label of a topic and a bar. */
function topicOption(topic, part, longest) {
  return {
    value: topic,
    nodes: [
      span("number", String(topic)),
      span("label", labelOf(topic)),
      span("figure", formatPart(part)),
      bar(["part", part / longest]),
    ],
  };
}

/** Choose a topic; where it stands below the map and the lists, a click scrolls to it. */
function chooseTopic(topic, byArrow) {
  const heading = byId("topic-number");
  const isFar = heading.getBoundingClientRect().top > 0.7 * window.innerHeight;
  if (!byArrow && isFar) heading.scrollIntoView();
  go({ topic }, { replace: byArrow });
}

function setUpTopics() {
  topicList = makeListbox(byId("topics"), {
    label: "Topics",
    choose: chooseTopic,
    follows: true,
  });
  byId("order").addEventListener("change", showTopics);
}

function showTopics() {
  const topics = Array.from({ length: nTopics }, (_, topic) => topic);
  if (byId("order").value === "share") topics.sort((a, b) => shares[b] - shares[a]);
  const longest = Math.max(...shares);
  const options = topics.map((topic) => topicOption(topic, shares[topic], longest));
  topicList.show(options, state.topic);
}

// --- the map -----------------------------------------------------------------------

// The map: similar topics are close, areas are shares.

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

/** Return all topics, the largest first. */
function bySize() {
  return circles.map((_, k) => k).sort((a, b) => shares[b] - shares[a]);
}

/** Return the topics whose numbers fit beside those of the chosen and larger topics. */
function numbered() {
  const width = 3 + 7 * String(nTopics - 1).length;
  const fitting = new Set([state.topic]);
  for (const k of bySize()) {
    const isFree = [...fitting].every(
      (other) =>
        Math.abs(circles[k].x - circles[other].x) > width ||
        Math.abs(circles[k].y - circles[other].y) > 12,
    );
    if (isFree) fitting.add(k);
  }
  return fitting;
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
function drawNumber(k) {
  const { x, y } = circles[k];
  const place = { id: `number-${k}`, x, y, dy: "0.35em", "aria-hidden": "true" };
  return svgElement("text", place, String(k));
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

function onMapKey(event) {
  if (!(event.key in DIRECTIONS) || event.ctrlKey || event.altKey || event.metaKey)
    return;
  event.preventDefault();
  chooseTopic(neighbour(state.topic, DIRECTIONS[event.key]), true);
}

function onMapClick(event) {
  const node = event.target.closest("[data-topic]");
  if (node) chooseTopic(Number(node.dataset.topic), false);
}

function setUpMap() {
  const { placed, height } = layOut();
  circles = placed;
  svg = svgElement("svg", {
    viewBox: `0 0 ${SIZE} ${height}`,
    role: "listbox",
    tabindex: 0,
    "aria-label": "Map of topics; arrow keys move to the next topic",
  });
  // Small circles are drawn last, where large ones cannot cover them.
  svg.append(...bySize().map(drawTopic));
  svg.append(...bySize().map(drawNumber));
  svg.addEventListener("keydown", onMapKey);
  svg.addEventListener("click", onMapClick);
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

function mapNote() {
  const areas = "Areas show the share of all tokens";
  if (state.word !== null) return `${areas}, filled areas the topics of the word.`;
  if (state.doc !== null) return `${areas}, filled areas the topics of the document.`;
  const axes = `the two axes explain ${formatPart(explained[0] + explained[1])}`;
  return `${areas}. Topics with similar words are close; ${axes} of all differences.`;
}

function showMap() {
  const parts = emphasis();
  const fitting = numbered();
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
    number.classList.toggle("crowded", !fitting.has(k));
  }
  svg.setAttribute("aria-activedescendant", `map-${state.topic}`);
  byId("map-note").textContent = mapNote();
}

// --- words -------------------------------------------------------------------------

// The words of a topic, and the topics of a word.

let wordList = null;

function setUpWords() {
  wordList = makeListbox(byId("words"), {
    label: "Words of the topic",
    choose: (word) => go({ word, doc: null }),
  });
  const slider = byId("relevance");
  slider.max = weights.length - 1;
  slider.addEventListener("input", () =>
    go({ weight: Number(slider.value) }, { replace: true }),
  );
}

function wordOption(word, largest) {
  const part = partOf(state.topic, topicsOfWord(word));
  const count = wordCounts[word];
  const inTopic = count * part;
  const text = `${formatCount(Math.round(inTopic))} of ${formatCount(count)}`;
  return {
    value: word,
    title: `${words[word]}: ${text} in this topic`,
    nodes: [
      span("label", ...breakable(words[word])),
      bar(["all", count / largest], ["part", inTopic / largest]),
      span("figure", formatPart(part)),
    ],
  };
}

function showWords() {
  const shown = rankedWords(state.topic, state.weight);
  const largest = Math.max(...shown.map((word) => wordCounts[word])) || 1;
  wordList.show(
    shown.map((word) => wordOption(word, largest)),
    state.word,
  );
  const weight = weights[state.weight].toFixed(1);
  const slider = byId("relevance");
  slider.value = state.weight;
  slider.setAttribute("aria-valuetext", weight);
  byId("relevance-value").textContent = `λ = ${weight}`;
}

// --- documents and details ---------------------------------------------------------

// The most typical documents of a topic, with its words marked, and the panel that
// shows a word or a document in detail.

// What may not stand beside a marked word: letters of scripts that part words by
// spaces, digits and underscores.
const UNSPACED =
  "\\p{Script=Han}\\p{Script=Hiragana}\\p{Script=Katakana}\\p{Script=Thai}";
const INSIDE = `(?![${UNSPACED}])[\\p{L}\\p{N}_]`;

const COLOURED = 8; // topics of a document with a colour, as many as a reader can tell
const HUE_STEP = 137; // degrees, after which hues stay far apart

const wordOf = new Map(words.map((word, i) => [word.toLowerCase(), i]));

let documentList = null;
let detailList = null;
let opened = null;

/** Return a pattern that finds the words of the topic in a text. */
function pattern() {
  const found = rankedWords(state.topic, state.weight)
    .map((word) => words[word])
    .sort((a, b) => b.length - a.length)
    .map((word) => word.replace(/[.*+?^${}()|[\]\\/]/g, "\\$&").replace(/ /g, "\\s"));
  const any = found.filter((word) => word !== "").join("|");
  return any ? new RegExp(`(?<!${INSIDE})(${any})(?!${INSIDE})`, "giu") : /(?!)()/;
}

/** Return a text as nodes, in which the words of the topic are marked. */
function marked(text, wanted) {
  return text
    .split(wanted)
    .map((piece, i) => (i % 2 ? element("mark", {}, piece) : piece));
}

/** Give an element the colour of the topic at a place in the list of a document. */
function colour(node, place) {
  node.classList.add("coloured");
  node.style.setProperty("--hue", (place * HUE_STEP) % 360);
}

/** Return the topic that most probably has the tokens of a word in a document. */
function likelyTopic(word, row) {
  // p(k | w, d) is proportional to p(k | d) p(w | k), and so to p(k | d) p(k | w) / p(k).
  const found = topicsOfWord(word).map(({ topic, part }) => ({
    topic,
    weight: shares[topic] > 0 ? (part * partOf(topic, row)) / shares[topic] : 0,
  }));
  const best = found.sort((a, b) => b.weight - a.weight)[0];
  return best?.weight > 0 ? best.topic : null;
}

/** Return a text as nodes, in which words have the colours of their topics. */
function colouredWords(text, row) {
  return text.split(/([\p{L}\p{M}\p{N}_]+)/u).map((piece, i) => {
    const word = i % 2 ? wordOf.get(piece.toLowerCase()) : undefined;
    const topic = word === undefined ? null : likelyTopic(word, row);
    const place = row.findIndex((one) => one.topic === topic);
    if (place < 0 || place >= COLOURED) return piece;
    const mark = element("mark", { title: `Topic ${topic}: ${labelOf(topic)}` }, piece);
    colour(mark, place);
    return mark;
  });
}

function sizeOf(doc) {
  return `${formatCount(lengths[doc])} tokens`;
}

function documentOption(doc, wanted) {
  const part = partOf(state.topic, topicsOfDocument(doc));
  const about = groupOf(doc) ?? sizeOf(doc);
  return {
    value: doc,
    nodes: [
      span("label", `Document\u00a0${doc}`, span("about", about)),
      span("figure", formatPart(part)),
      bar(["part", part]),
      span("text", ...marked(texts?.[doc] ?? "", wanted)),
    ],
  };
}

function setUpDocuments() {
  documentList = makeListbox(byId("documents"), {
    label: "Most typical documents of the topic",
    choose: (doc) => go({ doc, word: null }),
  });
  detailList = makeListbox(byId("detail-topics"), {
    label: "Topics of this word or document",
    choose: chooseTopic,
  });
  byId("close").addEventListener("click", closeDetail);
  byId("colours").addEventListener("change", showDocuments);
  document.addEventListener("keydown", (event) => {
    if (event.key === "Escape" && !byId("detail").hidden) closeDetail();
  });
}

function closeDetail() {
  const back = byId(state.word === null ? "documents" : "words");
  go({ word: null, doc: null });
  back.focus();
}

function showDocuments() {
  const wanted = pattern();
  const shown = typicalDocuments(state.topic);
  documentList.show(
    shown.map((doc) => documentOption(doc, wanted)),
    state.doc,
  );
  const detail = byId("detail");
  detail.hidden = state.word === null && state.doc === null;
  if (state.word !== null) showWord(state.word);
  else if (state.doc !== null) showDocument(state.doc, wanted);
  // On a narrow screen the panel is far from what opens it.
  const title = byId("detail-title").textContent;
  const block = detail.offsetHeight > window.innerHeight ? "start" : "nearest";
  if (!detail.hidden && opened !== title) detail.scrollIntoView({ block });
  opened = detail.hidden ? null : title;
}

function showDetail(title, note, nodes, caption, row) {
  byId("detail-title").textContent = title;
  byId("detail-note").textContent = note;
  byId("detail-text").replaceChildren(...nodes);
  byId("detail-text").hidden = nodes.length === 0;
  byId("detail-caption").textContent = caption;
  const longest = row.length > 0 ? row[0].part || 1 : 1;
  const options = row.map(({ topic, part }) => topicOption(topic, part, longest));
  detailList.show(options, state.topic);
  byId("colours-label").hidden = nodes.length === 0;
}

function showWord(word) {
  const note = `${formatCount(wordCounts[word])} tokens in all documents`;
  const caption = "Share of each topic in these tokens, from 1%";
  showDetail(words[word], note, [], caption, topicsOfWord(word));
}

function showDocument(doc, wanted) {
  const text = texts?.[doc] ?? "";
  const about = [groupOf(doc), sizeOf(doc)].filter((one) => one !== null);
  if (text.endsWith("…")) about.push("beginning of the text");
  const row = topicsOfDocument(doc);
  const note = about.join(" · ");
  const hasColours = text !== "" && byId("colours").checked;
  let nodes = text ? marked(text, wanted) : [];
  if (hasColours) nodes = colouredWords(text, row);
  showDetail(`Document ${doc}`, note, nodes, "Its topics, from 1%", row);
  if (!hasColours) return;
  const numbers = [...byId("detail-topics").querySelectorAll(".number")];
  numbers.slice(0, COLOURED).forEach(colour);
}

// --- groups and classes ------------------------------------------------------------

// Shares of a topic in groups of documents or over time, and its weights for classes.

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
    .sort((a, b) => b.weight - a.weight);
  const all = classes.weights.flat().map(Math.abs);
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
  if (!groups.are_dates)
    return `Share from ${groups.names[0]} to ${groups.names.at(-1)}`;
  const undated = groups.members.filter((group) => group < 0).length;
  if (undated === 0) return "Share over time";
  return `Share over time; documents without a date: ${formatCount(undated)}`;
}

function setUpGroups() {
  byId("groups-panel").hidden = groups === null;
  byId("groups-title").textContent = groups ? titleOfGroups() : "";
  byId("classes-panel").hidden = classes === null;
  if (classes === null) return;
  const against = classes.other === null ? "against it" : `for “${classes.other}”`;
  byId("classes-note").textContent =
    `Weights of the topic: bars to the right speak for the class, bars to the left ${against}.`;
}

function showGroupsAndClasses() {
  if (groups) showGroups();
  if (classes) showClasses();
}

// --- search ------------------------------------------------------------------------

// One field that finds topics, words and documents.

const MOST = 6; // results of each kind

let resultList = null;

const lower = words.map((word) => word.toLowerCase());

function result(changes, kind, text, figure = "") {
  return {
    value: changes,
    nodes: [span("kind", kind), span("label", text), span("figure", figure)],
  };
}

function findTopics(query) {
  const found = [];
  for (let k = 0; k < nTopics; k += 1) {
    const isNumber = String(k) === query.replace(/^topic\s+/, "");
    if (isNumber || labelOf(k).toLowerCase().includes(query)) found.push(k);
  }
  return found
    .slice(0, MOST)
    .map((topic) =>
      result(
        { topic },
        "topic",
        `${topic}: ${labelOf(topic)}`,
        formatPart(shares[topic]),
      ),
    );
}

function findWords(query) {
  const rank = (word) => (lower[word] === query ? 2 : lower[word].startsWith(query));
  const found = [];
  lower.forEach((text, word) => {
    if (text.includes(query)) found.push(word);
  });
  found.sort((a, b) => rank(b) - rank(a) || wordCounts[b] - wordCounts[a]);
  return found
    .slice(0, MOST)
    .map((word) => result({ word, doc: null }, "word", words[word]));
}

function findDocuments(query) {
  const number = query.match(/^(?:document\s+)?(\d+)$/)?.[1];
  const found = number && Number(number) < nDocuments ? [Number(number)] : [];
  for (let doc = 0; texts && doc < nDocuments && found.length < MOST; doc += 1) {
    if (texts[doc].toLowerCase().includes(query) && !found.includes(doc)) {
      found.push(doc);
    }
  }
  return found.map((doc) =>
    result({ doc, word: null }, "document", excerpt(doc, query)),
  );
}

/** Return the number of a document and what stands around the query. */
function excerpt(doc, query) {
  const text = texts?.[doc] ?? "";
  const start = Math.max(text.toLowerCase().indexOf(query) - 24, 0);
  const end = start + 90;
  const before = start > 0 ? "…" : "";
  const after = end < text.length ? "…" : "";
  return `${doc} ${before}${text.slice(start, end)}${after}`;
}

function closeResults() {
  const field = byId("search");
  byId("results").hidden = true;
  field.setAttribute("aria-expanded", "false");
  field.removeAttribute("aria-activedescendant");
}

function search() {
  const field = byId("search");
  const query = field.value.trim().toLowerCase();
  if (query === "") return closeResults();
  const found = [...findTopics(query), ...findWords(query), ...findDocuments(query)];
  byId("results").hidden = false;
  field.setAttribute("aria-expanded", "true");
  resultList.show(found);
  resultList.restart();
  const count = found.length === 0 ? "Nothing found" : `${found.length} results`;
  byId("status").textContent = count;
  if (found.length === 0) byId("results").textContent = "Nothing found";
  return undefined;
}

function setUpSearch() {
  const field = byId("search");
  resultList = makeListbox(byId("results"), {
    label: "Results",
    keys: field,
    choose: (changes) => {
      field.value = "";
      closeResults();
      if ("topic" in changes) chooseTopic(changes.topic, false);
      else go(changes);
    },
  });
  field.addEventListener("input", search);
  field.addEventListener("focus", search);
  field.addEventListener("keydown", (event) => {
    if (event.key !== "Escape") return;
    event.stopPropagation();
    closeResults();
  });
  document.addEventListener("pointerdown", (event) => {
    if (!event.target.closest(".search")) closeResults();
  });
  field.addEventListener("blur", () => setTimeout(closeResults, 150));
}

// --- the whole page ----------------------------------------------------------------

// The whole page: what is on it, and what a change does.

const pageTitle = document.title;
let said = null;

function showHeading() {
  byId("topic-number").textContent = state.topic;
  const share = formatPart(shares[state.topic]);
  byId("topic-share").textContent = `${share} of all tokens`;
  document.title = `${state.topic}: ${labelOf(state.topic)} – ${pageTitle}`;
}

/** Tell a screen reader what has changed, and nothing when the page opens. */
function announce() {
  let text = `Topic ${state.topic}, ${labelOf(state.topic)}`;
  if (state.word !== null) text = `Word ${words[state.word]}. ${text}`;
  else if (state.doc !== null) text = `Document ${state.doc}. ${text}`;
  if (said !== null && said !== text) byId("status").textContent = text;
  said = text;
}

function render() {
  showHeading();
  showLabel();
  showMap(); // whose note leaves the rest of the height to the list
  showTopics();
  showWords();
  showGroupsAndClasses();
  showDocuments(); // last, because it may scroll to what it shows
  announce();
}

function setTheme(isDark) {
  document.documentElement.dataset.theme = isDark ? "dark" : "light";
  byId("theme").textContent = isDark ? "Light" : "Dark";
  byId("theme").setAttribute("aria-label", isDark ? "Light colours" : "Dark colours");
}

function setUpTheme() {
  const system = window.matchMedia("(prefers-color-scheme: dark)");
  setTheme(system.matches);
  system.addEventListener("change", () => setTheme(system.matches));
  byId("theme").addEventListener("click", () =>
    setTheme(document.documentElement.dataset.theme !== "dark"),
  );
}

function showSummary() {
  const tokens = lengths.reduce((sum, length) => sum + length, 0);
  byId("summary").textContent =
    `${formatCount(nTopics)} topics · ${formatCount(nDocuments)} documents · ` +
    `${formatCount(words.length)} words · ${formatCount(Math.round(tokens))} tokens`;
}

showSummary();
setUpTheme();
setUpLabels();
setUpTopics();
setUpMap();
setUpWords();
setUpDocuments();
setUpGroups();
setUpSearch();
onChange(render);
restoreLabels();
