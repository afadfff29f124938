// What is chosen. It is kept in the address, so that a view can be sent and the
// button "Back" of the browser works.

import { nDocuments, nTopics, shares, weights, words } from "./data.js";

const DEFAULTS = {
  topic: shares.indexOf(Math.max(...shares)),
  weight: 6, // index of 0.6
  word: null,
  doc: null,
};

export const state = { ...DEFAULTS, labels: new Map() };

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
export function go(changes, { replace = false } = {}) {
  const next = address({ ...state, ...changes });
  if (replace) location.replace(next);
  else location.hash = next;
}

/** Call a function now and after each change. */
export function onChange(render) {
  const update = () => {
    read();
    render();
  };
  window.addEventListener("hashchange", update);
  update();
}
