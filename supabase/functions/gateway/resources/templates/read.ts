import { table } from "../../../_shared/database/table.ts";
import { whyNotSendable } from "../../../_shared/templates/template_words.ts";
import { choice, list, searchedText, text, time } from "../../records/filters.ts";
import { listOperation } from "../../records/list_operation.ts";
import { CHANNEL_NUMBER, LANGUAGE, UPPER_CASE, UUID } from "../../records/query_values.ts";
import { readOperation } from "../../records/read_operation.ts";
import { resource } from "../../records/resource.ts";
import { byId, byText, byTime, orderBy } from "../../records/sorting.ts";
import { MEDIA, StoredTemplate, Template } from "./row.ts";

const TEMPLATE = resource({
  table: table("templates", StoredTemplate, "own_templates", "own_plain_templates"),
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

/** See the specification, 4.12. */
export const templates = [
  listOperation({ id: "listTemplates", path: "/templates", resource: TEMPLATE }),

  readOperation({ id: "getTemplate", path: "/templates/:id", resource: TEMPLATE }),
];

/** A template as callers see it. */
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
