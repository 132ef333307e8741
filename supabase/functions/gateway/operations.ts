import type { GatewayConfig } from "./gateway_config.ts";
import { health } from "./health.ts";
import { me } from "./me.ts";
import { openApi } from "./openapi.ts";
import { contactArchiving } from "./resources/contacts/archive.ts";
import { erasing } from "./resources/contacts/erase.ts";
import { contactExport } from "./resources/contacts/export.ts";
import { merging } from "./resources/contacts/merge.ts";
import { contactReads } from "./resources/contacts/read.ts";
import { contactWrites } from "./resources/contacts/write.ts";
import { conversationReads } from "./resources/conversations/read.ts";
import { conversationWrites } from "./resources/conversations/write.ts";
import { dealReads } from "./resources/deals/read.ts";
import { dealWrites } from "./resources/deals/write.ts";
import { events } from "./resources/events/read.ts";
import { members } from "./resources/members/read.ts";
import { messageMedia } from "./resources/messages/media.ts";
import { messages } from "./resources/messages/read.ts";
import { pipelineReads } from "./resources/pipelines/read.ts";
import { pipelineWrites } from "./resources/pipelines/write.ts";
import { search } from "./resources/search/read.ts";
import { sends } from "./resources/sends/read.ts";
import { stageReads } from "./resources/stages/read.ts";
import { stageWrites } from "./resources/stages/write.ts";
import { teams } from "./resources/teams/read.ts";
import { templates } from "./resources/templates/read.ts";
import { deliverAgain } from "./resources/webhooks/deliver_again.ts";
import { webhookReads } from "./resources/webhooks/read.ts";
import { webhookWrites } from "./resources/webhooks/write.ts";

/** All gateway operations, in the order in which the OpenAPI document lists them. */
export function gatewayOperations(config: GatewayConfig) {
  return [
    ...contactReads,
    ...contactArchiving,
    ...contactWrites,
    merging,
    contactExport,
    erasing,
    ...dealReads,
    ...dealWrites,
    ...pipelineReads,
    ...pipelineWrites,
    ...stageReads,
    ...stageWrites,
    ...conversationReads,
    ...conversationWrites,
    ...messages,
    messageMedia(config),
    ...teams,
    ...members,
    ...templates,
    ...sends,
    ...events,
    search,
    ...webhookReads,
    ...webhookWrites(config),
    ...deliverAgain,
    me(config),
    health(config),
    openApi,
  ];
}
