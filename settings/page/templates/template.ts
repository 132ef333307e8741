// A company's message templates, as the Data API shows them.
import type { App } from "../app.ts";
import { answered } from "../failure.ts";
import type { Tone } from "../pieces/badge.ts";

/** A template in the list. */
export interface ListedTemplate {
  id: string;
  name: string;
  language: string;
  /** WhatsApp's term, such as APPROVED. */
  status: string;
  category: string | null;
  quality: string | null;
  /** The phone numbers that can send the template. */
  phone_number_ids: string[];
}

/** A template with all that a send needs. */
export interface WholeTemplate extends ListedTemplate {
  status_since: string;
  /** The category that WhatsApp has announced. */
  upcoming_category: string | null;
  rejected_reason: string | null;
  header_format: string | null;
  components: Component[];
  variables: {
    header: Variable[];
    body: Variable[];
    buttons: (Variable & { index: number; kind: string; text: string })[];
  };
  /** Parts that the service cannot send, such as CAROUSEL. */
  unsupported: string[];
  media_problem: string | null;
  channel_template_id: string | null;
  read_at: string;
}

/** A part of a template, as WhatsApp lists it. Any member may be missing, or have another type. */
export interface Component {
  type?: unknown;
  format?: unknown;
  text?: unknown;
  buttons?: unknown;
}

export interface Variable {
  name: string;
  example: string | null;
}

export const LISTED = "id,name,language,status,category,quality,phone_number_ids";
export const WHOLE = `${LISTED},status_since,upcoming_category,rejected_reason,header_format,` +
  "components,variables,unsupported,media_problem,channel_template_id,read_at";

/** A phone number of the company. */
export interface Sender {
  phone_number_id: string;
  display_phone: string;
  disconnected_at: string | null;
  /** When the templates were last read; null when they were never read. */
  templates_synced_at: string | null;
}

/** The connected numbers of the company. */
export async function sendersOf({ project: { client }, company }: App): Promise<Sender[]> {
  const accounts = await answered<Sender[]>(
    client.rpc("messaging_accounts_overview", { company_id: company.id }),
  );
  return accounts.filter(({ disconnected_at }) => disconnected_at === null);
}

const TONES: Record<string, Tone> = {
  APPROVED: "good",
  PENDING: "quiet",
  IN_APPEAL: "quiet",
  ARCHIVED: "quiet",
  DELETED: "quiet",
  REJECTED: "bad",
  DISABLED: "bad",
};

export function toneOf(status: string): Tone {
  return Object.hasOwn(TONES, status) ? TONES[status] : "warn";
}

/** The page's text for one of WhatsApp's terms, or WhatsApp's term if the page has none. */
export function wordFor(word: string, words: Record<string, string>): string {
  return Object.hasOwn(words, word) ? words[word] : word;
}

/** The language of a template in words, such as `Portuguese (Brazil)`. */
export function languageName(language: string, locale: string): string {
  try {
    return new Intl.DisplayNames(locale, { type: "language" })
      .of(language.replaceAll("_", "-")) ?? language;
  } catch {
    return language;
  }
}

/** The header's media type: image, video or document; null when the header has no media. */
export function mediumOf({ header_format }: WholeTemplate): "image" | "video" | "document" | null {
  switch (header_format) {
    case "IMAGE":
      return "image";
    case "VIDEO":
      return "video";
    case "DOCUMENT":
      return "document";
    default:
      return null;
  }
}

/** The values of a send, in the order of the variables. */
export interface Values {
  header: string[];
  body: string[];
  buttons: string[];
}

/** The examples of a template. A variable without an example gets a word in the person's language. */
export function examplesOf({ variables }: WholeTemplate, otherwise: string): Values {
  const examples = (list: Variable[]) => list.map(({ example }) => example || otherwise);
  return {
    header: examples(variables.header),
    body: examples(variables.body),
    buttons: examples(variables.buttons),
  };
}

/** The text of a part of this type, such as BODY; null when there is none. */
export function textOf({ components }: WholeTemplate, type: string): string | null {
  const part = components.find((each) => String(each?.type).toUpperCase() === type);
  return typeof part?.text === "string" ? part.text : null;
}

/** A text with the values of its variables. */
export function filled(text: string, variables: Variable[], values: string[]): string {
  return text.replace(/\{\{\s{0,9}(\w{1,64})\s{0,9}\}\}/g, (whole, wanted) => {
    const place = variables.findIndex(({ name }) => name === wanted);
    return place < 0 ? whole : values[place];
  });
}
