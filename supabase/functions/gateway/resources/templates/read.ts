import { table } from "../../../_shared/database/table.ts";
import { answeredTemplate } from "../../../_shared/templates/answered_template.ts";
import { choice, list, searchedText, text, time } from "../../records/filters.ts";
import { listOperation } from "../../records/list_operation.ts";
import { CHANNEL_NUMBER, LANGUAGE, UPPER_CASE, UUID } from "../../records/query_values.ts";
import { readOperation } from "../../records/read_operation.ts";
import { resource } from "../../records/resource.ts";
import { byId, byText, byTime, orderBy } from "../../records/sorting.ts";
import { StoredTemplate, Template } from "./row.ts";

const TEMPLATE = resource({
  table: table("templates", StoredTemplate, "own_templates", "own_plain_templates"),
  name: "Template",
  answered: { schema: Template, of: answeredTemplate },
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
