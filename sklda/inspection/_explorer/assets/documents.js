// The most typical documents of a topic, with its words marked, and the panel that
// shows a word or a document in detail.

import {
  groupOf,
  lengths,
  partOf,
  rankedWords,
  texts,
  topicsOfDocument,
  topicsOfWord,
  typicalDocuments,
  wordCounts,
  words,
} from "./data.js";
import { bar, byId, element, formatCount, formatPart, span } from "./dom.js";
import { makeListbox } from "./listbox.js";
import { go, state } from "./state.js";
import { chooseTopic, topicOption } from "./topics.js";

// What may not stand beside a marked word: letters of scripts that part words by
// spaces, digits and underscores.
const UNSPACED =
  "\\p{Script=Han}\\p{Script=Hiragana}\\p{Script=Katakana}\\p{Script=Thai}";
const INSIDE = `(?![${UNSPACED}])[\\p{L}\\p{N}_]`;

let list = null;
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

export function setUpDocuments() {
  list = makeListbox(byId("documents"), {
    label: "Most typical documents of the topic",
    choose: (doc) => go({ doc, word: null }),
  });
  detailList = makeListbox(byId("detail-topics"), {
    label: "Topics of this word or document",
    choose: chooseTopic,
  });
  byId("close").addEventListener("click", close);
  document.addEventListener("keydown", (event) => {
    if (event.key === "Escape" && !byId("detail").hidden) close();
  });
}

function close() {
  const back = byId(state.word === null ? "documents" : "words");
  go({ word: null, doc: null });
  back.focus();
}

export function showDocuments() {
  const wanted = pattern();
  const shown = typicalDocuments(state.topic);
  list.show(
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
  const nodes = text ? marked(text, wanted) : [];
  const row = topicsOfDocument(doc);
  showDetail(`Document ${doc}`, about.join(" · "), nodes, "Its topics, from 1%", row);
}
