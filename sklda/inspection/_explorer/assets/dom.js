// Elements, bars and numbers. Texts of users are only ever set as text.

const SVG = "http://www.w3.org/2000/svg";
const WHOLE = new Intl.NumberFormat("en", { maximumFractionDigits: 0 });
const SHORT = new Intl.NumberFormat("en", { maximumSignificantDigits: 3 });

export const byId = (id) => document.getElementById(id);

function fill(node, attributes, children) {
  for (const [name, value] of Object.entries(attributes)) {
    node.setAttribute(name, value);
  }
  node.append(...children);
  return node;
}

export function element(tag, attributes = {}, ...children) {
  return fill(document.createElement(tag), attributes, children);
}

export function svgElement(tag, attributes = {}, ...children) {
  return fill(document.createElementNS(SVG, tag), attributes, children);
}

export function span(name, ...children) {
  return element("span", { class: name }, ...children);
}

/** Return a name as nodes that may be broken after its punctuation. */
export function breakable(name) {
  const pieces = name.split(/(?<=[./_-])(?=[^./_-])/);
  return pieces.flatMap((piece, i) => (i > 0 ? [element("wbr"), piece] : [piece]));
}

/** Draw parts of 1 on top of each other, the longest first. */
export function bar(...parts) {
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
export function formatCount(number) {
  return Number.isInteger(number) || number >= 100
    ? WHOLE.format(number)
    : SHORT.format(number);
}

export function formatPart(part) {
  const percent = 100 * part;
  if (percent > 0 && percent < 0.1) return "<0.1%";
  return `${percent.toFixed(percent < 9.95 ? 1 : 0)}%`;
}
