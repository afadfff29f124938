// One field that finds topics, words and documents.

import { nDocuments, nTopics, shares, texts, wordCounts, words } from "./data.js";
import { byId, formatPart, span } from "./dom.js";
import { labelOf } from "./labels.js";
import { makeListbox } from "./listbox.js";
import { go } from "./state.js";

const MOST = 6; // results of each kind

let list = null;

const lower = words.map((word) => word.toLowerCase());

function option(changes, kind, text, figure = "") {
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
      option(
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
    .map((word) => option({ word, doc: null }, "word", words[word]));
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
    option({ doc, word: null }, "document", excerpt(doc, query)),
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

function close() {
  const field = byId("search");
  byId("results").hidden = true;
  field.setAttribute("aria-expanded", "false");
  field.removeAttribute("aria-activedescendant");
}

function find() {
  const field = byId("search");
  const query = field.value.trim().toLowerCase();
  if (query === "") return close();
  const found = [...findTopics(query), ...findWords(query), ...findDocuments(query)];
  byId("results").hidden = false;
  field.setAttribute("aria-expanded", "true");
  list.show(found);
  list.restart();
  const count = found.length === 0 ? "Nothing found" : `${found.length} results`;
  byId("status").textContent = count;
  if (found.length === 0) byId("results").textContent = "Nothing found";
  return undefined;
}

export function setUpSearch() {
  const field = byId("search");
  list = makeListbox(byId("results"), {
    label: "Results",
    keys: field,
    choose: (changes) => {
      field.value = "";
      close();
      go(changes);
    },
  });
  field.addEventListener("input", find);
  field.addEventListener("focus", find);
  field.addEventListener("keydown", (event) => {
    if (event.key !== "Escape") return;
    event.stopPropagation();
    close();
  });
  document.addEventListener("pointerdown", (event) => {
    if (!event.target.closest(".search")) close();
  });
  field.addEventListener("blur", () => setTimeout(close, 150));
}
