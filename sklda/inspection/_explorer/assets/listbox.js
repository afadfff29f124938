// A list of which one option can be chosen, by a click or by the keyboard.

import { element } from "./dom.js";

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
export function makeListbox(container, { label, choose, follows, keys = container }) {
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
