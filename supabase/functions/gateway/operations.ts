import type { Config } from "../_shared/config.ts";
import { health } from "./health.ts";
import { openApi } from "./openapi.ts";
import { contactExport } from "./resources/contact_export.ts";
import { contactWrites } from "./resources/contact_writes.ts";
import { contacts } from "./resources/contacts.ts";
import { conversations } from "./resources/conversations.ts";
import { deals } from "./resources/deals.ts";
import { erasing } from "./resources/erasing.ts";
import { members } from "./resources/members.ts";
import { merging } from "./resources/merging.ts";
import { messages } from "./resources/messages.ts";
import { pipelines } from "./resources/pipelines.ts";
import { search } from "./resources/search.ts";
import { sends } from "./resources/sends.ts";
import { stages } from "./resources/stages.ts";
import { teams } from "./resources/teams.ts";
import { templates } from "./resources/templates.ts";

/** Every operation of the gateway, in the order in which the API's description shows them. */
export function gatewayOperations(config: Config) {
  return [
    ...contacts,
    ...contactWrites,
    merging,
    contactExport,
    erasing,
    ...deals,
    ...pipelines,
    ...stages,
    ...conversations,
    ...messages,
    ...teams,
    ...members,
    ...templates,
    ...sends,
    search,
    health(config),
    openApi,
  ];
}
