import { LOCAL_API_URL } from "../local/usual_port.ts";
import { escaped } from "./html.ts";
import { codeBlock } from "./code_block.ts";
import { pageOf, type Site } from "./layout.ts";
import type { Page } from "./page.ts";
import { GROUPS } from "./pages.ts";

/** The data of the site's first page. */
export interface Landing {
  site: Site;
  pages: Page[];
  /** The API's base URL without a trailing slash; null for the local stack. */
  apiUrl: string | null;
}

const LEAD =
  "Read and write the contacts, deals and conversations of your company. Send WhatsApp templates, answer people " +
  "who write, and keep your own copy up to date. You need JSON over HTTP and one API key.";

const PROMISES = [
  [
    "Nothing is sent twice",
    "With an idempotency key, you can safely repeat a request, even if you do not know whether the first request succeeded.",
  ],
  [
    "Nothing is lost without an error",
    "The API refuses an unknown field, a repeated parameter or a value that is too long. The error names the field or parameter.",
  ],
  [
    "A copy stays up to date",
    "With a cursor that you store, you can request every later change, in order.",
  ],
  [
    "Companies are separate",
    "A key gives access only to the rows of its own company. The database itself enforces this rule.",
  ],
];

/** The first page: what this API is, the first request, and links to every page. */
export function landingPage({ site, pages, apiUrl }: Landing): string {
  const start = pages.find(({ place }) => place === "getting-started") ?? pages[0];
  const main = `<div class="hero">
<h1>${escaped(site.name)}</h1>
<p class="lead">${escaped(LEAD)}</p>
<p class="actions"><a class="button" href="${start.place}.html">${
    escaped(start.title)
  }</a> <a class="button quiet" href="reference.html">API reference</a></p>
</div>
<section aria-labelledby="first-request">
<h2 id="first-request">The first request</h2>
${firstRequest(apiUrl)}
</section>
<ul class="promises">
${PROMISES.map(([title, text]) => `<li><strong>${title}.</strong> ${text}</li>`).join("\n")}
</ul>
<section aria-labelledby="guides">
<h2 id="guides">Guides</h2>
${groups(pages, "callers")}
</section>
<section aria-labelledby="reference">
<h2 id="reference">Reference and tools</h2>
<ul class="cards">
${
    card(
      "reference.html",
      "API reference",
      "Every operation with its parameters, responses and examples.",
    )
  }
${
    card(
      "openapi.json",
      "OpenAPI 3.1 document",
      "The complete description, for programs and generators.",
    )
  }
${card("llms.txt", "llms.txt", "These pages as Markdown, for language models and scripts.")}
</ul>
</section>
<section aria-labelledby="operators">
<h2 id="operators">Run it and change it</h2>
${groups(pages, "operators")}
</section>`;
  return pageOf(site, {
    place: "index",
    title: site.name,
    description: LEAD,
    main,
    kind: "landing",
  });
}

function firstRequest(apiUrl: string | null): string {
  const [before, lines] = apiUrl === null
    ? [
      "<code>npm start</code> in a checkout runs everything on your machine, with a demo company and its key. Open a " +
      "second terminal in the same folder:",
      `export CRM_API_URL=${LOCAL_API_URL}\n` +
      `export CRM_API_KEY=$(node -p 'require("./.local/stack.json").demo.api_key')\n\n`,
    ]
    : [
      "Ask the operator of the API for a key with the scope read. Then run:",
      `export CRM_API_URL=${apiUrl}\nexport CRM_API_KEY=sk_live_…\n\n`,
    ];
  const request =
    'curl "$CRM_API_URL/gateway/contacts?temperature=hot&limit=1&fields=name,phone" \\\n' +
    '  -H "Authorization: Bearer $CRM_API_KEY"';
  // This response is for the demo company. Other companies have other contacts.
  const answer = `{
  "data": [{ "name": "Iara Sant’Anna", "phone": "+5571900000005" }],
  "pagination": { "limit": 1, "has_more": true, "next_cursor": "…" }
}`;
  return `<p>${before}</p>\n${codeBlock(lines + request, "sh")!.html}\n${
    codeBlock(answer, "json")!.html
  }`;
}

/** Each group of pages, with the purpose of each page. */
function groups(pages: Page[], readers: "callers" | "operators"): string {
  return GROUPS.filter((group) => group.readers === readers).map(({ title, pages: paths }) => {
    const cards = paths.map((path) => {
      const page = pages.find((page) => page.path === path)!;
      return card(`${page.place}.html`, page.title, firstSentence(page.description));
    });
    return `<h3>${escaped(title)}</h3>\n<ul class="cards">\n${cards.join("\n")}\n</ul>`;
  }).join("\n");
}

function card(address: string, title: string, text: string): string {
  return `<li><a href="${address}">${escaped(title)}</a> <span>${escaped(text)}</span></li>`;
}

/** The first sentence of a text; the whole text if it contains no complete sentence. */
export function firstSentence(text: string): string {
  return /^.*?[^.\s]{2}[.:!?](?=\s|$)/.exec(text)?.[0].replace(/:$/, ".") ?? text;
}
