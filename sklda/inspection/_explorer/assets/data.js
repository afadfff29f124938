// The model, read from the JSON in this page.

import { byId } from "./dom.js";

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

export const shares = stored.topics.shares;
export const positions = stored.topics.positions;
export const explained = stored.topics.explained;
export const topicNames = stored.topics.names; // null without a name
export const nTopics = shares.length;
const empty = new Set(stored.topics.empty); // topics without a token

export const words = stored.words.names;
export const wordCounts = unpack(stored.words.counts);
export const weights = stored.words.weights;
export const topicsOfWord = sparseRows(stored.words);
const ranking = unpack(stored.words.ranking);

export const texts = stored.documents.texts;
const dates = stored.documents.dates;
export const lengths = unpack(stored.documents.lengths);
export const nDocuments = lengths.length;
export const topicsOfDocument = sparseRows(stored.documents);
const typical = unpack(stored.documents.typical);

export const classes = stored.classes;
export const groups = stored.groups && {
  ...stored.groups,
  sizes: unpack(stored.groups.sizes),
  members: unpack(stored.groups.members),
  shares: unpack(stored.groups.shares),
};

/** Return the most relevant words of a topic for a weight, given by its index. */
export function rankedWords(topic, weightIndex) {
  if (empty.has(topic)) return [];
  const n = stored.words.n_ranked;
  const start = (topic * weights.length + weightIndex) * n;
  return [...ranking.subarray(start, start + n)];
}

export function typicalDocuments(topic) {
  if (empty.has(topic)) return [];
  const n = stored.documents.n_typical;
  return [...typical.subarray(topic * n, (topic + 1) * n)];
}

export function partOf(topic, row) {
  const found = row.find((one) => one.topic === topic);
  return found ? found.part : 0;
}

/** Return the date of a document, or the name of its group, if it has either. */
export function groupOf(doc) {
  return dates?.[doc] ?? groups?.names[groups.members[doc]] ?? null;
}
