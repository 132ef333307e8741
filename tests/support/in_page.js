// Functions that tests run inside a browser page.

/** The page's background colour. */
export const backgroundOfPage = () => getComputedStyle(document.body).backgroundColor;

/**
 * The width of the page's content. A reader must scroll sideways if the content is wider than the
 * window.
 */
export const widthOfPage = () => document.documentElement.scrollWidth;

/** The text on the clipboard. */
export const copiedText = () => navigator.clipboard.readText();

/** Makes the settings page show a message for this long instead of eight seconds. */
export const showMessagesLonger = (longer) => {
  const { setTimeout } = globalThis;
  globalThis.setTimeout = (work, ms, ...rest) =>
    setTimeout(work, ms === 8_000 ? longer : ms, ...rest);
};

/** The session that the settings page stores, or null if no user is signed in. */
export const keptSession = () => localStorage.getItem("settings.session");

/** Starts recording paint times and layout shifts. */
export const watchPaints = () => {
  const noted = globalThis.paints = { first: 0, largest: 0, shift: 0 };
  const watch = (type, note) =>
    new PerformanceObserver((list) => list.getEntries().forEach(note))
      .observe({ type, buffered: true });
  watch("paint", ({ name, startTime }) => {
    if (name === "first-contentful-paint") noted.first = Math.round(startTime);
  });
  watch("largest-contentful-paint", ({ startTime }) => noted.largest = Math.round(startTime));
  watch("layout-shift", ({ value }) => noted.shift += value);
};

/** What `watchPaints` has recorded: two times in milliseconds, and the sum of the layout shifts. */
export const paints = () => globalThis.paints;

/** The name of the focused element. */
export const nameOfFocus = () => {
  const element = document.activeElement;
  const label = element.labels?.[0]?.textContent;
  return element.getAttribute("aria-label") ?? label ?? element.textContent;
};

/** Whether Scalar shows the page in dark mode. */
export const isDarkReference = () => document.body.classList.contains("dark-mode");

/**
 * Marks one element of each new look. An element's look consists of its colour, font, background
 * and surroundings.
 * @returns the looks in `seen` and the new looks.
 */
export const markNewLooks = (seen) => {
  const known = new Set(seen);
  for (const marked of document.querySelectorAll("[data-judged]")) {
    marked.removeAttribute("data-judged");
  }
  for (const element of document.body.querySelectorAll("*")) {
    const hasText = Array.from(element.childNodes)
      .some((node) => node.nodeType === Node.TEXT_NODE && node.textContent.trim() !== "");
    if (!hasText && !element.matches("a, button, input, summary")) continue;
    const behind = new Set();
    for (let each = element; each; each = each.parentElement) {
      const { backgroundColor, backgroundImage, opacity } = getComputedStyle(each);
      behind.add(`${backgroundColor} ${backgroundImage} ${opacity}`);
    }
    const { color, fontSize, fontWeight, display, textDecorationLine } = getComputedStyle(element);
    // axe compares a link with the text around it.
    const around = getComputedStyle(element.parentElement).color;
    const looks = [element.tagName, color, fontSize, fontWeight, display, textDecorationLine];
    const look = [...looks, around, ...behind].join();
    if (known.has(look)) continue;
    known.add(look);
    element.setAttribute("data-judged", "");
  }
  return [...known];
};

/** Whether axe is loaded in the page. */
export const hasAxe = () => "axe" in globalThis;

/**
 * Runs axe on the page, or on the elements that match a selector. Returns one line for each element
 * with a problem.
 */
export const runAxe = async ([context, options]) => {
  const { violations } = await globalThis.axe.run(context ?? document, options);
  return violations.flatMap(({ id, nodes }) =>
    nodes.map(({ target, failureSummary }) =>
      `${location.pathname}: ${id} at ${target}: ${failureSummary}`
    )
  );
};
