// Searches the pages and operations. The site loads this script at the reader's first search.
const MOST = 12;
const root = new URL(".", import.meta.url);
// The build copies minisearch.js from the MiniSearch package.
const { default: MiniSearch } = await import(new URL("minisearch.js", root));

const dialog = document.createElement("dialog");
dialog.className = "finder";
dialog.setAttribute("aria-label", "Search");
dialog.innerHTML = `<form method="dialog"><input type="search" aria-label="Words to find"
  placeholder="Search" autocomplete="off" spellcheck="false"><button>Close</button></form>
  <p role="status"></p><ol></ol>`;
document.body.append(dialog);
const [input, status, list] = ["input", "p", "ol"].map((name) => dialog.querySelector(name));

const loading = fetch(new URL("search.json", root)).then((answer) => answer.json())
  .then((sections) => {
    const index = new MiniSearch({
      fields: ["heading", "page", "words", "text"],
      processTerm: (word) => fold(word) || null,
    });
    index.addAll(sections.map((section, id) => ({ ...section, id })));
    return { sections, index };
  });

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
  const text = input.value;
  const { sections, index } = await loading;
  // The person may have written more while the sections were loaded.
  if (text !== input.value) return;
  const found = search(index, sections, text);
  status.textContent = text.trim() === ""
    ? ""
    : found.length === 0
    ? "Nothing was found."
    : found.length > MOST
    ? `The best ${MOST} of ${found.length}`
    : `${found.length} found`;
  list.replaceChildren(...found.slice(0, MOST).map(({ id, terms }) => line(sections[id], terms)));
}

/**
 * Finds the sections that contain each searched word, or a word that begins with it. The best
 * section comes first. If no section contains all searched words, finds the sections that contain
 * some of them. A searched word of more than three letters may have one wrong letter, and a word of
 * more than seven letters may have two.
 */
function search(index, sections, text) {
  const options = {
    prefix: true,
    fuzzy: (word) => word.length > 7 ? 2 : word.length > 3 ? 1 : false,
    boost: { heading: 6, words: 4, page: 2 },
    boostDocument: (id) => sections[id].forCallers ? 2 : 1,
    weights: { prefix: 0.6, fuzzy: 0.2 },
  };
  const found = index.search(text, { ...options, combineWith: "AND" });
  return found.length > 0 ? found : index.search(text, options);
}

/** One result: its heading, its page, and the text around the first found word. */
function line({ page, heading, address, text }, terms) {
  const link = document.createElement("a");
  link.href = new URL(address, root);
  const [name, place, part] = ["strong", "span", "small"].map((tag) => document.createElement(tag));
  name.textContent = heading;
  place.textContent = page === heading ? "" : page;
  const folded = fold(text);
  const first = Math.max(0, ...terms.map((term) => folded.indexOf(term)).slice(0, 1));
  const at = Math.max(0, first - 40);
  part.textContent = (at > 0 ? "… " : "") + text.slice(at, at + 140).replace(/^\S*\s/, "");
  link.append(name, place, part);
  const item = document.createElement("li");
  item.append(link);
  return item;
}

/**
 * The text without case and accents. The result has the same length, so a position in the result is
 * also a position in the text.
 */
function fold(text) {
  return text.toLowerCase().replaceAll(/[\u00c0-\u024f]/g, (letter) => letter.normalize("NFD")[0]);
}
