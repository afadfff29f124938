// The whole page: what is on it, and what a change does.

import { lengths, nDocuments, nTopics, shares, words } from "./data.js";
import { setUpDocuments, showDocuments } from "./documents.js";
import { byId, formatCount, formatPart } from "./dom.js";
import { setUpGroups, showGroupsAndClasses } from "./groups.js";
import { labelOf, restoreLabels, setUpLabels, showLabel } from "./labels.js";
import { setUpMap, showMap } from "./map.js";
import { setUpSearch } from "./search.js";
import { onChange, state } from "./state.js";
import { setUpTopics, showTopics } from "./topics.js";
import { setUpWords, showWords } from "./words.js";

const name = document.title;
let said = null;

function showHeading() {
  byId("topic-number").textContent = state.topic;
  const share = formatPart(shares[state.topic]);
  byId("topic-share").textContent = `${share} of all tokens`;
  document.title = `${state.topic}: ${labelOf(state.topic)} – ${name}`;
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
