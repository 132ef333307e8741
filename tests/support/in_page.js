// Functions that tests run within a page of the browser.

/** The background of the page, as the browser computes it. */
export const backgroundOfPage = () => getComputedStyle(document.body).backgroundColor;

/**
 * The width that the page needs. It is more than the window's width if a reader must scroll
 * sideways.
 */
export const widthOfPage = () => document.documentElement.scrollWidth;

/** The text of the clipboard. */
export const copiedText = () => navigator.clipboard.readText();

/** The session that the settings page keeps; null when no one is signed in. */
export const keptSession = () => localStorage.getItem("settings.session");

/** The name of the element with the focus. */
export const nameOfFocus = () => {
  const element = document.activeElement;
  const label = element.labels?.[0]?.textContent;
  return element.getAttribute("aria-label") ?? label ?? element.textContent;
};

/** Whether Scalar shows the page in dark. */
export const isDarkReference = () => document.body.classList.contains("dark-mode");

/**
 * Marks one element of each look that is not known yet. The look of an element is its colour, its
 * font, and what is around and behind it.
 * @returns the known looks.
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
    // A link is compared with the text around it.
    const around = getComputedStyle(element.parentElement).color;
    const looks = [element.tagName, color, fontSize, fontWeight, display, textDecorationLine];
    const look = [...looks, around, ...behind].join();
    if (known.has(look)) continue;
    known.add(look);
    element.setAttribute("data-judged", "");
  }
  return [...known];
};

/** Whether the page has axe. */
export const hasAxe = () => "axe" in globalThis;

/** Runs axe on the page or on what a selector finds. A line for each element with a finding. */
export const runAxe = async ([context, options]) => {
  const { violations } = await globalThis.axe.run(context ?? document, options);
  return violations.flatMap(({ id, nodes }) =>
    nodes.map(({ target, failureSummary }) =>
      `${location.pathname}: ${id} at ${target}: ${failureSummary}`
    )
  );
};
