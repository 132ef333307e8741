import * as z from "zod/mini";
import type {
  ButtonVariable,
  CatalogueEntry,
  Pieces,
  TemplateVariable,
} from "./catalogue_entry.ts";
import { harmlessJson, harmlessText } from "../channel/harmless_json.ts";
import { isNumber, placeholders, templateText } from "./template_text.ts";

/**
 * A template whose components are larger than this is stored without them, so that a list of
 * templates fits into memory.
 */
const MAX_COMPONENTS_BYTES = 65_536;
const MAX_SAMPLE_URL = 4096;
/**
 * The part of a URL before the "?" identifies the sample. A database index contains this part, and
 * index keys must be short.
 */
const MAX_SAMPLE_SOURCE = 2000;
const MAX_UNSUPPORTED = 20;

/** A header in one of these formats contains a media file. */
const MEDIA_FORMATS = new Set(["IMAGE", "VIDEO", "DOCUMENT"]);

// The channel adds properties and values without notice. So each property is read separately: a
// missing or malformed property does not affect the others. Unknown properties are not read.
const Text = z.catch(z.optional(z.string()), undefined);
/**
 * The examples, in the order of the variables. For a body, the channel lists several sets of
 * examples; this code reads the first set.
 */
const Texts = z.prefault(
  z.pipe(
    z.unknown(),
    z.transform((value): (string | null)[] => {
      const list = [value].flat();
      const texts: unknown[] = Array.isArray(list[0]) ? list[0] : list;
      return texts.slice(0, 100).map((text) => typeof text === "string" ? text : null);
    }),
  ),
  [],
);
/** A constant of the channel, such as APPROVED. The channel writes some constants in lowercase. */
const Word = z.string().check(z.trim(), z.regex(/^\w{1,64}$/), z.toUpperCase());
const Label = z.catch(z.nullable(Word), null);
/** With the lifetime -1, the channel tries to deliver a message for 30 days. */
const Lifetime = z.catch(
  z.nullable(z.int32().check(z.refine((seconds) => seconds > 0 || seconds === -1))),
  null,
);

const Listed = z.object({
  name: z.pipe(z.string().check(z.minLength(1), z.maxLength(512)), z.transform(harmlessText)),
  language: z.pipe(z.string().check(z.minLength(1), z.maxLength(64)), z.transform(harmlessText)),
  id: z.catch(
    z.nullable(
      z.pipe(
        z.union([z.pipe(z.int(), z.transform(String)), z.string()]),
        z.string().check(z.regex(/^\w{1,64}$/)),
      ),
    ),
    null,
  ),
  status: Label,
  category: Label,
  correct_category: Label,
  quality_score: z.catch(
    z.nullable(
      z.union([z.pipe(z.object({ score: Word }), z.transform(({ score }) => score)), Word]),
    ),
    null,
  ),
  rejected_reason: Label,
  parameter_format: Label,
  components: z.catch(z.array(z.unknown()), []),
  message_send_ttl_seconds: Lifetime,
});

/** The examples of named parameters, in any order. */
const NamedExamples = z.catch(
  z.array(
    z.catch(z.nullable(z.object({ param_name: z.string(), example: z.string() })), null),
  ),
  [],
);

const Component = z.catch(
  z.object({
    type: Label,
    format: Label,
    text: Text,
    example: z.catch(
      z.optional(z.object({
        header_text: Texts,
        body_text: Texts,
        header_text_named_params: NamedExamples,
        body_text_named_params: NamedExamples,
      })),
      undefined,
    ),
    buttons: z.catch(z.array(z.unknown()), []),
  }),
  { type: null, format: null, text: undefined, example: undefined, buttons: [] },
);
type Component = z.output<typeof Component>;

const Button = z.catch(z.object({ type: Label, text: Text, url: Text, example: Texts }), {
  type: null,
  text: undefined,
  url: undefined,
  example: [],
});

/**
 * Reads one template of the channel's list. A part that is missing or has an unknown structure does
 * not affect the others. Components of more than 64 KiB are left out, and the template is then
 * unsupported as `TOO_LARGE`. Never throws.
 *
 * @param listed an item of `GET /{business account id}/message_templates`.
 * @returns null when the template has no name or no language. Such a template cannot be sent.
 */
export function catalogueEntry(listed: unknown): CatalogueEntry | null {
  const read = Listed.safeParse(listed);
  if (!read.success) return null;
  const { data: template } = read;
  const { category, correct_category, rejected_reason } = template;
  // Placeholders and examples are read from the harmless copy. The sample's signed URL is read from
  // the original.
  const components = harmlessJson(template.components) as unknown[];
  const isTooLarge = byteLength(components) > MAX_COMPONENTS_BYTES;
  const parts = isTooLarge ? [] : components.map((component) => Component.parse(component));
  const header = parts.findIndex(({ type, format }) =>
    type === "HEADER" && MEDIA_FORMATS.has(format ?? "")
  );
  return {
    channel_template_id: template.id,
    name: template.name,
    language: template.language,
    status: template.status ?? "UNKNOWN",
    category,
    upcoming_category: correct_category === category ? null : correct_category,
    quality: template.quality_score,
    rejected_reason: rejected_reason === "NONE" ? null : rejected_reason,
    components: isTooLarge ? [] : components,
    ...readComponents(parts, { category, format: formatOf(template.parameter_format, parts) }),
    ...(isTooLarge && { unsupported: ["TOO_LARGE"] }),
    sample_url: header < 0 ? null : sampleUrl(template.components, header),
    ttl_seconds: template.message_send_ttl_seconds,
  };
}

function byteLength(value: unknown): number {
  return new TextEncoder().encode(JSON.stringify(value)).length;
}

type Format = CatalogueEntry["parameter_format"];

/** The channel lists no format for a template that was created before named parameters existed. */
function formatOf(listed: string | null, parts: Component[]): Format {
  if (listed === "NAMED" || listed === "POSITIONAL") return listed;
  const names = parts.flatMap(({ text }) => placeholders(text ?? ""));
  return names.every(isNumber) ? "POSITIONAL" : "NAMED";
}

type Parts = Pick<
  CatalogueEntry,
  | "parameter_format"
  | "header_format"
  | "variables"
  | "otp_button"
  | "rendering"
  | "unsupported"
>;

/** The values that a send must provide, and the text that the recipient sees. */
function readComponents(
  parts: Component[],
  { category, format }: { category: string | null; format: Format },
): Parts {
  const isAuthentication = category === "AUTHENTICATION";
  const read: Parts = {
    parameter_format: format,
    header_format: null,
    variables: { header: [], body: [], buttons: [] },
    otp_button: null,
    rendering: { header: null, body: null, footer: null, buttons: [] },
    unsupported: [],
  };
  const unsupported = new Set<string>();
  for (const part of parts) {
    switch (part.type) {
      case "HEADER": {
        read.header_format = part.format ?? "TEXT";
        if (read.header_format === "TEXT") {
          [read.variables.header, read.rendering.header] = readText(part, format, "header_text");
        } else if (!MEDIA_FORMATS.has(read.header_format)) {
          unsupported.add(read.header_format);
        }
        break;
      }
      case "BODY":
        [read.variables.body, read.rendering.body] = readText(part, format, "body_text");
        break;
      case "FOOTER":
        read.rendering.footer = part.text ?? null;
        break;
      case "BUTTONS":
        for (const button of part.buttons) readButton(button, isAuthentication, read, unsupported);
        break;
      default:
        unsupported.add(part.type ?? "UNKNOWN");
    }
  }
  // The channel lists the body of an authentication template with or without its text.
  const isCode = read.otp_button !== null || isAuthentication && read.rendering.body === null;
  if (isCode && read.variables.body.length === 0) {
    read.variables.body = [{ name: "1", example: null }];
  }
  return { ...read, unsupported: [...unsupported].slice(0, MAX_UNSUPPORTED) };
}
function readText(
  { text, example }: Component,
  format: Format,
  kind: "header_text" | "body_text",
): [TemplateVariable[], Pieces | null] {
  if (text === undefined) return [[], null];
  const { names, pieces } = templateText(text, format);
  const named = new Map(
    example?.[`${kind}_named_params`].map((each) => [each?.param_name, each?.example]),
  );
  const variables = names.map((name, n) => ({
    name,
    example: (format === "NAMED" ? named.get(name) : example?.[kind][n]) ?? null,
  }));
  return [variables, pieces];
}

/**
 * The types of buttons that need no value in a send. The exception is a URL button with a
 * placeholder, which needs a value.
 */
const STATIC_BUTTONS = new Set(["QUICK_REPLY", "PHONE_NUMBER", "URL", "VOICE_CALL"]);

function readButton(
  listed: unknown,
  isAuthentication: boolean,
  read: Parts,
  unsupported: Set<string>,
) {
  const { type, text, url = "", example } = Button.parse(listed);
  const { rendering, variables } = read;
  const index = rendering.buttons.length;
  const add = (kind: ButtonVariable["kind"], text: string, example: string | null) => {
    rendering.buttons.push(text);
    variables.buttons.push({ index, kind, text, example });
  };
  // The channel lists the button of an authentication template as OTP or as a URL.
  const isOtp = type === "OTP" ||
    isAuthentication && type === "URL" && /otp\{\{\s*1\s*\}\}/i.test(url);
  if (isOtp) {
    rendering.buttons.push(text ?? "");
    read.otp_button ??= index;
  } else if (type === "URL" && placeholders(url).length > 0) {
    add("url", text ?? "", suffixOf(example[0], url));
  } else if (type === "COPY_CODE") {
    add("copy_code", text ?? "", example[0] ?? null);
  } else {
    rendering.buttons.push(text ?? "");
    if (!STATIC_BUTTONS.has(type ?? "")) unsupported.add(type ?? "UNKNOWN");
  }
}

/**
 * The example of a button's variable. The channel's example is the whole URL, but only the variable
 * part is needed.
 */
function suffixOf(example: string | null | undefined, url: string): string | null {
  if (!example) return null;
  const [before] = url.split("{{");
  return example.startsWith(before) ? example.slice(before.length) : example;
}

/**
 * The signed URL of a media header's sample; null when there is none.
 *
 * @param n the index of the header among the components.
 */
function sampleUrl(components: unknown[], n: number): string | null {
  const { example } = components[n] as { example?: { header_handle?: unknown } };
  const address = [example?.header_handle].flat()[0];
  if (typeof address !== "string" || address.length > MAX_SAMPLE_URL) return null;
  const url = URL.canParse(address) ? new URL(address) : null;
  if (!url || !/^https?:$/.test(url.protocol)) return null;
  url.hash = "";
  // The URL may be longer than the string that was parsed, because some characters had to be
  // encoded.
  const { href } = url;
  const isStorable = href.length <= MAX_SAMPLE_URL &&
    href.split("?", 1)[0].length <= MAX_SAMPLE_SOURCE;
  return isStorable ? href : null;
}
