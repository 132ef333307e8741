// Terminal commands for trying a new key.
import type { App } from "../app.ts";
import { answered } from "../failure.ts";
import type { NewApiKey } from "./api_key.ts";

/** A template that can be sent, from the stored list of templates. */
export interface Template {
  name: string;
  language: string;
  category: string | null;
  header_format: string | null;
  phone_number_ids: string[];
  unsupported: string[];
  media_problem: string | null;
  components: { type?: string; text?: string }[];
  variables: Record<"header" | "body" | "buttons", { name?: string; example: string | null }[]>;
}

const COLUMNS =
  "name,language,category,header_format,phone_number_ids,unsupported,media_problem,components,variables";

/** A command that reads data. */
export function readLine(functionsUrl: string, { api_key }: NewApiKey): string {
  return `curl "${functionsUrl}/gateway/contacts?limit=1" -H "Authorization: Bearer ${api_key}"`;
}

/** A command that creates a contact, for a key that cannot read. */
export function writeLine(functionsUrl: string, key: NewApiKey, phone: string): string {
  return post(`${functionsUrl}/gateway/contacts`, key, { name: "Test", phone });
}

/**
 * A command that sends a template to a phone number. If the command is run twice, it sends only
 * once. With another phone number, it sends again.
 */
export function sendLine(
  functionsUrl: string,
  key: NewApiKey,
  template: Template,
  phone: string,
): string {
  const { header, body, buttons } = template.variables;
  const isMedia = ["IMAGE", "VIDEO", "DOCUMENT"].includes(template.header_format ?? "");
  return post(`${functionsUrl}/send-external-template`, key, {
    phone,
    template_name: template.name,
    language_code: template.language,
    phone_number_id: template.phone_number_ids[0],
    ...(isMedia ? { template_header_type: template.header_format!.toLowerCase() } : {}),
    ...(header.length > 0 ? { header_variables: header.map(valueOf) } : {}),
    ...(body.length > 0 ? { body_variables: body.map(valueOf) } : {}),
    ...(buttons.length > 0 ? { button_variables: buttons.map(valueOf) } : {}),
    display_text: bodyOf(template),
    idempotency_key: `first-message-${key.id.slice(0, 8)}-${phone}`,
  });
}

/**
 * The best template for trying a key: it is in the user's language and has few values to fill in.
 */
export async function templateToTry({ project, company, language }: App): Promise<Template | null> {
  const templates = await answered<Template[]>(
    project.client.from("templates").select(COLUMNS).eq("company_id", company.id)
      .eq("status", "APPROVED").order("name").order("language").limit(200),
  );
  const burden = ({ language: tag, category, header_format, variables }: Template) =>
    (tag.startsWith(language) ? 0 : 100) + (category === "UTILITY" ? 0 : 20) +
    (header_format && header_format !== "TEXT" ? 50 : 0) +
    Object.values(variables).flat().length;
  return templates
    .filter(({ phone_number_ids, unsupported, media_problem }) =>
      phone_number_ids.length > 0 && unsupported.length === 0 && !media_problem
    )
    .sort((one, other) => burden(one) - burden(other))[0] ?? null;
}

/** The text of the template, filled in with its examples. */
function bodyOf({ components, variables, name }: Template): string {
  const text = components.find(({ type }) => type?.toUpperCase() === "BODY")?.text;
  return text?.replace(/\{\{\s*(\w+)\s*\}\}/g, (whole, wanted) => {
    const found = variables.body.find(({ name }) => name === wanted);
    return found ? valueOf(found) : whole;
  }) ?? name;
}

function valueOf({ example }: { example: string | null }): string {
  return example || "test";
}

function post(url: string, { api_key }: NewApiKey, body: object): string {
  const json = JSON.stringify(body, null, 2).replaceAll("'", "'\\''");
  return `curl "${url}" -H "Authorization: Bearer ${api_key}" \\\n  -H "Content-Type: application/json" \\\n  -d '${json}'`;
}
