// Shows new messages in a chat of the sandbox, and sends what the person answers.

const POLL_MS = 1500;
const list = document.querySelector("ol[data-live]");
const state = document.querySelector("#state");
const trouble = document.querySelector("#trouble");
const told = JSON.parse(document.body.dataset.told);

/**
 * The HTML that the server sent for each item. refresh() compares this HTML instead of the page's
 * HTML, which changes when the reader opens a list.
 */
const served = new Map([...list.children].map((item) => [item.id, item.outerHTML]));

const isAtEnd = () => innerHeight + scrollY >= document.body.scrollHeight - 40;
const goToEnd = () => scrollTo(0, document.body.scrollHeight);

/** A list that the reader has opened stays open when the status of its message changes. */
function keepOpen(old, now) {
  const lists = now.querySelectorAll("details");
  old.querySelectorAll("details").forEach((list, at) => lists[at].open = list.open);
}

/** Replaces only what has changed, so that a voice message continues to play. */
async function refresh() {
  const answer = await fetch(location.pathname);
  if (!answer.ok) return;
  const fresh = new DOMParser().parseFromString(await answer.text(), "text/html");
  const wasAtEnd = isAtEnd();
  const items = [...fresh.querySelector("ol[data-live]").children];
  const shown = new Map([...list.children].map((item) => [item.id, item]));
  let isChanged = shown.size !== items.length;
  items.forEach((item, place) => {
    const html = item.outerHTML;
    const isSame = served.get(item.id) === html && shown.has(item.id);
    const now = isSame ? shown.get(item.id) : document.importNode(item, true);
    if (list.children[place] !== now) {
      list.insertBefore(now, list.children[place] ?? null);
      isChanged = true;
    }
    const old = shown.get(item.id);
    if (!isSame && old) {
      keepOpen(old, now);
      old.remove();
    }
    shown.delete(item.id);
    served.set(item.id, html);
  });
  for (const old of shown.values()) old.remove();
  if (state) state.textContent = fresh.querySelector("#state").textContent;
  if (isChanged && wasAtEnd && state) goToEnd();
}

/** Sends a message as the person. Any program can send the same request. */
async function play(fields) {
  const answer = await fetch("/sandbox/inbound", {
    method: "POST",
    headers: { "Content-Type": "application/json" },
    body: JSON.stringify({ ...told, ...fields }),
  });
  const { message, reason, warning, user_id } = await answer.json();
  trouble.textContent = message ?? reason ?? warning ?? "";
  return answer.ok ? user_id : null;
}

document.addEventListener("submit", async (event) => {
  event.preventDefault();
  const form = event.target;
  const { text, hours_ago, ...fields } = Object.fromEntries(
    [...new FormData(form)].filter(([, value]) => value !== ""),
  );
  if (text !== undefined) fields[fields.medium === undefined ? "text" : "caption"] = text;
  if (hours_ago !== undefined) fields.hours_ago = Number(hours_ago);
  const userId = await play(fields);
  if (userId === null) return;
  if (!state) return location.assign(`/sandbox/chat/${fields.phone_number_id}/${userId}`);
  form.reset();
  await refresh();
  goToEnd();
});

list.addEventListener("click", async ({ target }) => {
  const button = target.closest("[data-tap]");
  if (!button) return;
  const { tap, answers } = button.dataset;
  await play({ tap, answers });
  await refresh();
});

if (state) goToEnd();
setInterval(() => refresh().catch(() => {}), POLL_MS);
