import { html, type TemplateResult } from "lit-html";
import type { App } from "../app.ts";
import { copyButton } from "../copy_button.ts";
import type { Part } from "../view.ts";
import type { ApiKey } from "./api_key.ts";

/**
 * A message for the developer who connects a program: the URLs, the documentation and what the key
 * may do. The message does not contain the key, because a message is easy to forward.
 */
export function handOver(key: () => ApiKey): Part {
  return {
    load: () => Promise.resolve(),
    html: (app) => view(key(), app),
  };
}

function view(key: ApiKey, app: App): TemplateResult {
  const { t: { handOver: t } } = app;
  const text = textFor(key, app);
  return html`
    <section class="card" aria-labelledby="hand-over">
      <h2 id="hand-over">${t.title}</h2>
      <p>${t.lead}</p>
      <figure class="line">
        <figcaption>${t.text} ${copyButton(text, t.copy, "hand-over-text", app)}</figcaption>
        <pre id="hand-over-text" dir="auto">${text}</pre>
      </figure>
    </section>
  `;
}

function textFor(key: ApiKey, app: App): string {
  const { t, project: { functionsUrl, docsUrl }, company, person } = app;
  const { handOver: words } = t;
  return [
    words.greeting(company.name),
    "",
    `${words.address}: ${functionsUrl}`,
    docsUrl ? `${words.docs}: ${docsUrl}` : null,
    `${words.key}: ${key.name} (sk_live_…${key.hint})`,
    `${words.scopes}:`,
    ...key.scopes.map((scope) => `- ${t.scopes[scope].name} (${scope}): ${t.scopes[scope].allows}`),
    "",
    `${words.test}:`,
    `curl "${functionsUrl}/gateway/me" -H "Authorization: Bearer $CRM_API_KEY"`,
    "",
    words.howItComes(person.email),
  ].filter((line) => line !== null).join("\n");
}
