import { html, type TemplateResult } from "lit-html";
import type { App } from "../app.ts";
import { copyButton } from "../copy_button.ts";

/** How to connect a number: the operator's command, with the company's id filled in. */
export function connectCommand(app: App): TemplateResult {
  const { t: { accounts: t }, company } = app;
  const parts = [
    "npm run admin -- account connect",
    `--company ${company.id}`,
    `--phone-number-id ${t.phoneNumberIdPlace}`,
    `--display-phone ${t.phonePlace}`,
  ];
  const command = parts.join(" \\\n  ");
  return html`
    <section class="card" aria-labelledby="connect">
      <h2 id="connect">${t.connectHeading}</h2>
      <p>${t.connectMeaning}</p>
      <figure class="line">
        <figcaption>${t.connectFill} ${copyButton(
          command,
          t.copyCommand,
          "connect-command",
          app,
        )}</figcaption>
        <pre tabindex="0"><code id="connect-command">${command}</code></pre>
      </figure>
    </section>
  `;
}
