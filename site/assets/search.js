// The search in the headings and texts of all pages. It is loaded when a person first searches.
const MOST = 12;
const root = new URL(".", import.meta.url);

const dialog = document.createElement("dialog");
dialog.className = "finder";
dialog.setAttribute("aria-label", "Search");
dialog.innerHTML = `<form method="dialog"><input type="search" aria-label="Words to find"
  placeholder="Search" autocomplete="off" spellcheck="false"><button>Close</button></form>
  <p role="status"></p><ol></ol>`;
document.body.append(dialog);
const [input, status, list] = ["input", "p", "ol"].map((name) => dialog.querySelector(name));

const loading = fetch(new URL("search.json", root)).then((answer) => answer.json())
  .then((sections) =>
    sections.map((section) => ({
      ...section,
      folded: [section.heading, section.page, section.text].map(fold),
      worth: section.forCallers ? 2 : 1,
    }))
  );

/** Opens the search. */
export function open() {
  dialog.showModal();
  input.select();
}

input.addEventListener("input", show);
// Submitting the form would close the dialog. Enter opens the first result instead.
dialog.querySelector("form").addEventListener("submit", (event) => {
  const first = list.querySelector("a");
  if (event.submitter && document.activeElement === event.submitter) return;
  event.preventDefault();
  first?.click();
});
dialog.addEventListener("click", (event) => {
  if (event.target === dialog || event.target.closest("a")) dialog.close();
});
dialog.addEventListener("keydown", (event) => {
  const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
  if (!step) return;
  event.preventDefault();
  const places = [input, ...list.querySelectorAll("a")];
  places[places.indexOf(document.activeElement) + step]?.focus();
});

async function show() {
  const words = fold(input.value).split(/\s+/).filter(Boolean);
  const sections = await loading;
  const found = words.length === 0 ? [] : sections
    .map((section) => ({ section, weight: section.worth * weigh(section.folded, words) }))
    .filter(({ weight }) => weight > 0)
    .sort((one, other) => other.weight - one.weight);
  status.textContent = words.length === 0
    ? ""
    : found.length === 0
    ? "Nothing was found."
    : found.length > MOST
    ? `The best ${MOST} of ${found.length}`
    : `${found.length} found`;
  list.replaceChildren(...found.slice(0, MOST).map(({ section }) => line(section, words)));
}

/**
 * How well a section matches. It is 0 when a word is missing. A word in the heading counts most.
 */
function weigh([heading, page, text], words) {
  let weight = 0;
  for (const word of words) {
    const begins = (words) => words.startsWith(word) || words.includes(` ${word}`);
    const inHeading = begins(heading) ? 40 : heading.includes(word) ? 15 : 0;
    const inPage = begins(page) ? 12 : 0;
    // A text about the word contains the word several times.
    const inText = Math.min(text.split(word).length - 1, 6) * (begins(text) ? 2 : 1);
    if (inHeading + inPage + inText === 0) return 0;
    weight += inHeading + inPage + inText;
  }
  return weight;
}

/** One result: its heading, its page, and the text around the first word. */
function line({ page, heading, address, text, folded }, words) {
  const link = document.createElement("a");
  link.href = new URL(address, root);
  const [name, place, part] = ["strong", "span", "small"].map((tag) => document.createElement(tag));
  name.textContent = heading;
  place.textContent = page === heading ? "" : page;
  const at = Math.max(0, folded[2].indexOf(words[0]) - 40);
  part.textContent = (at > 0 ? "… " : "") + text.slice(at, at + 140).replace(/^\S*\s/, "");
  link.append(name, place, part);
  const item = document.createElement("li");
  item.append(link);
  return item;
}

/**
 * The text without case and accents. Its length does not change, so that a position in it is also a
 * position in the text.
 */
function fold(text) {
  return text.toLowerCase().replaceAll(/[\u00c0-\u024f]/g, (letter) => letter.normalize("NFD")[0]);
}
