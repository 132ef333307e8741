import type { Page } from "./page.ts";
import { GROUPS } from "./pages.ts";

/** The list of all pages as Markdown, each with its purpose (https://llmstxt.org). */
export function listOfPages(name: string, summary: string, pages: Page[]): string {
  const groups = GROUPS.map(({ title, pages: paths }) => {
    const lines = paths.map((path) => {
      const { place, title, description } = pages.find((page) => page.path === path)!;
      return `- [${title}](${place}.md): ${description}`;
    });
    return `## ${title}\n\n${lines.join("\n")}\n`;
  });
  return `# ${name}

> ${summary}

In the examples, \`CRM_API_URL\` is the URL of the functions, which ends in \`/functions/v1\`. \`CRM_API_KEY\` is an
API key. The file [llms-full.txt](llms-full.txt) has all pages.

${groups.join("\n")}
## Reference

- [openapi.json](openapi.json): the complete description of the API, OpenAPI 3.1
`;
}

/** All pages in one text. The pages for API callers come first. */
export function wholeText(pages: Page[]): string {
  return pages.map(({ place, markdown }) => `<!-- ${place}.md -->\n\n${markdown.trim()}\n`)
    .join("\n\n");
}
