// Adds a button to each block of code that copies the code.
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

// Loads the search when a person needs it.
const search = document.querySelector(".search");
const open = async () => (await import("./search.js")).open();
search.hidden = false;
search.addEventListener("click", open);
addEventListener("keydown", (event) => {
  if (event.key !== "k" || !(event.ctrlKey || event.metaKey)) return;
  event.preventDefault();
  open();
});
