import type { Config } from "../_shared/config.ts";
import { serverUrl } from "../_shared/http/address.ts";

const NAME = "CRM and messaging API";
const ABOUT = "Programs call this API with an API key: Authorization: Bearer sk_live_…";

const HEADERS = {
  "Content-Security-Policy": "default-src 'none'; frame-ancestors 'none'",
  "X-Content-Type-Options": "nosniff",
  Vary: "Accept",
};

/**
 * Describes the gateway and links to its documents when someone opens the gateway's URL. Browsers
 * receive a page, and programs receive JSON. A hosted Supabase project sends a page as plain text,
 * so the page is also readable as text.
 */
export function welcome(
  { docsUrl, supabaseUrl }: Config,
  request: Request,
): { body: string; headers: Record<string, string> } {
  const gateway = `${serverUrl(request, supabaseUrl)}/gateway`;
  const links = {
    ...(docsUrl && { documentation: `${docsUrl}/` }),
    openapi: `${gateway}/openapi.json`,
    health: `${gateway}/health`,
  };
  if (!request.headers.get("Accept")?.includes("text/html")) {
    const body = JSON.stringify({ data: { name: NAME, about: ABOUT, ...links } });
    return { body, headers: { ...HEADERS, "Content-Type": "application/json" } };
  }
  const items = Object.entries(links).map(([name, address]) =>
    `<li>${name}: <a href="${address}">${address}</a>\n`
  );
  const body = `<!doctype html><html lang="en"><meta charset="utf-8">
<meta name="viewport" content="width=device-width"><meta name="color-scheme" content="light dark">
<title>${NAME}</title>
<h1>${NAME}</h1>
<p>${ABOUT}</p>
<ul>
${items.join("")}</ul>
`;
  return { body, headers: { ...HEADERS, "Content-Type": "text/html; charset=utf-8" } };
}
