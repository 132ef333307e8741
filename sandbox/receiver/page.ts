import { escaped } from "../../local/static_files.ts";
import type { Received } from "./received.ts";

/** The time after which the page reloads itself, in seconds. */
const REFRESH_S = 5;

/**
 * The page that shows the requests to the receiver. All received data is shown as plain text.
 * @param name the name whose requests are shown; null for all names.
 * @param address the receiver's URL, without a slash at the end.
 * @param most how many requests the receiver keeps.
 * @param isAlone whether the sandbox runs without a stack. Without a stack, the sandbox cannot look
 *   up the secrets of webhooks.
 */
export function receiverPage(
  received: Received[],
  { name, address, most, isAlone }: {
    name: string | null;
    address: string;
    most: number;
    isAlone: boolean;
  },
): string {
  const title = name === null ? "Webhooks that the sandbox receives" : `Webhook ${name}`;
  const what = name === null
    ? `<p>This page is a receiver for webhooks. Every name has an address:
<code>${
      escaped(address)
    }/&lt;name&gt;</code>. The page shows the newest ${most} requests, until the stack ends.</p>`
    : `<p>The requests to <code>${escaped(`${address}/${name}`)}</code>, newest first.
<a href="/sandbox/webhooks">All names</a>, <a href="${
      escaped(name)
    }.json">the same as JSON</a></p>`;
  return `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<meta name="color-scheme" content="light dark">
<meta http-equiv="refresh" content="${REFRESH_S}">
<link rel="icon" href="data:,">
<title>${escaped(title)}</title>
<style>
body{max-width:52rem;margin:3rem auto;padding:0 1rem;font:1rem/1.6 system-ui,sans-serif}
ol{list-style:none;padding:0}li{border-top:1px solid;margin:1rem 0}h2{font-size:1.1rem;margin:1rem 0 0}
p{margin:.25rem 0}pre{margin:.5rem 0;max-height:20rem;overflow:auto;white-space:pre-wrap;overflow-wrap:anywhere}
.no{font-weight:bold}
</style>
<main>
<h1>${escaped(title)}</h1>
${what}
${isAlone ? aboutSecrets(`${address}/${name ?? "<name>"}`) : ""}
${
    received.length > 0
      ? `<ol>\n${received.map(item).join("\n")}\n</ol>`
      : "<p>Nothing has arrived yet.</p>"
  }
</main>
`;
}

/** What someone must do so that a sandbox without a stack verifies deliveries. */
function aboutSecrets(url: string): string {
  return `<p>This sandbox runs without a stack, so it cannot look up the secrets of webhooks, and
verifies only the deliveries whose secret you give it. The response that creates a webhook contains its secret:</p>
<pre>${
    escaped(
      `curl -X PUT ${url} -H "Content-Type: application/json" -d '{"secret":"whsec_…"}'`,
    )
  }</pre>`;
}

function item({ name, at, type, verified, why, answered, headers, body }: Received): string {
  const lines = Object.entries(headers).map(([key, value]) => `${key}: ${value}`).join("\n");
  return `<li>
<h2>${escaped(type ?? "Not an event")}</h2>
<p>To <a href="/sandbox/webhooks/${escaped(name)}">${escaped(name)}</a>,
<time datetime="${at}">${at.slice(0, 19).replace("T", " ")} UTC</time>,
${answered === null ? "not answered" : `answered ${answered}`}</p>
<p>${verified ? "Verified" : `<span class="no">Not verified</span>: ${escaped(why ?? "")}`}</p>
<pre>${escaped(lines)}</pre>
<pre>${escaped(indented(body))}</pre>
</li>`;
}

/** Formats JSON with line breaks, and leaves other text unchanged. */
function indented(body: string): string {
  try {
    return JSON.stringify(JSON.parse(body), null, 2);
  } catch {
    return body;
  }
}
