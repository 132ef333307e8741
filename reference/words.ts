import type { OperationId } from "./functions.ts";

// The prose of the operations. It does not compile when one has none.

/** The groups of operations, each with its description. */
export const TAGS = {
  Contacts:
    "The people with whom the company talks. One person is one contact: the spellings of a phone " +
    "that WhatsApp treats as one number lead to the same contact.",
  Deals: "Sales opportunities. A deal has a contact and is in a stage of a pipeline.",
  Pipelines: "Sales pipelines and their stages.",
  Conversations:
    "Conversations with contacts. A conversation begins with a message, so no operation creates one.",
  People: "The teams and members of your company, to whom conversations are assigned.",
  Templates: "The WhatsApp templates of your company, and sends of those that are approved.",
  Sends: "What became of each message that your company sent with this API.",
  Search: "One search over several kinds of records.",
  Service: "For monitors and tools. No key is needed.",
} as const;

interface Words {
  tag: keyof typeof TAGS;
  summary: string;
  description: string;
}

/** The descriptions of the operations. */
export const OPERATIONS = {
  listContacts: {
    tag: "Contacts",
    summary: "List contacts",
    description:
      "Lists the contacts of your company, newest first unless `sort` says otherwise. `q` searches `name`, " +
      "`email`, `phone` and `empresa`.",
  },
  listContactChanges: {
    tag: "Contacts",
    summary: "List changes of contacts",
    description:
      "Lists the contacts of your company that were created, changed or deleted since the cursor, each as it " +
      'is now, or as a `DeletedRow`. "Keep a copy in step" says how to use it.',
  },
  getContact: {
    tag: "Contacts",
    summary: "Get a contact",
    description: "Answers one contact of your company, by its id.",
  },
  createContact: {
    tag: "Contacts",
    summary: "Create a contact",
    description:
      "Creates a contact. When your company already has a contact with this phone, or with another " +
      "spelling of it, the answer is a 409 with the id of that contact.",
  },
  putContact: {
    tag: "Contacts",
    summary: "Create or update a contact",
    description:
      "Creates the contact of a phone (201), or updates the one that your company has with this phone in any spelling " +
      "(200). The stored spelling stays. A field that is left out keeps its value, or takes its default in a new contact; " +
      "`null` clears a field that may be null. A contact that would not change keeps its `version`. Of many such " +
      "requests at once, one creates the contact.",
  },
  writeContacts: {
    tag: "Contacts",
    summary: "Create or update many contacts",
    description:
      "Writes up to 500 contacts, each named by its `phone`, as `PUT /contacts` does. `on_conflict` says what becomes of " +
      "those that your company has already. Each item is judged by itself, and `data` has what became of each, in the " +
      "order of the items. Two items for one person are done one after the other. With `atomic=true`, all are written or " +
      "none. Where all contacts together would be too large for one answer, they are answered without `custom_fields`.",
  },
  updateContacts: {
    tag: "Contacts",
    summary: "Update many contacts",
    description:
      "Updates up to 500 contacts, each named by its `id`, with a JSON Merge Patch. Each item is judged by itself, and " +
      "`data` has what became of each, in the order of the items. Two items for one contact are done one after the other. " +
      "With `atomic=true`, all are updated or none. Where all contacts together would be too large for one answer, they " +
      "are answered without `custom_fields`.",
  },
  updateContact: {
    tag: "Contacts",
    summary: "Update a contact",
    description:
      "Updates a contact. `phone` is required. A field that is left out keeps its value; `null` " +
      "clears a field that may be null. As `application/merge-patch+json`, `phone` may be left out too, and " +
      "`custom_fields` is merged instead of replaced.",
  },
  archiveContact: {
    tag: "Contacts",
    summary: "Archive a contact",
    description:
      "Archives a contact: it is left out of every list and search, and its phone is free for another one. Its deals and " +
      "conversations stay, its wish not to be contacted holds, and nothing is lost. Archiving it again changes nothing.",
  },
  restoreContact: {
    tag: "Contacts",
    summary: "Restore a contact",
    description:
      "Restores an archived contact as it was, and answers it. While another contact has its phone, the answer is a 409 " +
      "with the id of that one. A contact that is not archived is answered as it is.",
  },
  mergeContact: {
    tag: "Contacts",
    summary: "Merge two contacts",
    description:
      "Makes two contacts of one person one. The contact in the path stays, and takes over the deals, conversations, " +
      "messages and sends of `from`; tags are united, empty fields are filled, a wish not to be contacted of either stays, " +
      "and the phone of `from` is a further phone of it. The id of `from` leads to it from then on: a `GET` answers it with " +
      "`merged_into`, and a write is a 409 with its id. Merged again, the answer is the same.",
  },
  exportContact: {
    tag: "Contacts",
    summary: "Export all that is held on a person",
    description:
      "Answers everything that is held on the person of a contact, as one JSON: the contact, ids and former phones, " +
      "windows, deals, conversations, messages and sends. It is made while it is sent, from several reads. An answer " +
      "that ends before its last brace is not whole: ask again.",
  },
  eraseContact: {
    tag: "Contacts",
    summary: "Erase a person",
    description:
      "Erases the person of a contact, for good: name, phone, e-mail address, custom fields, the content of all messages, " +
      "the channel's ids and its stored events. Ids, times, states, amounts and counts stay. `confirm` must be the id " +
      "in the path. Nothing can be undone. Erased again, the answer is the same.",
  },
  listDeals: {
    tag: "Deals",
    summary: "List deals",
    description:
      "Lists the deals of your company, newest first unless `sort` says otherwise. `q` searches `title`. " +
      "`include` adds the contact and the stage of each deal.",
  },
  listDealChanges: {
    tag: "Deals",
    summary: "List changes of deals",
    description:
      "Lists the deals of your company that were created, changed or deleted since the cursor, each as it " +
      'is now, or as a `DeletedRow`. "Keep a copy in step" says how to use it.',
  },
  getDeal: {
    tag: "Deals",
    summary: "Get a deal",
    description:
      "Answers one deal of your company, by its id; with `include`, also its contact and its stage.",
  },
  createDeal: {
    tag: "Deals",
    summary: "Create a deal",
    description: "Creates a deal with a contact, in a stage. A new deal is open.",
  },
  updateDeal: {
    tag: "Deals",
    summary: "Update a deal",
    description:
      "Updates at least one field of a deal. A new `stage_id` moves the deal to that stage.",
  },
  archiveDeal: {
    tag: "Deals",
    summary: "Archive a deal",
    description:
      "Archives a deal: it is left out of every list and search. Archiving it again changes nothing.",
  },
  restoreDeal: {
    tag: "Deals",
    summary: "Restore a deal",
    description:
      "Restores an archived deal as it was, and answers it. A deal that is not archived is answered as it is. Its contact " +
      "may be archived.",
  },
  createDeals: {
    tag: "Deals",
    summary: "Create many deals",
    description:
      "Creates up to 500 deals. Each item is judged by itself, as the body of `POST /deals` would be, and `data` has what " +
      "became of each, in the order of the items. With `atomic=true`, all are created or none.",
  },
  updateDeals: {
    tag: "Deals",
    summary: "Update many deals",
    description:
      "Updates up to 500 deals, each named by its `id`. Each item is judged by itself, and `data` has what became of each, " +
      "in the order of the items. Two items for one deal are done one after the other. With `atomic=true`, all are " +
      "updated or none.",
  },
  listDealHistory: {
    tag: "Deals",
    summary: "List the history of a deal",
    description:
      "Lists what happened to a deal, newest first unless `sort` says otherwise: its creation, and each move to another " +
      "stage or status, with when and by whom. The creation is the oldest entry.",
  },
  listPipelines: {
    tag: "Pipelines",
    summary: "List pipelines",
    description:
      "Lists the pipelines of your company, by position unless `sort` says otherwise. `include=stages` adds the " +
      "stages of each, by position.",
  },
  getPipeline: {
    tag: "Pipelines",
    summary: "Get a pipeline",
    description:
      "Answers one pipeline of your company, by its id; with `include=stages`, also its stages by position.",
  },
  createPipeline: {
    tag: "Pipelines",
    summary: "Create a pipeline",
    description:
      "Creates a pipeline without stages. With a `position`, those from there on make room; without one, it becomes the " +
      "last one. With `is_default`, the default pipeline no longer is.",
  },
  updatePipeline: {
    tag: "Pipelines",
    summary: "Update a pipeline",
    description:
      "Updates at least one field of a pipeline. A new `position` moves it, and the others make room. `is_default: true` " +
      "makes it the default one in place of the other; `false` for the default one is a 409, and so is a change of an " +
      "archived pipeline.",
  },
  archivePipeline: {
    tag: "Pipelines",
    summary: "Archive a pipeline",
    description:
      "Archives a pipeline with its stages: lists no longer have them, and no deal comes into them. To archive it again " +
      "changes nothing. The default pipeline, and one with deals, is a 409.",
  },
  listStages: {
    tag: "Pipelines",
    summary: "List stages",
    description:
      "Lists the stages of all pipelines, or of those that `pipeline_id` names. Unless `sort` says " +
      "otherwise, they are grouped by pipeline, and by position within it. A `pipeline_id` that your " +
      "company does not have is a 422.",
  },
  getStage: {
    tag: "Pipelines",
    summary: "Get a stage",
    description: "Answers one stage of your company, by its id.",
  },
  createStage: {
    tag: "Pipelines",
    summary: "Create a stage",
    description:
      "Creates a stage of a pipeline. With a `position`, the stages from there on make room; without one, it becomes the " +
      "last one of the pipeline.",
  },
  updateStage: {
    tag: "Pipelines",
    summary: "Update a stage",
    description:
      "Updates at least one field of a stage. A new `position` moves it, and the others make room; a new `pipeline_id` " +
      "moves it with its deals to that pipeline. A change of an archived stage is a 409.",
  },
  archiveStage: {
    tag: "Pipelines",
    summary: "Archive a stage",
    description:
      "Archives a stage: lists no longer have it, and no deal comes into it. Its deals move to the stage in " +
      "`move_deals_to`, all at once, and their history tells of it; a stage that has deals is a 422 without it. To " +
      "archive a stage again changes nothing.",
  },
  listConversations: {
    tag: "Conversations",
    summary: "List conversations",
    description:
      "Lists the conversations of your company, newest first unless `sort` says otherwise. " +
      "`include=contact` adds the contact of each.",
  },
  listConversationChanges: {
    tag: "Conversations",
    summary: "List changes of conversations",
    description:
      "Lists the conversations of your company that were created, changed or deleted since the cursor, each as it " +
      'is now, or as a `DeletedRow`. "Keep a copy in step" says how to use it.',
  },
  getConversation: {
    tag: "Conversations",
    summary: "Get a conversation",
    description:
      "Answers one conversation of your company, by its id; with `include=contact`, also its contact.",
  },
  updateConversation: {
    tag: "Conversations",
    summary: "Assign a conversation or change its status",
    description:
      "Updates at least one field of a conversation. `null` removes the assignee or the team. " +
      "Opening a closed conversation is a 409 while the contact has another one on the same account " +
      "that is not closed.",
  },
  listMessages: {
    tag: "Conversations",
    summary: "List the messages of a conversation",
    description:
      "Lists the messages of one conversation, newest first unless `sort` says otherwise. A conversation " +
      "without messages has an empty list; one that your company does not have is a 404.",
  },
  listMessageChanges: {
    tag: "Conversations",
    summary: "List changes of messages",
    description:
      "Lists the messages of your company that were created, changed or deleted since the cursor, each as it " +
      'is now, or as a `DeletedRow`. "Keep a copy in step" says how to use it.',
  },
  getMessage: {
    tag: "Conversations",
    summary: "Get a message",
    description: "Answers one message of your company. Its `status` says how far it has come.",
  },
  listTeams: {
    tag: "People",
    summary: "List teams",
    description:
      "Lists the teams of your company, newest first unless `sort` says otherwise. The `team_id` of a " +
      "conversation is the id of one of them.",
  },
  getTeam: {
    tag: "People",
    summary: "Get a team",
    description: "Answers one team of your company.",
  },
  listMembers: {
    tag: "People",
    summary: "List members",
    description:
      "Lists the members of your company, newest first unless `sort` says otherwise. The `assigned_to` " +
      "of a conversation is the id of one of them.",
  },
  getMember: {
    tag: "People",
    summary: "Get a member",
    description: "Answers one member of your company. An email address is not shown.",
  },
  listTemplates: {
    tag: "Templates",
    summary: "List templates",
    description:
      "Lists the message templates of your company's WhatsApp Business accounts, as they were last read " +
      "from the channel: by name, and by language within it, unless `sort` says otherwise. `status` and " +
      "`category` are found in any case.",
  },
  getTemplate: {
    tag: "Templates",
    summary: "Get a template",
    description:
      "Answers one template: what it looks like, what a send must carry, and whether it can be sent " +
      "now.",
  },
  findSend: {
    tag: "Sends",
    summary: "Find a send by its idempotency key",
    description:
      "Answers what became of the send with this idempotency key, in a list of none or one, and sends nothing. The " +
      "value is taken as it is: a comma in it is a comma.",
  },
  getSend: {
    tag: "Sends",
    summary: "Get a send",
    description:
      "Answers what became of the send of one message, by the `message_id` that the send was answered with. `state` " +
      "is that of a repeat with the same idempotency key; `status` is that of the message. A `pending` send whose " +
      "lease has ended is shown as `failed`, with the reason `outcome_unknown`.",
  },
  search: {
    tag: "Search",
    summary: "Search contacts, deals and conversations",
    description:
      "Finds contacts, deals, and the conversations of contacts by words, best first: for a search box. Each word must " +
      "be in the record, in any order, accents and case aside. Best is a label that is the text, then one that begins " +
      "with it, then one with a word that begins with it; then the newest.",
  },
  getHealth: {
    tag: "Service",
    summary: "Check the service",
    description:
      "Succeeds while the database answers, and names the release of the functions. Answers within " +
      "two seconds.",
  },
  getOpenApi: {
    tag: "Service",
    summary: "Get this description",
    description:
      "Answers the description of the API in OpenAPI 3.1, for tools that generate clients, tests or " +
      "pages from it.",
  },
  sendExternalTemplate: {
    tag: "Templates",
    summary: "Send a template",
    description:
      "Finds or creates the contact, finds or opens the conversation, stores the message and sends " +
      "the template. **Always check `success`.** An answer with the status 200 can have `success` " +
      "false: the contact must not be contacted, or an earlier send with the same idempotency key is " +
      "pending or has failed. Give every message an `idempotency_key`. Then you can repeat a request " +
      "blindly, and nothing is sent twice. `GET /templates` of the gateway shows what a template takes.",
  },
  sendReply: {
    tag: "Conversations",
    summary: "Reply in a conversation",
    description:
      "Sends a text in a conversation, for as long as its window is open: until `window_expires_at`, 24 hours after " +
      "the person's last message. After that, the answer is a 409 `window_closed`, and only a template can be sent. " +
      "**Always check `success`**, and give every message an `idempotency_key`, as for a template send.",
  },
} satisfies Record<OperationId, Words>;
