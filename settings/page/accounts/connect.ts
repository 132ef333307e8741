import { html, type TemplateResult } from "lit-html";
import type { App } from "../app.ts";
import { copyButton } from "../copy_button.ts";

/** How a number is connected: the operator's command, with the company's id. */
export function connectCommand(app: App): TemplateResult {
  const { t: { accounts: t }, company } = app;
  const command = [
    "npm run admin -- account connect",
    `--company ${company.id}`,
    `--phone-number-id ${t.phoneNumberIdPlace}`,
    `--display-phone ${t.phonePlace}`,
  ];
  return html`
    <section aria-labelledby="connect">
      <h2 id="connect">${t.connectHeading}</h2>
      <p>${t.connectMeaning} ${t.connectFill}</p>
      <div class="command">
        <pre tabindex="0" role="region" aria-labelledby="connect"><code id="connect-command">${command
          .join(" \\\n  ")}</code></pre>
        ${copyButton(command.join(" "), t.copyCommand, "connect-command", app)}
      </div>
    </section>
  `;
}
