import { textOf } from "./html.ts";
import type { Operation } from "./operations.ts";
import type { Page } from "./page.ts";
import { GROUPS } from "./pages.ts";

/** A result of the search: a heading of a page with the text below it, or an operation. */
export interface Section {
  page: string;
  heading: string;
  /** The URL relative to the root of the site, such as `api.html#errors`. */
  address: string;
  text: string;
  /** Synonyms that a person may search for. */
  words?: string;
  /** Whether the page is for callers of the API. */
  forCallers: boolean;
}

/**
 * For each section, search terms that readers may use although the section does not contain them.
 */
const OTHER_WORDS: Record<string, string> = {
  "limits.html": "rate limit throttling quota rps maximum size",
  "writing.html#create-or-update-in-one-request": "upsert find or create deduplicate",
  "writing.html#many-contacts-at-once": "bulk import mass",
  "receiving.html": "incoming inbound",
  "webhooks.html": "webhook webhooks callback notification push event subscription",
  "events.html": "event audit log history",
  "media.html":
    "file picture image photo video audio voice note document attachment upload invoice pdf",
  "replying.html": "answer respond chat free-form text session window 24 hours",
  "client.html": "sdk library package npm typescript javascript",
  "other-tools.html": "sdk postman insomnia bruno generator python php go",
  "automation.html": "zapier make n8n no-code google sheets",
  "syncing.html": "polling delta incremental cdc changes feed mirror replicate",
  "authentication.html": "login token bearer api key credential 401",
  "sending-templates.html": "attachment image document media file header notification hsm",
  "finding.html": "query filter sort pagination cursor page",
  "erasing.html": "gdpr lgpd delete personal data privacy right to be forgotten",
  "archiving.html": "delete remove soft delete undo trash",
  "merging.html": "duplicate dedupe combine",
  "retrying.html": "retry timeout 429 503 backoff exactly once",
  "deals.html": "opportunity sales pipeline board kanban",
  "sandbox.html": "test mode mock fake simulator",
};

/** The sections of all pages, in the order of the pages, and then the operations. */
export function sectionsOf(pages: Page[], operations: Operation[]): Section[] {
  const callers = GROUPS.filter(({ readers }) => readers === "callers");
  const sections = pages.flatMap(({ title, path, place, html, headings }) => {
    // The first part is the empty text before the first heading.
    const texts = html.split(/<h[1-6] id="[^]*?<\/h[1-6]>/).slice(1);
    return headings.map(({ text, anchor, level }, at) => ({
      page: title,
      forCallers: callers.some((group) => group.pages.includes(path)),
      heading: text,
      address: `${place}.html${level === 1 ? "" : `#${anchor}`}`,
      text: textOf(
        texts[at].replaceAll(/<template [^]*?<\/template>/g, "")
          .replaceAll(/<\/(td|th|p|li|pre)>|<\/span>(?=<pre)/g, "$& "),
      ).replaceAll(/\s+/g, " ").trim(),
    }));
  });
  const described = operations.map(({ name, summary, description, fields, address }) => ({
    page: `API reference: ${name}`,
    forCallers: true,
    heading: summary,
    address,
    text: `${description.replaceAll(/\s+/g, " ")} ${fields.join(" ")}`,
  }));
  return [...sections, ...described].map((section) => {
    const words = OTHER_WORDS[section.address];
    return words ? { ...section, words } : section;
  });
}

/** An error for each section in OTHER_WORDS that does not exist. */
export function faultsOfWords(sections: Section[]): string[] {
  return Object.keys(OTHER_WORDS)
    .filter((address) => !sections.some((section) => section.address === address))
    .map((address) => `site/search.ts has words for ${address}, but there is no such section.`);
}
