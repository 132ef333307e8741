// A button on each block of code that copies it.
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
