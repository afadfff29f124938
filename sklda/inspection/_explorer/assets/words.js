// The words of a topic, and the topics of a word.

import {
  partOf,
  rankedWords,
  topicsOfWord,
  weights,
  wordCounts,
  words,
} from "./data.js";
import { bar, breakable, byId, formatCount, formatPart, span } from "./dom.js";
import { makeListbox } from "./listbox.js";
import { go, state } from "./state.js";

let list = null;

export function setUpWords() {
  list = makeListbox(byId("words"), {
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

export function showWords() {
  const shown = rankedWords(state.topic, state.weight);
  const largest = Math.max(...shown.map((word) => wordCounts[word])) || 1;
  list.show(
    shown.map((word) => wordOption(word, largest)),
    state.word,
  );
  const weight = weights[state.weight].toFixed(1);
  const slider = byId("relevance");
  slider.value = state.weight;
  slider.setAttribute("aria-valuetext", weight);
  byId("relevance-value").textContent = `λ = ${weight}`;
}
