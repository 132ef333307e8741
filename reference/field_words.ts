import type * as z from "zod";
import type {
  BatchItemError,
  BatchSummary,
} from "../supabase/functions/gateway/records/batch_operation.ts";
import type { DeletedRow } from "../supabase/functions/gateway/records/changes.ts";
import type { Health } from "../supabase/functions/gateway/health.ts";
import type { OpenApi } from "../supabase/functions/gateway/openapi.ts";
import type {
  ContactExport,
  ContactFormerPhone,
  ContactIdentity,
  ContactIdentityEvent,
  ContactWindow,
  ContactWishes,
} from "../supabase/functions/gateway/resources/contact_export.ts";
import type { Contact } from "../supabase/functions/gateway/resources/contacts.ts";
import type { Conversation } from "../supabase/functions/gateway/resources/conversations.ts";
import type { DealHistoryEntry } from "../supabase/functions/gateway/resources/deal_history.ts";
import type { Deal } from "../supabase/functions/gateway/resources/deals.ts";
import type { Member } from "../supabase/functions/gateway/resources/members.ts";
import type {
  Message,
  MessageFailure,
  MessageMedia,
  MessageReaction,
} from "../supabase/functions/gateway/resources/messages.ts";
import type { Pipeline } from "../supabase/functions/gateway/resources/pipelines.ts";
import type { Send } from "../supabase/functions/gateway/resources/sends.ts";
import type { Stage } from "../supabase/functions/gateway/resources/stages.ts";
import type { Team } from "../supabase/functions/gateway/resources/teams.ts";
import type {
  Template,
  TemplateButton,
  TemplateNeeds,
  TemplateVariable,
  TemplateVariables,
} from "../supabase/functions/gateway/resources/templates.ts";
import type {
  DoNotContact,
  DryRun,
  Repeat,
  Sent,
} from "../supabase/functions/_shared/sending/answers.ts";
import type { MarketingOptOut } from "../supabase/functions/send-external-template/answers.ts";
import type { SendRequest } from "../supabase/functions/send-external-template/request.ts";
import type { ReplyRequest } from "../supabase/functions/whatsapp/replies/request.ts";

// The prose of the schemas and their fields. It does not compile when a field of a record has none.

type FieldsOf<Schema extends z.ZodType> = Record<keyof z.output<Schema> & string, string>;

const COMMON = {
  id: "The id of the record.",
  company_id: "The company of the record, which is the company of the key.",
  created_at: "When the record was created.",
  updated_at: "When the record was last changed.",
};

const version =
  "The number of the record's latest change, as a text of digits. In double quotes, it is the ETag of the record.";

const batch = { items: "What to write, in any order." };

const batchItemError: FieldsOf<typeof BatchItemError> = {
  error: "What is wrong, in a sentence for people.",
  code: "The error's code.",
  details: "What is wrong with each field of the item; `item` for the whole item.",
  existing_id: "The id of the record that has what only one may have.",
};

const batchSummary: FieldsOf<typeof BatchSummary> = {
  total: "How many items there are.",
  created: "How many records were created.",
  updated: "How many records were updated.",
  failed: "How many items failed.",
};

/** Of a record that is a row. */
const ROW = { ...COMMON, version };

const found = {
  type: "What kind of record it is.",
  id: "The id of the record.",
  label: "What to show of the record in one line. Of a conversation: its contact.",
  row: "The record.",
};

const contact: FieldsOf<typeof Contact> = {
  ...ROW,
  name: "The person's name.",
  email: "The person's email address.",
  phone:
    "The person's phone in E.164 format with a leading plus sign, stored as sent. `null` in answers " +
    "for a person whose phone the channel hides.",
  temperature: "How warm the lead is.",
  tags: "Labels to group contacts by.",
  source: "Where the contact came from.",
  job_title: "The person's job.",
  empresa: "The company that the person works for.",
  custom_fields: "Fields of your own: any JSON object.",
  do_not_contact: "Whether sends to this contact are blocked.",
  do_not_contact_source:
    "Who said so last: `manual`, a person or a key of your company; `word`, the contact by a message such as `stop` " +
    "or `start`. `null` when nobody ever did.",
  do_not_contact_at: "When that was said; `null` when nobody ever did, and when it is not known.",
  marketing_opt_out_at:
    "Since when the person wants no marketing templates; `null` when that was never said, or was taken back.",
  is_active: "Whether the contact is in use.",
  archived_at: "When the contact was archived; `null` when it is not.",
  erased_at: "When the person was erased; `null` for everybody else.",
};

const deal: FieldsOf<typeof Deal> = {
  ...ROW,
  title: "What the deal is about.",
  value: "The value of the deal, with at most two decimals.",
  status: "The state of the deal. A new deal is `open`.",
  contact_id: "The contact of the deal.",
  stage_id: "The stage that the deal is in.",
  won_at: "Since when the deal is won; `null` unless it is, or when that is not known.",
  lost_at: "Since when the deal is lost; `null` unless it is, or when that is not known.",
  stage_changed_at: "Since when the deal is in its stage. Of a new deal: when it was created.",
  archived_at: "When the deal was archived; `null` when it is not.",
};

const pipeline: FieldsOf<typeof Pipeline> = {
  ...ROW,
  name: "The name of the pipeline.",
  position:
    "The place of the pipeline in the list: 0, 1, 2 and so on. A greater one than the last means the last.",
  is_default: "Whether it is the default pipeline of the company, of which there is always one.",
  archived_at: "Since when the pipeline is archived; `null` while it is in use.",
};

const stage: FieldsOf<typeof Stage> = {
  ...ROW,
  pipeline_id: "The pipeline of the stage.",
  name: "The name of the stage.",
  position:
    "The place of the stage in its pipeline: 0, 1, 2 and so on. A greater one than the last means the last.",
  archived_at: "Since when the stage is archived; `null` while it is in use.",
};

const conversation: FieldsOf<typeof Conversation> = {
  ...ROW,
  contact_id: "The contact of the conversation.",
  phone_number_id:
    "The messaging account, and so the number of your company, that the conversation is on.",
  status: "The state of the conversation. On one account, a contact has at most one conversation " +
    "that is not `closed`.",
  assigned_to: "The member of your company who handles the conversation.",
  team_id: "The team of your company that handles the conversation.",
  last_message_at: "When the last message was sent or received.",
  window_expires_at:
    "Until when your company may reply freely: 24 hours after the contact's last message on this number, " +
    "or when the channel said that it is closed.",
};

/** The descriptions of the fields, by the id of their schema. */
export const FIELDS = {
  Contact: contact,
  NewContact: contact,
  ContactChanges: contact,
  ContactPatch: contact,
  ContactPatchById: contact,
  ContactById: {
    ...contact,
    merged_into:
      "The id of the contact that is answered in the place of the one asked for, which was merged into it. Left out of " +
      "all others.",
  },
  ContactToPut: contact,
  ContactWithoutCustomFields: contact,
  ContactBatch: batch,
  ContactPatchBatch: batch,
  Deal: deal,
  DealWithIncluded: {
    ...deal,
    contact: "The contact of the deal, with `include=contact`.",
    stage: "The stage that the deal is in, with `include=stage`.",
  },
  NewDeal: deal,
  DealChanges: deal,
  DealChangesById: deal,
  NewDealBatch: batch,
  DealChangesBatch: batch,
  BatchItemError: batchItemError,
  BatchSummary: batchSummary,
  DealHistoryEntry: {
    id: "The id of the entry.",
    kind: "What happened: the deal was `created`, or came to another stage or status.",
    from: "The stage or the status of before. `null` for the creation.",
    to:
      "The stage or the status since; of the creation, the stage. `null` when it is not known: the deal is from before " +
      "histories were kept.",
    at: "When it happened. No two entries of a deal have the same time.",
    by: "Who did it. `null` for the service itself, and when it is not known.",
  } satisfies FieldsOf<typeof DealHistoryEntry>,
  ByKey: { api_key_id: "The id of the API key." },
  ByPerson: {
    user_id:
      "The id of the person, which is that of a member while the person works in your company.",
  },
  Pipeline: pipeline,
  PipelineWithIncluded: {
    ...pipeline,
    stages: "The stages of the pipeline by position, with `include=stages`.",
  },
  NewPipeline: pipeline,
  PipelineChanges: pipeline,
  Stage: stage,
  NewStage: stage,
  StageChanges: stage,
  Conversation: conversation,
  ConversationWithIncluded: {
    ...conversation,
    contact: "The contact of the conversation, with `include=contact`.",
  },
  ConversationChanges: conversation,
  Message: {
    ...ROW,
    conversation_id: "The conversation of the message.",
    direction: "`inbound`: from the contact. `outbound`: from your company.",
    type: "The kind of the message. The medium itself is not shown.",
    content:
      "What the message says: the text, the caption of a medium, the label of the button that was tapped. Of a " +
      "template send: its `display_text`. Outbound, at most 4,096 characters.",
    rendered_text:
      "Of a template send: the text as the recipient sees it. `null` for any other message, and when " +
      "the text of the template was not known.",
    status:
      "Of an outbound message: `pending` while the channel's answer is not known, `accepted` when the channel took it, " +
      "then `sent`, `delivered` and `read` as it reports them; `failed` when it did not take or deliver it, or never " +
      "answered; `expired` when its life ended without a report that it arrived. `null` for an inbound one.",
    whatsapp_message_id: "The channel's id of the message; `null` until it is known.",
    sent_at:
      "Outbound: when the channel sent the message on, as it reported. Inbound: when the person sent it.",
    delivered_at:
      "When the message reached a device of the person. May stay `null` for a message that was read.",
    read_at: "When the person read the message, or played it.",
    failed_at: "When the message failed, as the channel reported or answered.",
    expired_at: "When the life of the message ended without a report that it arrived.",
    failure:
      "Why the message failed: what the channel reported, or answered. What it reported stays when the message " +
      "arrived after all.",
    price_category:
      "What the channel counts the message as, such as `marketing`, `utility` or `service`.",
    price_type:
      "How the channel charges it, such as `regular`, `free_customer_service` or `free_entry_point`.",
    payload:
      "Of an inbound message: the channel's own object of its type, without what has a field here. " +
      '`{ "truncated": true }` when that is larger than 64 KiB.',
    media: "Of an inbound message with a medium: what is known of it.",
    reply_to_id: "The message that this one answers, when it is known here.",
    reply_to_whatsapp_id: "The channel's id of the message that this one answers.",
    reaction: "The person's reaction to the message; `null` when there is none.",
    edited_at: "When the person last edited the message. `content` is the newest.",
    revoked_at: "When the person deleted the message for everyone.",
  } satisfies FieldsOf<typeof Message>,
  MessageFailure: {
    reason:
      "The reason in a word of this API, such as `recipient_unreachable` or `window_closed`; `channel_error` for " +
      "any other.",
    code: "The channel's error code.",
    message: "The channel's words.",
    details: "The channel's further words.",
  } satisfies FieldsOf<typeof MessageFailure>,
  MessageMedia: {
    id: "The channel's id of the medium.",
    mime_type: "The kind of the medium, such as `image/jpeg`.",
    sha256: "The hash of the medium, as the channel gives it: in base64.",
    filename: "The name of a document.",
    voice: "Whether an audio is a voice message.",
    animated: "Whether a sticker is animated.",
    expires_at: "Until when the channel keeps the medium.",
  } satisfies FieldsOf<typeof MessageMedia>,
  MessageReaction: {
    emoji: "The emoji.",
    at: "When the person reacted.",
  } satisfies FieldsOf<typeof MessageReaction>,
  ContactExport: {
    contact: "The contact.",
    wishes: "What the person wishes of messages, and what they said of it.",
    identities: "The ids that the channel gives the person.",
    former_phones: "The phones that the person had, or has besides.",
    identity_events: "What the channel reported of the person's phones and ids.",
    windows: "Until when your company may answer the person freely.",
    deals: "The deals of the person.",
    conversations: "The conversations with the person.",
    messages: "The messages of these conversations, one conversation after the other.",
    sends: "What became of each message that your company sent to the person with this API.",
  } satisfies FieldsOf<typeof ContactExport>,
  Merging: {
    from: "The id of the contact that is merged into the one in the path, and is gone then.",
  },
  Erasing: { confirm: "The id of the contact once more, because nothing can be undone." },
  ContactWishes: {
    do_not_contact: contact.do_not_contact,
    do_not_contact_source: contact.do_not_contact_source,
    do_not_contact_at: contact.do_not_contact_at,
    stop_word_at: "When the person last wrote a word such as `stop`.",
    start_word_at: "When the person last wrote a word such as `start`.",
    marketing_stopped_at: "When the person last stopped marketing messages.",
    marketing_stop_source:
      "Who reported it: `preference`, the person in WhatsApp; `status`, the channel of a message.",
    marketing_resumed_at: "When the person last wanted marketing messages again.",
    marketing_opt_out_at: contact.marketing_opt_out_at,
  } satisfies FieldsOf<typeof ContactWishes>,
  ContactIdentity: {
    user_id: "The channel's id of the person for your company.",
    business_account_id: "The WhatsApp Business account at which it was first seen.",
    seen_at: "When it was first seen.",
  } satisfies FieldsOf<typeof ContactIdentity>,
  ContactFormerPhone: {
    phone: "The phone.",
    until: "Until when the person had it; `null` for a further phone of theirs.",
  } satisfies FieldsOf<typeof ContactFormerPhone>,
  ContactIdentityEvent: {
    kind:
      "`phone_changed`, `user_id_changed`; `phone_taken`: the new phone is another contact's; `merged`: another contact, " +
      "whose id is in `was`, is this person.",
    was: "The phone or the id of before.",
    becomes: "The phone or the id since.",
    happened_at: "When it happened.",
  } satisfies FieldsOf<typeof ContactIdentityEvent>,
  ContactWindow: {
    account_id: "The messaging account of your company.",
    last_inbound_at: "When the person last wrote what opens the window.",
    closed_at: "When the channel last said that the window is closed.",
    expires_at: "Until when your company may answer freely.",
  } satisfies FieldsOf<typeof ContactWindow>,
  Team: {
    ...ROW,
    name: "The name of the team.",
  } satisfies FieldsOf<typeof Team>,
  Member: {
    ...ROW,
    id: "The id of the person.",
    name: "The person's name; `null` until one is set.",
    role: "The person's role in the company.",
  } satisfies FieldsOf<typeof Member>,
  Send: {
    message_id: "The message that was sent.",
    company_id: COMMON.company_id,
    conversation_id: "The conversation of the message.",
    idempotency_key: "The caller's name of the send; `null` when it was given none.",
    kind: "`template`: a template was sent. `reply`: a free reply.",
    template_name: "The name of the template; `null` of a reply.",
    language_code: "The language of the template; `null` of a reply.",
    state:
      "What the service knows of the call to the channel. `pending`: it may be under way. `sent`: the channel took " +
      "the message. `failed`: it refused it, or never answered. `released`: it certainly does not have it, and a " +
      "repeat with the idempotency key sends again.",
    status: "How far the message has come: the `status` of the message.",
    attempt: "How often the send was handed to the channel: more than 1 after it was released.",
    error:
      "Why it failed or was released. It stays when the message arrived after all. `outcome_unknown`: the channel " +
      "never answered, and may have sent it.",
    double_sent: "Whether the channel reported that the message went out more than once.",
    whatsapp_message_id: "The channel's id of the message; `null` until it is known.",
    lease_ends_at:
      "Of a `pending` send: when it counts as failed, unless its outcome is known before.",
    sent_at: "When the channel sent the message on, as it reported.",
    delivered_at: "When the message reached a device of the person.",
    read_at: "When the person read the message.",
    failed_at: "When the message failed, as the channel reported or answered.",
    expired_at: "When the life of the message ended without a report that it arrived.",
    created_at: "When the send was first asked for.",
  } satisfies FieldsOf<typeof Send>,
  Template: {
    ...COMMON,
    business_account_id: "The WhatsApp Business account that has the template.",
    phone_number_ids: "The connected messaging accounts that can send the template.",
    name:
      "The name of the template. A name may exist in several languages, each with its own text.",
    language: "The language of the template, such as `pt_BR` or `en`.",
    status: "The channel's word for the state of the template, such as `APPROVED`, `PENDING`, " +
      "`REJECTED`, `PAUSED` or `DISABLED`. `DELETED`: the channel no longer lists it.",
    category: "The channel's category: `MARKETING`, `UTILITY` or `AUTHENTICATION`.",
    upcoming_category:
      "The category that the channel has announced for the template; `null` when " +
      "it stays.",
    quality: "How recipients take the template: `GREEN`, `YELLOW`, `RED` or `UNKNOWN`.",
    rejected_reason: "Why the channel has rejected the template, in its own word.",
    parameter_format: "Whether the text has numbers or names for its variables. A send gives the " +
      "values in order either way.",
    components: "The parts of the template as the channel lists them, without the addresses of " +
      "media.",
    variables: "The variables, in the order in which a send gives their values.",
    send: "What a send of the template must carry.",
    can_be_sent: "Whether the template can be sent now, as far as this service knows.",
    why_not: "Why it cannot be sent, in sentences; empty when it can.",
    read_at: "When the template was last read from the channel.",
  } satisfies FieldsOf<typeof Template>,
  TemplateVariables: {
    header: "The variables of a text header: `header_variables` of a send.",
    body: "The variables of the body: `body_variables` of a send.",
    buttons: "The buttons that need a value: `button_variables` of a send.",
  } satisfies FieldsOf<typeof TemplateVariables>,
  TemplateVariable: {
    name: "The number of the variable, or its name when `parameter_format` is `NAMED`.",
    example: "The value with which the template was submitted to the channel.",
  } satisfies FieldsOf<typeof TemplateVariable>,
  TemplateButton: {
    index: "The place of the button in the template, from 0.",
    kind: "`url`: the value is the end of the button's address. `copy_code`: it is the code to " +
      "copy.",
    text: "The label of the button.",
    example: "The value with which the template was submitted to the channel.",
  } satisfies FieldsOf<typeof TemplateButton>,
  TemplateNeeds: {
    template_header_type:
      "The media in the header, which the service sends by itself; `null` when there is none. A " +
      "send may leave it out, and must not name another one.",
    header_variables: "How many values `header_variables` has.",
    body_variables: "How many values `body_variables` has.",
    button_variables: "How many values `button_variables` has.",
  } satisfies FieldsOf<typeof TemplateNeeds>,
  DeletedRow: {
    id: COMMON.id,
    company_id: COMMON.company_id,
    deleted_at: "When the record was deleted.",
    merged_into:
      "Of a contact that was merged into another one: the id of that one. Left out of all others.",
  } satisfies FieldsOf<typeof DeletedRow>,
  ChangesPagination: {
    limit: "The greatest number of changes on a page.",
    has_more:
      "Whether more changes can be read at once. When it is `false`, the copy is in step for now.",
    next_cursor: "Continues after this page, at once or later.",
  },
  Pagination: {
    limit: "The greatest number of records on a page.",
    has_more: "Whether there is another page.",
    next_cursor: "The `cursor` of the next page; `null` on the last page.",
    total: "How many records the filters find, when `include_total` asks for it; at most 100,000.",
    total_relation: "`eq`: the total is exact. `gte`: there are at least so many.",
  },
  FoundContact: found,
  FoundDeal: found,
  FoundConversation: found,
  Health: {
    status: "Always `ok`: a service that does not work answers an error.",
    version: "The release of the functions.",
  } satisfies FieldsOf<typeof Health>,
  OpenApi: {
    openapi: "The version of OpenAPI.",
    info: "The name of the API and the version of the interface.",
    paths: "The operations, by path and method.",
    components: "The parts that operations share.",
  } satisfies Record<keyof typeof OpenApi.shape, string>,
  SendRequest: {
    phone: "The recipient's phone in E.164 format with a leading plus sign.",
    template_name: "The name of the approved template.",
    language_code: "The language of the template, such as `pt_BR` or `en`.",
    display_text:
      "The text that the history shows and the agent reads, kept to the byte. It need not be the " +
      "rendered template.",
    body_variables: "The values of `{{1}}`, `{{2}}`, … in the body of the template.",
    header_variables: "The values of the variables in a text header.",
    button_variables:
      "The values of the buttons that need one, in the order of the buttons: the end of an address, or " +
      "a code to copy. The code of an authentication template stands in `body_variables` alone.",
    phone_number_id:
      "The connected messaging account that sends. Required when the company has more than one.",
    contact_name: "The name for a new contact. An existing contact keeps its name.",
    idempotency_key:
      "Identifies this one send in your company, for ever, so that a repeat sends nothing. A good " +
      "form is `<purpose>-<contact>-<date>`.",
    template_header_type:
      "The kind of media in the header of the approved template, which the stored message then has as " +
      "its type. The service supplies the media, also when this is left out. With it, " +
      "`header_variables` must be left out or empty.",
  } satisfies FieldsOf<typeof SendRequest>,
  ReplyRequest: {
    conversation_id: "The conversation to reply in. It is not closed.",
    text: "The text of the message, kept to the byte.",
    idempotency_key:
      "Identifies this one send in your company, for ever, so that a repeat sends nothing. Template sends and free " +
      "replies share the keys.",
  } satisfies FieldsOf<typeof ReplyRequest>,
  Sent: {
    success: "The channel accepted the message.",
    conversation_id: "The conversation of the message.",
    message_id: "The id of the stored message.",
    whatsapp_message_id: "The channel's id of the message.",
    created_conversation: "Whether the conversation was opened for this message.",
    idempotent_hit: "The request is not a repeat.",
  } satisfies FieldsOf<typeof Sent>,
  Repeat: {
    success: "Whether the channel accepted the earlier send.",
    status:
      "`sent`: the channel accepted the message. `pending`: the send is in progress; repeat the " +
      "request shortly. `failed`: the send failed for good.",
    conversation_id: "The conversation of the message.",
    message_id: "The id of the stored message.",
    idempotent_hit: "The request repeats an idempotency key, and sent nothing.",
  } satisfies FieldsOf<typeof Repeat>,
  DoNotContact: {
    success: "Nothing was sent.",
    reason:
      "The contact has `do_not_contact` set. A free reply is possible again once the person writes after that.",
  } satisfies FieldsOf<typeof DoNotContact>,
  MarketingOptOut: {
    success: "Nothing was sent.",
    reason: "The template is marketing, and the person has opted out of marketing.",
  } satisfies FieldsOf<typeof MarketingOptOut>,
  DryRun: {
    success: "Whether the answer to the request itself would have `success`: true.",
    dry_run: "The request was a dry run.",
    outcome:
      "`send`: the request would be handed to the channel. `repeat`: it repeats an idempotency key. " +
      "`do_not_contact`: the contact must not be contacted. `marketing_opt_out`: the template is marketing, and " +
      "the person has opted out of marketing.",
  } satisfies FieldsOf<typeof DryRun>,
} as const;

/** The descriptions of the schemas, by their ids. */
export const SCHEMAS: Record<string, string> = {
  Contact: "A person with whom the company talks.",
  NewContact: "A contact to create. A field that is left out takes its default.",
  ContactChanges: "Changes to a contact.",
  ContactById:
    "A contact as it is answered by its id, or by the id of one that was merged into it.",
  ContactToPut:
    "The contact of a phone. A field that is left out keeps its value, or takes its default in a new contact.",
  ContactPatchById:
    "Changes to the contact with this id, as a JSON Merge Patch: `custom_fields` is merged, and `null` removes.",
  ContactWithoutCustomFields:
    "A contact in an answer that would be too large with `custom_fields`.",
  ContactBatch: "Contacts to write. An item that is not as described fails by itself.",
  ContactPatchBatch: "Changes to contacts. An item that is not as described fails by itself.",
  ContactPatch:
    "A JSON Merge Patch (RFC 7396) of a contact: a field that is left out keeps its value, `null` removes, and " +
    "`custom_fields` is merged key by key, at every level.",
  Deal: "A sales opportunity.",
  DealWithIncluded: "A sales opportunity, with the records that `include` adds.",
  NewDeal: "A deal to create.",
  DealChanges: "Changes to a deal.",
  DealChangesById: "Changes to the deal with this id.",
  NewDealBatch: "Deals to create. An item that is not as described fails by itself.",
  DealChangesBatch: "Changes to deals. An item that is not as described fails by itself.",
  BatchItemError:
    "Why an item was not written: the body that such an error has where one record is written, without `request_id`.",
  BatchSummary: "How many items came to what.",
  DealHistoryEntry: "One thing that happened to a deal.",
  ByKey: "By a request with an API key.",
  ByPerson: "By a person who has signed in.",
  Pipeline: "A sales pipeline.",
  PipelineWithIncluded: "A sales pipeline, with the records that `include` adds.",
  NewPipeline: "A pipeline to create.",
  PipelineChanges: "Changes to a pipeline.",
  Stage: "A step of a pipeline.",
  NewStage: "A stage to create.",
  StageChanges: "Changes to a stage.",
  Conversation: "A conversation with a contact.",
  ConversationWithIncluded: "A conversation with a contact, with the records that `include` adds.",
  ConversationChanges: "Changes to a conversation.",
  Message: "A message of a conversation.",
  MessageFailure: "Why a message failed.",
  MessageMedia: "A medium that a person sent. The medium itself stays at the channel.",
  MessageReaction: "What the person thinks of a message.",
  ContactExport: "All that is held on a person.",
  ContactWishes: "What a person wishes of messages.",
  ContactIdentity: "An id that the channel gives a person.",
  ContactFormerPhone: "A phone that a person had, or has besides.",
  ContactIdentityEvent: "What the channel reported of who a person is.",
  ContactWindow: "Until when a person may be answered freely.",
  Merging: "Which contact is merged.",
  Erasing: "The confirmation that a person is to be erased.",
  Send: "What became of a message that your company sent.",
  Team: "A team of your company.",
  Member: "A person who works in your company.",
  Template: "A message template of your company at the channel, as it was last read there.",
  TemplateVariables: "The variables of a template.",
  TemplateVariable: "A variable of a template.",
  TemplateButton: "A button that needs a value on each send.",
  TemplateNeeds: "What a send of a template must carry.",
  DeletedRow: "What is left of a record that was deleted.",
  Pagination: "The place of this page in its list.",
  FoundContact: "A contact that a search has found.",
  FoundDeal: "A deal that a search has found.",
  FoundConversation: "A conversation that a search has found by its contact.",
  ChangesPagination: "The place of this page in the changes.",
  Health: "The state of the service.",
  OpenApi: "A description of an API in OpenAPI 3.1.",
  SendRequest: "A template to send.",
  ReplyRequest: "A free reply to send.",
  SendAnswer: "The result of the request.",
  ReplyAnswer: "The result of the request.",
  Sent: "A first send that the channel accepted.",
  Repeat: "The state of the earlier send with the same idempotency key.",
  DoNotContact: "A refused send: the contact must not be contacted.",
  MarketingOptOut: "A refused send: the person wants no marketing.",
  DryRun: "What the request would do.",
};
