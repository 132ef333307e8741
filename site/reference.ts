import { escaped } from "./html.ts";
import { head, type Site } from "./layout.ts";

/** The settings of the reference page on a static host. The local stack has its own settings. */
export const STATIC_SETTINGS = { tryIt: false };

/**
 * Scalar writes styles into the page and compiles schemas to code, so the policy allows both. All
 * other content must come from this site.
 */
const POLICY = [
  "default-src 'self'",
  "script-src 'self' 'unsafe-eval'",
  "style-src 'self' 'unsafe-inline'",
  "img-src 'self' data: blob:",
  "font-src 'self' data:",
  "base-uri 'self'",
  "object-src 'none'",
].join("; ");

/** The page that shows the reference. Without scripts, the page links to the list of operations. */
export function referencePage(site: Site): string {
  const content = {
    place: "reference",
    title: "API reference",
    description: "Every API operation with its parameters, responses and examples.",
    main: "",
    asMarkdown: false,
  };
  const top = head(site, content, { policy: POLICY, stylesheet: "reference.css", script: false });
  return `${top}
<body>
<header class="top">
<a class="name" href="index.html">${escaped(site.name)}</a>
<nav aria-label="Parts of the site">
<a class="wide" href="index.html#guides">Guides</a>
<a href="reference.html" aria-current="page">Reference</a>
<a class="wide" href="openapi.json">OpenAPI</a>
</nav>
</header>
<div id="reference">
<p class="note">The reference is being loaded. It needs scripts; without them, <a href="api.html">The API at a
glance</a> lists the operations, and <a href="openapi.json">openapi.json</a> describes them.</p>
</div>
<script src="scalar.js"></script>
<script src="reference.js"></script>
</body>
</html>
`;
}
