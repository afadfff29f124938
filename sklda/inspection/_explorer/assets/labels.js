// Names of topics: edited in this page, given, or their most relevant words.
//
// The address has the edited ones, so that a view can be sent, and the browser stores
// them for the next visit, under the original names: other models have others.

import { rankedWords, topicNames, words } from "./data.js";
import { byId, element } from "./dom.js";
import { go, state } from "./state.js";

const WEIGHT_OF_NAMES = 6; // index of 0.6
const WORDS_IN_NAME = 3;

function originalLabel(topic) {
  if (topicNames[topic] !== null) return topicNames[topic];
  const top = rankedWords(topic, WEIGHT_OF_NAMES).slice(0, WORDS_IN_NAME);
  return top.map((word) => words[word]).join(", ") || "(no tokens)";
}

export function labelOf(topic) {
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
export function restoreLabels() {
  const labels = withStorage(
    (storage, key) => new Map(JSON.parse(storage.getItem(key))),
  );
  if (labels?.size > 0 && state.labels.size === 0) go({ labels }, { replace: true });
}

/** Hand the names of topics to the browser as a file, for name_topics. */
function save() {
  const labels = topicNames.map((name, topic) => state.labels.get(topic) ?? name);
  const text = `${JSON.stringify(labels, null, 1)}\n`;
  const url = URL.createObjectURL(new Blob([text], { type: "application/json" }));
  element("a", { href: url, download: "labels.json" }).click();
  setTimeout(() => URL.revokeObjectURL(url), 1000);
}

export function setUpLabels() {
  const field = byId("label");
  field.addEventListener("change", () => rename(state.topic, field.value));
  field.addEventListener("keydown", (event) => {
    if (event.key === "Enter") field.blur();
  });
  byId("save-labels").addEventListener("click", save);
}

export function showLabel() {
  const field = byId("label");
  field.value = labelOf(state.topic);
  field.title = field.value;
  field.setAttribute("aria-label", `Label of topic ${state.topic}`);
}
