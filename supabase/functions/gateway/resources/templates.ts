import * as z from "zod";
import { table } from "../../_shared/database/table.ts";
import { ROW_IDS, ROW_TIMES, Timestamp, verbatim } from "../../_shared/http/fields.ts";
import { whyNotSendable } from "../../_shared/whatsapp/template_words.ts";
import { choice, list, searchedText, text, time } from "../records/filters.ts";
import { listOperation } from "../records/list_operation.ts";
import { CHANNEL_NUMBER, LANGUAGE, UPPER_CASE, UUID } from "../records/query_values.ts";
import { readOperation } from "../records/read_operation.ts";
import { resource } from "../records/resource.ts";
import { byId, byText, byTime, orderBy } from "../records/sorting.ts";

// One schema serves many fields: making one takes a tenth of a millisecond at the start.
const Text = z.string();
const TextOrNull = Text.nullable();
const Texts = z.array(Text);
const Count = z.int().meta({ minimum: 0 });

/** A variable of a header or body. */
export const TemplateVariable = z.object({ name: Text, example: TextOrNull })
  .meta({ id: "TemplateVariable" });

/** A button that needs a value on each send. */
export const TemplateButton = z.object({
  index: Count,
  kind: z.enum(["url", "copy_code"]),
  text: Text,
  example: TextOrNull,
}).meta({ id: "TemplateButton" });

const Variables = z.array(TemplateVariable);

/** The variables of a template, in the order in which a send gives them. */
export const TemplateVariables = z.object({
  header: Variables,
  body: Variables,
  buttons: z.array(TemplateButton),
}).meta({ id: "TemplateVariables" });

const MEDIA = ["image", "video", "document"] as const;

/** What a send of a template must carry. */
export const TemplateNeeds = z.object({
  template_header_type: z.enum(MEDIA).nullable(),
  header_variables: Count,
  body_variables: Count,
  button_variables: Count,
}).meta({ id: "TemplateNeeds" });

/** The fields that callers see as they are stored. */
const AS_STORED = {
  ...ROW_IDS,
  business_account_id: Text,
  phone_number_ids: Texts,
  name: verbatim(512),
  language: verbatim(64),
  status: Text,
  category: TextOrNull,
  upcoming_category: TextOrNull,
  quality: TextOrNull,
  rejected_reason: TextOrNull,
  parameter_format: z.enum(["POSITIONAL", "NAMED"]),
  components: z.array(z.looseObject({})),
  variables: TemplateVariables,
};
const TIMES = { read_at: Timestamp, ...ROW_TIMES };

/** A template of the company at the channel; specification, 2.7. */
export const Template = z.object({
  ...AS_STORED,
  send: TemplateNeeds,
  can_be_sent: z.boolean(),
  why_not: Texts,
  ...TIMES,
}).meta({ id: "Template" });
type Template = z.output<typeof Template>;

/** What is read of a row: the fields that callers see, and those from which the others are made. */
const StoredTemplate = z.object({
  ...AS_STORED,
  ...TIMES,
  header_format: TextOrNull,
  status_since: Timestamp,
  unsupported: Texts,
  media_problem: TextOrNull,
});
type StoredTemplate = z.output<typeof StoredTemplate>;

const TEMPLATE = resource({
  table: table("templates", StoredTemplate, "own_templates"),
  name: "Template",
  answered: { schema: Template, of: answered },
  filters: {
    id: choice("id", UUID),
    name: searchedText("name", "name_words"),
    language: choice("language", LANGUAGE),
    status: choice("status", UPPER_CASE),
    category: text("category", UPPER_CASE),
    business_account_id: choice("business_account_id", CHANNEL_NUMBER),
    phone_number_id: { is: list("phone_number_ids", CHANNEL_NUMBER).is },
    created_at: time("created_at"),
    updated_at: time("updated_at"),
  },
  sorts: {
    name: byText("name"),
    created_at: byTime("created_at"),
    updated_at: byTime("updated_at"),
  },
  order: orderBy("name", byText("name"), byText("language"), byId()),
});

/** Specification, 4.12. */
export const templates = [
  listOperation({ id: "listTemplates", path: "/templates", resource: TEMPLATE }),

  readOperation({ id: "getTemplate", path: "/templates/:id", resource: TEMPLATE }),
];

/** A row as callers see it. */
function answered(stored: StoredTemplate): Template {
  const { read_at, created_at, updated_at, ...others } = stored;
  const { header_format, status_since, unsupported, media_problem, ...fields } = others;
  const { header, body, buttons } = fields.variables;
  const { status, phone_number_ids } = fields;
  const why_not = whyNotSendable({
    ...{ status, status_since, unsupported, media_problem, phone_number_ids },
  });
  return {
    ...fields,
    variables: { header, body, buttons },
    send: {
      template_header_type: MEDIA.find((media) => media.toUpperCase() === header_format) ?? null,
      header_variables: header.length,
      body_variables: body.length,
      button_variables: buttons.length,
    },
    can_be_sent: why_not.length === 0,
    why_not,
    ...{ read_at, created_at, updated_at },
  };
}
