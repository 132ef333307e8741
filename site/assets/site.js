// The language of the examples. A reader chooses the language once for all pages.
const stored = "docs.language";
let storage = {};
try {
  storage = localStorage;
} catch {
  // A browser may refuse to store anything.
}
const examples = [...document.querySelectorAll(".code:has(template)")].map((block) => {
  const code = block.querySelector("code");
  const lines = { curl: code.innerHTML };
  for (const { dataset, innerHTML } of block.querySelectorAll("template")) {
    lines[dataset.language] = innerHTML;
  }
  const choice = document.createElement("div");
  choice.className = "languages";
  choice.setAttribute("role", "group");
  choice.setAttribute("aria-label", "Language of the example");
  for (const language of Object.keys(lines)) {
    const button = document.createElement("button");
    button.type = "button";
    button.textContent = language;
    button.addEventListener("click", () => {
      const { top } = button.getBoundingClientRect();
      storage[stored] = language;
      show(language);
      // Examples above this one may have become longer. Scrolling keeps the button in its place.
      scrollBy(0, button.getBoundingClientRect().top - top);
    });
    choice.append(button);
  }
  block.querySelector(".language").replaceWith(choice);
  return { code, lines, choice };
});
function show(language) {
  for (const { code, lines, choice } of examples) {
    const shown = lines[language] ? language : "curl";
    code.innerHTML = lines[shown];
    for (const button of choice.children) {
      button.setAttribute("aria-pressed", button.textContent === shown);
    }
  }
}
show(storage[stored]);

// Adds a button that copies the code to each block of code.
for (const pre of document.querySelectorAll(".code pre")) {
  const button = document.createElement("button");
  button.type = "button";
  button.textContent = "Copy";
  button.addEventListener("click", async () => {
    await navigator.clipboard.writeText(pre.textContent.trimEnd());
    button.textContent = "Copied";
    setTimeout(() => button.textContent = "Copy", 2000);
  });
  pre.before(button);
}

// Loads the search when a reader opens it.
const search = document.querySelector(".search");
const open = async () => (await import("./search.js")).open();
search.hidden = false;
search.addEventListener("click", open);
addEventListener("keydown", (event) => {
  if (event.key !== "k" || !(event.ctrlKey || event.metaKey)) return;
  event.preventDefault();
  open();
});
