// Lists of topics: all of them, and those of a word or of a document.

import { nTopics, shares } from "./data.js";
import { bar, byId, formatPart, span } from "./dom.js";
import { labelOf } from "./labels.js";
import { makeListbox } from "./listbox.js";
import { go, state } from "./state.js";

let list = null;

/** Return a row with the label of a topic and a bar. */
export function topicOption(topic, part, longest) {
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

export const chooseTopic = (topic, byArrow) => go({ topic }, { replace: byArrow });

export function setUpTopics() {
  list = makeListbox(byId("topics"), {
    label: "Topics",
    choose: chooseTopic,
    follows: true,
  });
  byId("order").addEventListener("change", showTopics);
}

export function showTopics() {
  const topics = Array.from({ length: nTopics }, (_, topic) => topic);
  if (byId("order").value === "share") topics.sort((a, b) => shares[b] - shares[a]);
  const longest = Math.max(...shares);
  const options = topics.map((topic) => topicOption(topic, shares[topic], longest));
  list.show(options, state.topic);
}
