// Written by `npm run generate` from openapi.json; do not edit.

/** One value, or several. */
export type OneOrMore<Value> = Value | readonly Value[];

/** What `archiveStage` may be asked for, beside what its method takes. */
export type ArchiveStageQuery = {
  /** The stage to which the deals of the stage move. Required when it has deals. */
  move_deals_to?: string | undefined;
};

/** Why an item was not written: the body that such an error has where one record is written, without `request_id`. */
export type BatchItemError = {
  /** What is wrong, in a sentence for people. */
  error: string;
  /** The error's code. */
  code: "not_found" | "conflict" | "invalid_request";
  /** What is wrong with each field of the item; `item` for the whole item. */
  details?: {
    field: string;
    message: string;
  }[];
  /** The id of the record that has what only one may have. */
  existing_id?: string;
};

/** How many items came to what. */
export type BatchSummary = {
  /** How many items there are. */
  total: number;
  /** How many records were created. */
  created: number;
  /** How many records were updated. */
  updated: number;
  /** How many items failed. */
  failed: number;
};

/** By a request with an API key. */
export type ByKey = {
  /** The id of the API key. */
  api_key_id: string;
};

/** By a person who has signed in. */
export type ByPerson = {
  /** The id of the person, which is that of a member while the person works in your company. */
  user_id: string;
};

/** The place of this page in the changes. */
export type ChangesPagination = {
  /** The greatest number of changes on a page. */
  limit: number;
  /** Whether more changes can be read at once. When it is `false`, the copy is in step for now. */
  has_more: boolean;
  /** Continues after this page, at once or later. */
  next_cursor: string;
};

/** The error of the messaging channel, in its own words. */
export type ChannelError = {
  /** The channel's error code. */
  code: number;
  /** The channel's message. */
  message?: string;
  /** The channel's explanation, when it gives one. */
  details?: string;
};

/** A person with whom the company talks. */
export type Contact = {
  /** The id of the record. */
  readonly id: string;
  /** The company of the record, which is the company of the key. */
  readonly company_id: string;
  /** The person's name. */
  name: string | null;
  /** The person's email address. */
  email: string | null;
  /** The person's phone in E.164 format with a leading plus sign, stored as sent. `null` in answers for a person whose phone the channel hides. */
  phone: string | null;
  /** How warm the lead is. */
  temperature: "cold" | "warm" | "hot";
  /** Labels to group contacts by. */
  tags: string[];
  /** Where the contact came from. */
  source: string;
  /** The person's job. */
  job_title: string | null;
  /** The company that the person works for. */
  empresa: string | null;
  /** Fields of your own: any JSON object. */
  custom_fields: {
    [key: string]: unknown;
  };
  /** Whether sends to this contact are blocked. */
  do_not_contact: boolean;
  /** Who said so last: `manual`, a person or a key of your company; `word`, the contact by a message such as `stop` or `start`. `null` when nobody ever did. */
  readonly do_not_contact_source: "manual" | "word" | null;
  /** When that was said; `null` when nobody ever did, and when it is not known. */
  readonly do_not_contact_at: string | null;
  /** Since when the person wants no marketing templates; `null` when that was never said, or was taken back. */
  readonly marketing_opt_out_at: string | null;
  /** Whether the contact is in use. */
  is_active: boolean;
  /** When the contact was archived; `null` when it is not. */
  readonly archived_at: string | null;
  /** When the person was erased; `null` for everybody else. */
  readonly erased_at: string | null;
  /** When the record was created. */
  readonly created_at: string;
  /** When the record was last changed. */
  readonly updated_at: string;
  /** The number of the record's latest change, as a text of digits. In double quotes, it is the ETag of the record. */
  readonly version: string;
};

/** Contacts to write. An item that is not as described fails by itself. */
export type ContactBatch = {
  /** What to write, in any order. */
  items: ContactToPut[];
};

/** A contact as it is answered by its id, or by the id of one that was merged into it. */
export type ContactById = {
  /** The id of the record. */
  readonly id: string;
  /** The company of the record, which is the company of the key. */
  readonly company_id: string;
  /** The person's name. */
  name: string | null;
  /** The person's email address. */
  email: string | null;
  /** The person's phone in E.164 format with a leading plus sign, stored as sent. `null` in answers for a person whose phone the channel hides. */
  phone: string | null;
  /** How warm the lead is. */
  temperature: "cold" | "warm" | "hot";
  /** Labels to group contacts by. */
  tags: string[];
  /** Where the contact came from. */
  source: string;
  /** The person's job. */
  job_title: string | null;
  /** The company that the person works for. */
  empresa: string | null;
  /** Fields of your own: any JSON object. */
  custom_fields: {
    [key: string]: unknown;
  };
  /** Whether sends to this contact are blocked. */
  do_not_contact: boolean;
  /** Who said so last: `manual`, a person or a key of your company; `word`, the contact by a message such as `stop` or `start`. `null` when nobody ever did. */
  readonly do_not_contact_source: "manual" | "word" | null;
  /** When that was said; `null` when nobody ever did, and when it is not known. */
  readonly do_not_contact_at: string | null;
  /** Since when the person wants no marketing templates; `null` when that was never said, or was taken back. */
  readonly marketing_opt_out_at: string | null;
  /** Whether the contact is in use. */
  is_active: boolean;
  /** When the contact was archived; `null` when it is not. */
  readonly archived_at: string | null;
  /** When the person was erased; `null` for everybody else. */
  readonly erased_at: string | null;
  /** When the record was created. */
  readonly created_at: string;
  /** When the record was last changed. */
  readonly updated_at: string;
  /** The number of the record's latest change, as a text of digits. In double quotes, it is the ETag of the record. */
  readonly version: string;
  /** The id of the contact that is answered in the place of the one asked for, which was merged into it. Left out of all others. */
  merged_into?: string;
};

/** Changes to a contact. */
export type ContactChanges = {
  /** The person's phone in E.164 format with a leading plus sign, stored as sent. `null` in answers for a person whose phone the channel hides. */
  phone: string;
  /** The person's name. */
  name?: string | null;
  /** The person's email address. */
  email?: string | null;
  /** How warm the lead is. */
  temperature?: "cold" | "warm" | "hot";
  /** Labels to group contacts by. */
  tags?: string[];
  /** Where the contact came from. */
  source?: string;
  /** The person's job. */
  job_title?: string | null;
  /** The company that the person works for. */
  empresa?: string | null;
  /** Fields of your own: any JSON object. */
  custom_fields?: {
    [key: string]: unknown;
  };
  /** Whether sends to this contact are blocked. */
  do_not_contact?: boolean;
  /** Whether the contact is in use. */
  is_active?: boolean;
};

/** All that is held on a person. */
export type ContactExport = {
  /** The contact. */
  contact: Contact;
  /** What the person wishes of messages, and what they said of it. */
  wishes: ContactWishes;
  /** The ids that the channel gives the person. */
  identities: ContactIdentity[];
  /** The phones that the person had, or has besides. */
  former_phones: ContactFormerPhone[];
  /** What the channel reported of the person's phones and ids. */
  identity_events: ContactIdentityEvent[];
  /** Until when your company may answer the person freely. */
  windows: ContactWindow[];
  /** The deals of the person. */
  deals: Deal[];
  /** The conversations with the person. */
  conversations: Conversation[];
  /** The messages of these conversations, one conversation after the other. */
  messages: Message[];
  /** What became of each message that your company sent to the person with this API. */
  sends: Send[];
};

/** A phone that a person had, or has besides. */
export type ContactFormerPhone = {
  /** The phone. */
  phone: string;
  /** Until when the person had it; `null` for a further phone of theirs. */
  until: string | null;
};

/** An id that the channel gives a person. */
export type ContactIdentity = {
  /** The channel's id of the person for your company. */
  user_id: string;
  /** The WhatsApp Business account at which it was first seen. */
  business_account_id: string | null;
  /** When it was first seen. */
  seen_at: string;
};

/** What the channel reported of who a person is. */
export type ContactIdentityEvent = {
  /** `phone_changed`, `user_id_changed`; `phone_taken`: the new phone is another contact's; `merged`: another contact, whose id is in `was`, is this person. */
  kind: string;
  /** The phone or the id of before. */
  was: string | null;
  /** The phone or the id since. */
  becomes: string | null;
  /** When it happened. */
  happened_at: string;
};

/** A JSON Merge Patch (RFC 7396) of a contact: a field that is left out keeps its value, `null` removes, and `custom_fields` is merged key by key, at every level. */
export type ContactPatch = {
  /** The person's phone in E.164 format with a leading plus sign, stored as sent. `null` in answers for a person whose phone the channel hides. */
  phone?: string;
  /** The person's name. */
  name?: string | null;
  /** The person's email address. */
  email?: string | null;
  /** How warm the lead is. */
  temperature?: "cold" | "warm" | "hot";
  /** Labels to group contacts by. */
  tags?: string[];
  /** Where the contact came from. */
  source?: string;
  /** The person's job. */
  job_title?: string | null;
  /** The company that the person works for. */
  empresa?: string | null;
  /** Fields of your own: any JSON object. */
  custom_fields?: {
    [key: string]: unknown;
  };
  /** Whether sends to this contact are blocked. */
  do_not_contact?: boolean;
  /** Whether the contact is in use. */
  is_active?: boolean;
};

/** Changes to contacts. An item that is not as described fails by itself. */
export type ContactPatchBatch = {
  /** What to write, in any order. */
  items: ContactPatchById[];
};

/** Changes to the contact with this id, as a JSON Merge Patch: `custom_fields` is merged, and `null` removes. */
export type ContactPatchById = {
  /** The id of the record. */
  id: string;
  /** The person's phone in E.164 format with a leading plus sign, stored as sent. `null` in answers for a person whose phone the channel hides. */
  phone?: string;
  /** The person's name. */
  name?: string | null;
  /** The person's email address. */
  email?: string | null;
  /** How warm the lead is. */
  temperature?: "cold" | "warm" | "hot";
  /** Labels to group contacts by. */
  tags?: string[];
  /** Where the contact came from. */
  source?: string;
  /** The person's job. */
  job_title?: string | null;
  /** The company that the person works for. */
  empresa?: string | null;
  /** Fields of your own: any JSON object. */
  custom_fields?: {
    [key: string]: unknown;
  };
  /** Whether sends to this contact are blocked. */
  do_not_contact?: boolean;
  /** Whether the contact is in use. */
  is_active?: boolean;
};

/** The contact of a phone. A field that is left out keeps its value, or takes its default in a new contact. */
export type ContactToPut = {
  /** The person's phone in E.164 format with a leading plus sign, stored as sent. `null` in answers for a person whose phone the channel hides. */
  phone: string;
  /** The person's name. */
  name?: string | null;
  /** The person's email address. */
  email?: string | null;
  /** How warm the lead is. */
  temperature?: "cold" | "warm" | "hot";
  /** Labels to group contacts by. */
  tags?: string[];
  /** Where the contact came from. */
  source?: string;
  /** The person's job. */
  job_title?: string | null;
  /** The company that the person works for. */
  empresa?: string | null;
  /** Fields of your own: any JSON object. */
  custom_fields?: {
    [key: string]: unknown;
  };
  /** Whether sends to this contact are blocked. */
  do_not_contact?: boolean;
  /** Whether the contact is in use. */
  is_active?: boolean;
};

/** Until when a person may be answered freely. */
export type ContactWindow = {
  /** The messaging account of your company. */
  account_id: string;
  /** When the person last wrote what opens the window. */
  last_inbound_at: string | null;
  /** When the channel last said that the window is closed. */
  closed_at: string | null;
  /** Until when your company may answer freely. */
  expires_at: string | null;
};

/** What a person wishes of messages. */
export type ContactWishes = {
  /** Whether sends to this contact are blocked. */
  do_not_contact: boolean;
  /** Who said so last: `manual`, a person or a key of your company; `word`, the contact by a message such as `stop` or `start`. `null` when nobody ever did. */
  do_not_contact_source: string | null;
  /** When that was said; `null` when nobody ever did, and when it is not known. */
  do_not_contact_at: string | null;
  /** When the person last wrote a word such as `stop`. */
  stop_word_at: string | null;
  /** When the person last wrote a word such as `start`. */
  start_word_at: string | null;
  /** When the person last stopped marketing messages. */
  marketing_stopped_at: string | null;
  /** Who reported it: `preference`, the person in WhatsApp; `status`, the channel of a message. */
  marketing_stop_source: string | null;
  /** When the person last wanted marketing messages again. */
  marketing_resumed_at: string | null;
  /** Since when the person wants no marketing templates; `null` when that was never said, or was taken back. */
  marketing_opt_out_at: string | null;
};

/** A contact in an answer that would be too large with `custom_fields`. */
export type ContactWithoutCustomFields = {
  /** The id of the record. */
  readonly id: string;
  /** The company of the record, which is the company of the key. */
  readonly company_id: string;
  /** The person's name. */
  name: string | null;
  /** The person's email address. */
  email: string | null;
  /** The person's phone in E.164 format with a leading plus sign, stored as sent. `null` in answers for a person whose phone the channel hides. */
  phone: string | null;
  /** How warm the lead is. */
  temperature: "cold" | "warm" | "hot";
  /** Labels to group contacts by. */
  tags: string[];
  /** Where the contact came from. */
  source: string;
  /** The person's job. */
  job_title: string | null;
  /** The company that the person works for. */
  empresa: string | null;
  /** Whether sends to this contact are blocked. */
  do_not_contact: boolean;
  /** Who said so last: `manual`, a person or a key of your company; `word`, the contact by a message such as `stop` or `start`. `null` when nobody ever did. */
  readonly do_not_contact_source: "manual" | "word" | null;
  /** When that was said; `null` when nobody ever did, and when it is not known. */
  readonly do_not_contact_at: string | null;
  /** Since when the person wants no marketing templates; `null` when that was never said, or was taken back. */
  readonly marketing_opt_out_at: string | null;
  /** Whether the contact is in use. */
  is_active: boolean;
  /** When the contact was archived; `null` when it is not. */
  readonly archived_at: string | null;
  /** When the person was erased; `null` for everybody else. */
  readonly erased_at: string | null;
  /** When the record was created. */
  readonly created_at: string;
  /** When the record was last changed. */
  readonly updated_at: string;
  /** The number of the record's latest change, as a text of digits. In double quotes, it is the ETag of the record. */
  readonly version: string;
};

/** A conversation with a contact. */
export type Conversation = {
  /** The id of the record. */
  readonly id: string;
  /** The company of the record, which is the company of the key. */
  readonly company_id: string;
  /** The contact of the conversation. */
  contact_id: string;
  /** The messaging account, and so the number of your company, that the conversation is on. */
  readonly phone_number_id: string;
  /** The state of the conversation. On one account, a contact has at most one conversation that is not `closed`. */
  status: "open" | "pending" | "closed";
  /** The member of your company who handles the conversation. */
  assigned_to: string | null;
  /** The team of your company that handles the conversation. */
  team_id: string | null;
  /** When the last message was sent or received. */
  readonly last_message_at: string | null;
  /** Until when your company may reply freely: 24 hours after the contact's last message on this number, or when the channel said that it is closed. */
  readonly window_expires_at: string | null;
  /** When the record was created. */
  readonly created_at: string;
  /** When the record was last changed. */
  readonly updated_at: string;
  /** The number of the record's latest change, as a text of digits. In double quotes, it is the ETag of the record. */
  readonly version: string;
};

/** Changes to a conversation. */
export type ConversationChanges = {
  /** The member of your company who handles the conversation. */
  assigned_to?: string | null;
  /** The team of your company that handles the conversation. */
  team_id?: string | null;
  /** The state of the conversation. On one account, a contact has at most one conversation that is not `closed`. */
  status?: "open" | "pending" | "closed";
};

/** A conversation with a contact, with the records that `include` adds. */
export type ConversationWithIncluded = {
  /** The id of the record. */
  readonly id: string;
  /** The company of the record, which is the company of the key. */
  readonly company_id: string;
  /** The contact of the conversation. */
  contact_id: string;
  /** The messaging account, and so the number of your company, that the conversation is on. */
  readonly phone_number_id: string;
  /** The state of the conversation. On one account, a contact has at most one conversation that is not `closed`. */
  status: "open" | "pending" | "closed";
  /** The member of your company who handles the conversation. */
  assigned_to: string | null;
  /** The team of your company that handles the conversation. */
  team_id: string | null;
  /** When the last message was sent or received. */
  readonly last_message_at: string | null;
  /** Until when your company may reply freely: 24 hours after the contact's last message on this number, or when the channel said that it is closed. */
  readonly window_expires_at: string | null;
  /** When the record was created. */
  readonly created_at: string;
  /** When the record was last changed. */
  readonly updated_at: string;
  /** The number of the record's latest change, as a text of digits. In double quotes, it is the ETag of the record. */
  readonly version: string;
  /** The contact of the conversation, with `include=contact`. */
  contact?: Contact;
};

/** What `createDeals` may be asked for, beside what its method takes. */
export type CreateDealsQuery = {
  /** With `true`, nothing is written unless every item can be. The answer is then the error of the first item that cannot, and `details` has the fields of the items, such as `items.3.phone`. */
  atomic?: boolean | undefined;
};

/** A sales opportunity. */
export type Deal = {
  /** The id of the record. */
  readonly id: string;
  /** The company of the record, which is the company of the key. */
  readonly company_id: string;
  /** What the deal is about. */
  title: string;
  /** The value of the deal, with at most two decimals. */
  value: number | null;
  /** The state of the deal. A new deal is `open`. */
  status: "open" | "won" | "lost";
  /** The contact of the deal. */
  contact_id: string;
  /** The stage that the deal is in. */
  stage_id: string;
  /** Since when the deal is won; `null` unless it is, or when that is not known. */
  readonly won_at: string | null;
  /** Since when the deal is lost; `null` unless it is, or when that is not known. */
  readonly lost_at: string | null;
  /** Since when the deal is in its stage. Of a new deal: when it was created. */
  readonly stage_changed_at: string;
  /** When the deal was archived; `null` when it is not. */
  readonly archived_at: string | null;
  /** When the record was created. */
  readonly created_at: string;
  /** When the record was last changed. */
  readonly updated_at: string;
  /** The number of the record's latest change, as a text of digits. In double quotes, it is the ETag of the record. */
  readonly version: string;
};

/** Changes to a deal. */
export type DealChanges = {
  /** What the deal is about. */
  title?: string;
  /** The value of the deal, with at most two decimals. */
  value?: number | null;
  /** The stage that the deal is in. */
  stage_id?: string;
  /** The state of the deal. A new deal is `open`. */
  status?: "open" | "won" | "lost";
};

/** Changes to deals. An item that is not as described fails by itself. */
export type DealChangesBatch = {
  /** What to write, in any order. */
  items: DealChangesById[];
};

/** Changes to the deal with this id. */
export type DealChangesById = {
  /** The id of the record. */
  id: string;
  /** What the deal is about. */
  title?: string;
  /** The value of the deal, with at most two decimals. */
  value?: number | null;
  /** The stage that the deal is in. */
  stage_id?: string;
  /** The state of the deal. A new deal is `open`. */
  status?: "open" | "won" | "lost";
};

/** One thing that happened to a deal. */
export type DealHistoryEntry = {
  /** The id of the entry. */
  id: string;
  /** What happened: the deal was `created`, or came to another stage or status. */
  kind: "created" | "stage_changed" | "status_changed";
  /** The stage or the status of before. `null` for the creation. */
  from: string | null;
  /** The stage or the status since; of the creation, the stage. `null` when it is not known: the deal is from before histories were kept. */
  to: string | null;
  /** When it happened. No two entries of a deal have the same time. */
  at: string;
  /** Who did it. `null` for the service itself, and when it is not known. */
  by: (ByKey | ByPerson) | null;
};

/** A sales opportunity, with the records that `include` adds. */
export type DealWithIncluded = {
  /** The id of the record. */
  readonly id: string;
  /** The company of the record, which is the company of the key. */
  readonly company_id: string;
  /** What the deal is about. */
  title: string;
  /** The value of the deal, with at most two decimals. */
  value: number | null;
  /** The state of the deal. A new deal is `open`. */
  status: "open" | "won" | "lost";
  /** The contact of the deal. */
  contact_id: string;
  /** The stage that the deal is in. */
  stage_id: string;
  /** Since when the deal is won; `null` unless it is, or when that is not known. */
  readonly won_at: string | null;
  /** Since when the deal is lost; `null` unless it is, or when that is not known. */
  readonly lost_at: string | null;
  /** Since when the deal is in its stage. Of a new deal: when it was created. */
  readonly stage_changed_at: string;
  /** When the deal was archived; `null` when it is not. */
  readonly archived_at: string | null;
  /** When the record was created. */
  readonly created_at: string;
  /** When the record was last changed. */
  readonly updated_at: string;
  /** The number of the record's latest change, as a text of digits. In double quotes, it is the ETag of the record. */
  readonly version: string;
  /** The contact of the deal, with `include=contact`. */
  contact?: Contact;
  /** The stage that the deal is in, with `include=stage`. */
  stage?: Stage;
};

/** What is left of a record that was deleted. */
export type DeletedRow = {
  /** The id of the record. */
  id: string;
  /** The company of the record, which is the company of the key. */
  company_id: string;
  /** When the record was deleted. */
  deleted_at: string;
  /** Of a contact that was merged into another one: the id of that one. Left out of all others. */
  merged_into?: string;
};

/** A refused send: the contact must not be contacted. */
export type DoNotContact = {
  /** Nothing was sent. */
  success: false;
  /** The contact has `do_not_contact` set. A free reply is possible again once the person writes after that. */
  reason: "do_not_contact";
};

/** What the request would do. */
export type DryRun = {
  /** Whether the answer to the request itself would have `success`: true. */
  success: boolean;
  /** The request was a dry run. */
  dry_run: true;
  /** `send`: the request would be handed to the channel. `repeat`: it repeats an idempotency key. `do_not_contact`: the contact must not be contacted. `marketing_opt_out`: the template is marketing, and the person has opted out of marketing. */
  outcome: "send" | "repeat" | "do_not_contact" | "marketing_opt_out";
};

/** The confirmation that a person is to be erased. */
export type Erasing = {
  /** The id of the contact once more, because nothing can be undone. */
  confirm: string;
};

/** What is wrong with one field. The message follows the field's name. */
export type FieldError = {
  /** A path with dots, such as `phone`, `tags.3` or `limit`; `body` for the whole body. */
  field: string;
  /** What is wrong, such as `is required`. */
  message: string;
  /** An account to choose, when the request must name one. */
  phone_number_id?: string;
  /** The phone number of that account. */
  display_phone?: string;
};

/** What `findSend` may be asked for, beside what its method takes. */
export type FindSendQuery = {
  /** The idempotency key of the send, as it was given. */
  idempotency_key: string;
};

/** A contact that a search has found. */
export type FoundContact = {
  /** What kind of record it is. */
  type: "contact";
  /** The id of the record. */
  id: string;
  /** What to show of the record in one line. Of a conversation: its contact. */
  label: string;
  /** The record. */
  row: Contact;
};

/** A conversation that a search has found by its contact. */
export type FoundConversation = {
  /** What kind of record it is. */
  type: "conversation";
  /** The id of the record. */
  id: string;
  /** What to show of the record in one line. Of a conversation: its contact. */
  label: string;
  /** The record. */
  row: Conversation;
};

/** A deal that a search has found. */
export type FoundDeal = {
  /** What kind of record it is. */
  type: "deal";
  /** The id of the record. */
  id: string;
  /** What to show of the record in one line. Of a conversation: its contact. */
  label: string;
  /** The record. */
  row: Deal;
};

/** What `getContact` may be asked for, beside what its method takes. */
export type GetContactQuery = {
  /** Archived records: `exclude` leaves them out, `include` answers them among the others, `only` answers them alone. A record has a time in `archived_at` while it is archived. */
  archived?: "exclude" | "include" | "only" | undefined;
};

/** What `getDeal` may be asked for, beside what its method takes. */
export type GetDealQuery = {
  /** Archived records: `exclude` leaves them out, `include` answers them among the others, `only` answers them alone. A record has a time in `archived_at` while it is archived. */
  archived?: "exclude" | "include" | "only" | undefined;
};

/** What `getPipeline` may be asked for, beside what its method takes. */
export type GetPipelineQuery = {
  /** Archived records: `exclude` leaves them out, `include` answers them among the others, `only` answers them alone. A record has a time in `archived_at` while it is archived. */
  archived?: "exclude" | "include" | "only" | undefined;
};

/** What `getStage` may be asked for, beside what its method takes. */
export type GetStageQuery = {
  /** Archived records: `exclude` leaves them out, `include` answers them among the others, `only` answers them alone. A record has a time in `archived_at` while it is archived. */
  archived?: "exclude" | "include" | "only" | undefined;
};

/** The state of the service. */
export type Health = {
  /** Always `ok`: a service that does not work answers an error. */
  status: "ok";
  /** The release of the functions. */
  version: string;
};

/** What `listContactChanges` may be asked for, beside what its method takes. */
export type ListContactChangesQuery = {
  /** The greatest number of records on a page. A page of large records ends earlier. */
  limit?: number | undefined;
  /** Continues after a page: the `next_cursor` of that page, with the same filters and the same `sort`. */
  cursor?: string | undefined;
  /** Where to start without a cursor: at the `beginning`, or `now`, which gives no change and a cursor for the changes from now on. Not together with `cursor`. */
  start?: "beginning" | "now" | undefined;
};

/** What `listContacts` may be asked for, beside what its method takes. */
export type ListContactsQuery = {
  /** The greatest number of records on a page. A page of large records ends earlier. */
  limit?: number | undefined;
  /** Continues after a page: the `next_cursor` of that page, with the same filters and the same `sort`. */
  cursor?: string | undefined;
  /** The field by which the list is sorted, descending with a minus sign. Records with the same value are in the order of their ids. */
  sort?: "created_at" | "-created_at" | "updated_at" | "-updated_at" | "name" | "-name" | undefined;
  /** With `true`, `pagination` also says how many records the filters find: `total` and `total_relation`. */
  include_total?: boolean | undefined;
  /** Archived records: `exclude` leaves them out, `include` answers them among the others, `only` answers them alone. A record has a time in `archived_at` while it is archived. */
  archived?: "exclude" | "include" | "only" | undefined;
  /** Words, each of which a record must have in one of the searched fields. They stand in any order; case, accents and punctuation do not count. A word of one or two letters is found at the beginning of a word, a longer one anywhere. */
  q?: string | undefined;
  /** Finds records whose `id` is this value, or one of several. */
  id?: OneOrMore<string> | undefined;
  /** Finds records whose `id` is none of these values. */
  "id[ne]"?: OneOrMore<string> | undefined;
  /** Finds records whose `name` is this value, or one of several. */
  name?: OneOrMore<string> | undefined;
  /** Finds records whose `name` is none of these values. */
  "name[ne]"?: OneOrMore<string> | undefined;
  /** With `true`, finds records without a value in `name`; with `false`, those with one. */
  "name[empty]"?: boolean | undefined;
  /** Finds records with this text in `name`; case, accents and punctuation do not count. A text of one or two letters is found at the beginning of a word, a longer one anywhere. */
  "name[contains]"?: string | undefined;
  /** Finds contacts by email address, in any case. */
  email?: OneOrMore<string> | undefined;
  /** Finds records whose `email` is none of these values. */
  "email[ne]"?: OneOrMore<string> | undefined;
  /** With `true`, finds records without a value in `email`; with `false`, those with one. */
  "email[empty]"?: boolean | undefined;
  /** Finds records with this text in `email`; case, accents and punctuation do not count. A text of one or two letters is found at the beginning of a word, a longer one anywhere. */
  "email[contains]"?: string | undefined;
  /** Finds contacts by phone, in any spelling of the number. A plus sign is `%2B` in an address. */
  phone?: OneOrMore<string> | undefined;
  /** Finds contacts with another phone than these, in any of their spellings. */
  "phone[ne]"?: OneOrMore<string> | undefined;
  /** With `true`, finds records without a value in `phone`; with `false`, those with one. */
  "phone[empty]"?: boolean | undefined;
  /** Finds records whose `temperature` is this value, or one of several. */
  temperature?: OneOrMore<"cold" | "warm" | "hot"> | undefined;
  /** Finds records whose `temperature` is none of these values. */
  "temperature[ne]"?: OneOrMore<"cold" | "warm" | "hot"> | undefined;
  /** Finds contacts that have at least one of these tags. */
  tags?: OneOrMore<string> | undefined;
  /** Finds contacts that have all of these tags. */
  "tags[all]"?: OneOrMore<string> | undefined;
  /** Finds contacts that have none of these tags. */
  "tags[ne]"?: OneOrMore<string> | undefined;
  /** With `true`, finds records without a value in `tags`; with `false`, those with one. */
  "tags[empty]"?: boolean | undefined;
  /** Finds records whose `source` is this value, or one of several. */
  source?: OneOrMore<string> | undefined;
  /** Finds records whose `source` is none of these values. */
  "source[ne]"?: OneOrMore<string> | undefined;
  /** With `true`, finds records without a value in `source`; with `false`, those with one. */
  "source[empty]"?: boolean | undefined;
  /** Finds records whose `job_title` is this value, or one of several. */
  job_title?: OneOrMore<string> | undefined;
  /** Finds records whose `job_title` is none of these values. */
  "job_title[ne]"?: OneOrMore<string> | undefined;
  /** With `true`, finds records without a value in `job_title`; with `false`, those with one. */
  "job_title[empty]"?: boolean | undefined;
  /** Finds records with this text in `job_title`; case, accents and punctuation do not count. A text of one or two letters is found at the beginning of a word, a longer one anywhere. */
  "job_title[contains]"?: string | undefined;
  /** Finds records whose `empresa` is this value, or one of several. */
  empresa?: OneOrMore<string> | undefined;
  /** Finds records whose `empresa` is none of these values. */
  "empresa[ne]"?: OneOrMore<string> | undefined;
  /** With `true`, finds records without a value in `empresa`; with `false`, those with one. */
  "empresa[empty]"?: boolean | undefined;
  /** Finds records with this text in `empresa`; case, accents and punctuation do not count. A text of one or two letters is found at the beginning of a word, a longer one anywhere. */
  "empresa[contains]"?: string | undefined;
  /** Finds records whose `do_not_contact` is this value, or one of several. */
  do_not_contact?: OneOrMore<boolean> | undefined;
  /** Finds records whose `do_not_contact` is none of these values. */
  "do_not_contact[ne]"?: OneOrMore<boolean> | undefined;
  /** Finds records whose `marketing_opt_out_at` is after this. */
  "marketing_opt_out_at[gt]"?: Time | undefined;
  /** Finds records whose `marketing_opt_out_at` is this or after it. */
  "marketing_opt_out_at[gte]"?: Time | undefined;
  /** Finds records whose `marketing_opt_out_at` is before this. */
  "marketing_opt_out_at[lt]"?: Time | undefined;
  /** Finds records whose `marketing_opt_out_at` is this or before it. */
  "marketing_opt_out_at[lte]"?: Time | undefined;
  /** With `true`, finds records without a value in `marketing_opt_out_at`; with `false`, those with one. */
  "marketing_opt_out_at[empty]"?: boolean | undefined;
  /** Finds records whose `is_active` is this value, or one of several. */
  is_active?: OneOrMore<boolean> | undefined;
  /** Finds records whose `is_active` is none of these values. */
  "is_active[ne]"?: OneOrMore<boolean> | undefined;
  /** Finds records whose `created_at` is after this. */
  "created_at[gt]"?: Time | undefined;
  /** Finds records whose `created_at` is this or after it. */
  "created_at[gte]"?: Time | undefined;
  /** Finds records whose `created_at` is before this. */
  "created_at[lt]"?: Time | undefined;
  /** Finds records whose `created_at` is this or before it. */
  "created_at[lte]"?: Time | undefined;
  /** Finds records whose `updated_at` is after this. */
  "updated_at[gt]"?: Time | undefined;
  /** Finds records whose `updated_at` is this or after it. */
  "updated_at[gte]"?: Time | undefined;
  /** Finds records whose `updated_at` is before this. */
  "updated_at[lt]"?: Time | undefined;
  /** Finds records whose `updated_at` is this or before it. */
  "updated_at[lte]"?: Time | undefined;
  /** `custom_fields.<key>=<value>` finds contacts by a custom field. The key is all that follows the first dot. The value is compared as text: `5` finds 5 and "5". Several values have commas between them. */
  [field: `custom_fields.${string}`]: OneOrMore<string> | undefined;
};

/** What `listConversationChanges` may be asked for, beside what its method takes. */
export type ListConversationChangesQuery = {
  /** The greatest number of records on a page. A page of large records ends earlier. */
  limit?: number | undefined;
  /** Continues after a page: the `next_cursor` of that page, with the same filters and the same `sort`. */
  cursor?: string | undefined;
  /** Where to start without a cursor: at the `beginning`, or `now`, which gives no change and a cursor for the changes from now on. Not together with `cursor`. */
  start?: "beginning" | "now" | undefined;
};

/** What `listConversations` may be asked for, beside what its method takes. */
export type ListConversationsQuery = {
  /** The greatest number of records on a page. A page of large records ends earlier. */
  limit?: number | undefined;
  /** Continues after a page: the `next_cursor` of that page, with the same filters and the same `sort`. */
  cursor?: string | undefined;
  /** The field by which the list is sorted, descending with a minus sign. Records with the same value are in the order of their ids. */
  sort?:
    | "created_at"
    | "-created_at"
    | "updated_at"
    | "-updated_at"
    | "last_message_at"
    | "-last_message_at"
    | undefined;
  /** With `true`, `pagination` also says how many records the filters find: `total` and `total_relation`. */
  include_total?: boolean | undefined;
  /** Finds records whose `id` is this value, or one of several. */
  id?: OneOrMore<string> | undefined;
  /** Finds records whose `id` is none of these values. */
  "id[ne]"?: OneOrMore<string> | undefined;
  /** Finds records whose `contact_id` is this value, or one of several. */
  contact_id?: OneOrMore<string> | undefined;
  /** Finds records whose `contact_id` is none of these values. */
  "contact_id[ne]"?: OneOrMore<string> | undefined;
  /** Finds what belongs to one of these messaging accounts: templates that it can send, conversations that are on it. */
  phone_number_id?: OneOrMore<string> | undefined;
  /** Finds records whose `phone_number_id` is none of these values. */
  "phone_number_id[ne]"?: OneOrMore<string> | undefined;
  /** Finds records whose `status` is this value, or one of several. */
  status?: OneOrMore<"open" | "pending" | "closed"> | undefined;
  /** Finds records whose `status` is none of these values. */
  "status[ne]"?: OneOrMore<"open" | "pending" | "closed"> | undefined;
  /** Finds records whose `assigned_to` is this value, or one of several. */
  assigned_to?: OneOrMore<string> | undefined;
  /** Finds records whose `assigned_to` is none of these values. */
  "assigned_to[ne]"?: OneOrMore<string> | undefined;
  /** With `true`, finds records without a value in `assigned_to`; with `false`, those with one. */
  "assigned_to[empty]"?: boolean | undefined;
  /** Finds records whose `team_id` is this value, or one of several. */
  team_id?: OneOrMore<string> | undefined;
  /** Finds records whose `team_id` is none of these values. */
  "team_id[ne]"?: OneOrMore<string> | undefined;
  /** With `true`, finds records without a value in `team_id`; with `false`, those with one. */
  "team_id[empty]"?: boolean | undefined;
  /** Finds records whose `last_message_at` is after this. */
  "last_message_at[gt]"?: Time | undefined;
  /** Finds records whose `last_message_at` is this or after it. */
  "last_message_at[gte]"?: Time | undefined;
  /** Finds records whose `last_message_at` is before this. */
  "last_message_at[lt]"?: Time | undefined;
  /** Finds records whose `last_message_at` is this or before it. */
  "last_message_at[lte]"?: Time | undefined;
  /** With `true`, finds records without a value in `last_message_at`; with `false`, those with one. */
  "last_message_at[empty]"?: boolean | undefined;
  /** Finds records whose `window_expires_at` is after this. */
  "window_expires_at[gt]"?: Time | undefined;
  /** Finds records whose `window_expires_at` is this or after it. */
  "window_expires_at[gte]"?: Time | undefined;
  /** Finds records whose `window_expires_at` is before this. */
  "window_expires_at[lt]"?: Time | undefined;
  /** Finds records whose `window_expires_at` is this or before it. */
  "window_expires_at[lte]"?: Time | undefined;
  /** With `true`, finds records without a value in `window_expires_at`; with `false`, those with one. */
  "window_expires_at[empty]"?: boolean | undefined;
  /** Finds records whose `created_at` is after this. */
  "created_at[gt]"?: Time | undefined;
  /** Finds records whose `created_at` is this or after it. */
  "created_at[gte]"?: Time | undefined;
  /** Finds records whose `created_at` is before this. */
  "created_at[lt]"?: Time | undefined;
  /** Finds records whose `created_at` is this or before it. */
  "created_at[lte]"?: Time | undefined;
  /** Finds records whose `updated_at` is after this. */
  "updated_at[gt]"?: Time | undefined;
  /** Finds records whose `updated_at` is this or after it. */
  "updated_at[gte]"?: Time | undefined;
  /** Finds records whose `updated_at` is before this. */
  "updated_at[lt]"?: Time | undefined;
  /** Finds records whose `updated_at` is this or before it. */
  "updated_at[lte]"?: Time | undefined;
};

/** What `listDealChanges` may be asked for, beside what its method takes. */
export type ListDealChangesQuery = {
  /** The greatest number of records on a page. A page of large records ends earlier. */
  limit?: number | undefined;
  /** Continues after a page: the `next_cursor` of that page, with the same filters and the same `sort`. */
  cursor?: string | undefined;
  /** Where to start without a cursor: at the `beginning`, or `now`, which gives no change and a cursor for the changes from now on. Not together with `cursor`. */
  start?: "beginning" | "now" | undefined;
};

/** What `listDealHistory` may be asked for, beside what its method takes. */
export type ListDealHistoryQuery = {
  /** The greatest number of records on a page. A page of large records ends earlier. */
  limit?: number | undefined;
  /** Continues after a page: the `next_cursor` of that page, with the same filters and the same `sort`. */
  cursor?: string | undefined;
  /** The field by which the list is sorted, descending with a minus sign. Records with the same value are in the order of their ids. */
  sort?: "at" | "-at" | undefined;
  /** With `true`, `pagination` also says how many records the filters find: `total` and `total_relation`. */
  include_total?: boolean | undefined;
  /** Finds records whose `id` is this value, or one of several. */
  id?: OneOrMore<string> | undefined;
  /** Finds records whose `id` is none of these values. */
  "id[ne]"?: OneOrMore<string> | undefined;
  /** Finds records whose `kind` is this value, or one of several. */
  kind?: OneOrMore<"created" | "stage_changed" | "status_changed"> | undefined;
  /** Finds records whose `kind` is none of these values. */
  "kind[ne]"?: OneOrMore<"created" | "stage_changed" | "status_changed"> | undefined;
  /** Finds records whose `at` is after this. */
  "at[gt]"?: Time | undefined;
  /** Finds records whose `at` is this or after it. */
  "at[gte]"?: Time | undefined;
  /** Finds records whose `at` is before this. */
  "at[lt]"?: Time | undefined;
  /** Finds records whose `at` is this or before it. */
  "at[lte]"?: Time | undefined;
};

/** What `listDeals` may be asked for, beside what its method takes. */
export type ListDealsQuery = {
  /** The greatest number of records on a page. A page of large records ends earlier. */
  limit?: number | undefined;
  /** Continues after a page: the `next_cursor` of that page, with the same filters and the same `sort`. */
  cursor?: string | undefined;
  /** The field by which the list is sorted, descending with a minus sign. Records with the same value are in the order of their ids. */
  sort?:
    | "created_at"
    | "-created_at"
    | "updated_at"
    | "-updated_at"
    | "title"
    | "-title"
    | "value"
    | "-value"
    | "won_at"
    | "-won_at"
    | "lost_at"
    | "-lost_at"
    | "stage_changed_at"
    | "-stage_changed_at"
    | undefined;
  /** With `true`, `pagination` also says how many records the filters find: `total` and `total_relation`. */
  include_total?: boolean | undefined;
  /** Archived records: `exclude` leaves them out, `include` answers them among the others, `only` answers them alone. A record has a time in `archived_at` while it is archived. */
  archived?: "exclude" | "include" | "only" | undefined;
  /** Words, each of which a record must have in one of the searched fields. They stand in any order; case, accents and punctuation do not count. A word of one or two letters is found at the beginning of a word, a longer one anywhere. */
  q?: string | undefined;
  /** Finds records whose `id` is this value, or one of several. */
  id?: OneOrMore<string> | undefined;
  /** Finds records whose `id` is none of these values. */
  "id[ne]"?: OneOrMore<string> | undefined;
  /** Finds records whose `title` is this value, or one of several. */
  title?: OneOrMore<string> | undefined;
  /** Finds records whose `title` is none of these values. */
  "title[ne]"?: OneOrMore<string> | undefined;
  /** With `true`, finds records without a value in `title`; with `false`, those with one. */
  "title[empty]"?: boolean | undefined;
  /** Finds records with this text in `title`; case, accents and punctuation do not count. A text of one or two letters is found at the beginning of a word, a longer one anywhere. */
  "title[contains]"?: string | undefined;
  /** Finds records whose `value` is this value, or one of several. */
  value?: OneOrMore<number | string> | undefined;
  /** Finds records whose `value` is none of these values. */
  "value[ne]"?: OneOrMore<number | string> | undefined;
  /** Finds records whose `value` is above this. */
  "value[gt]"?: number | string | undefined;
  /** Finds records whose `value` is this or above it. */
  "value[gte]"?: number | string | undefined;
  /** Finds records whose `value` is below this. */
  "value[lt]"?: number | string | undefined;
  /** Finds records whose `value` is this or below it. */
  "value[lte]"?: number | string | undefined;
  /** With `true`, finds records without a value in `value`; with `false`, those with one. */
  "value[empty]"?: boolean | undefined;
  /** Finds records whose `status` is this value, or one of several. */
  status?: OneOrMore<"open" | "won" | "lost"> | undefined;
  /** Finds records whose `status` is none of these values. */
  "status[ne]"?: OneOrMore<"open" | "won" | "lost"> | undefined;
  /** Finds records whose `contact_id` is this value, or one of several. */
  contact_id?: OneOrMore<string> | undefined;
  /** Finds records whose `contact_id` is none of these values. */
  "contact_id[ne]"?: OneOrMore<string> | undefined;
  /** Finds records whose `stage_id` is this value, or one of several. */
  stage_id?: OneOrMore<string> | undefined;
  /** Finds records whose `stage_id` is none of these values. */
  "stage_id[ne]"?: OneOrMore<string> | undefined;
  /** Finds records whose `won_at` is after this. */
  "won_at[gt]"?: Time | undefined;
  /** Finds records whose `won_at` is this or after it. */
  "won_at[gte]"?: Time | undefined;
  /** Finds records whose `won_at` is before this. */
  "won_at[lt]"?: Time | undefined;
  /** Finds records whose `won_at` is this or before it. */
  "won_at[lte]"?: Time | undefined;
  /** With `true`, finds records without a value in `won_at`; with `false`, those with one. */
  "won_at[empty]"?: boolean | undefined;
  /** Finds records whose `lost_at` is after this. */
  "lost_at[gt]"?: Time | undefined;
  /** Finds records whose `lost_at` is this or after it. */
  "lost_at[gte]"?: Time | undefined;
  /** Finds records whose `lost_at` is before this. */
  "lost_at[lt]"?: Time | undefined;
  /** Finds records whose `lost_at` is this or before it. */
  "lost_at[lte]"?: Time | undefined;
  /** With `true`, finds records without a value in `lost_at`; with `false`, those with one. */
  "lost_at[empty]"?: boolean | undefined;
  /** Finds records whose `stage_changed_at` is after this. */
  "stage_changed_at[gt]"?: Time | undefined;
  /** Finds records whose `stage_changed_at` is this or after it. */
  "stage_changed_at[gte]"?: Time | undefined;
  /** Finds records whose `stage_changed_at` is before this. */
  "stage_changed_at[lt]"?: Time | undefined;
  /** Finds records whose `stage_changed_at` is this or before it. */
  "stage_changed_at[lte]"?: Time | undefined;
  /** Finds records whose `created_at` is after this. */
  "created_at[gt]"?: Time | undefined;
  /** Finds records whose `created_at` is this or after it. */
  "created_at[gte]"?: Time | undefined;
  /** Finds records whose `created_at` is before this. */
  "created_at[lt]"?: Time | undefined;
  /** Finds records whose `created_at` is this or before it. */
  "created_at[lte]"?: Time | undefined;
  /** Finds records whose `updated_at` is after this. */
  "updated_at[gt]"?: Time | undefined;
  /** Finds records whose `updated_at` is this or after it. */
  "updated_at[gte]"?: Time | undefined;
  /** Finds records whose `updated_at` is before this. */
  "updated_at[lt]"?: Time | undefined;
  /** Finds records whose `updated_at` is this or before it. */
  "updated_at[lte]"?: Time | undefined;
};

/** What `listMembers` may be asked for, beside what its method takes. */
export type ListMembersQuery = {
  /** The greatest number of records on a page. A page of large records ends earlier. */
  limit?: number | undefined;
  /** Continues after a page: the `next_cursor` of that page, with the same filters and the same `sort`. */
  cursor?: string | undefined;
  /** The field by which the list is sorted, descending with a minus sign. Records with the same value are in the order of their ids. */
  sort?: "created_at" | "-created_at" | "updated_at" | "-updated_at" | "name" | "-name" | undefined;
  /** With `true`, `pagination` also says how many records the filters find: `total` and `total_relation`. */
  include_total?: boolean | undefined;
  /** Finds records whose `id` is this value, or one of several. */
  id?: OneOrMore<string> | undefined;
  /** Finds records whose `id` is none of these values. */
  "id[ne]"?: OneOrMore<string> | undefined;
  /** Finds records whose `name` is this value, or one of several. */
  name?: OneOrMore<string> | undefined;
  /** Finds records whose `name` is none of these values. */
  "name[ne]"?: OneOrMore<string> | undefined;
  /** With `true`, finds records without a value in `name`; with `false`, those with one. */
  "name[empty]"?: boolean | undefined;
  /** Finds records with this text in `name`; case, accents and punctuation do not count. A text of one or two letters is found at the beginning of a word, a longer one anywhere. */
  "name[contains]"?: string | undefined;
  /** Finds records whose `role` is this value, or one of several. */
  role?: OneOrMore<"owner" | "admin" | "agent"> | undefined;
  /** Finds records whose `role` is none of these values. */
  "role[ne]"?: OneOrMore<"owner" | "admin" | "agent"> | undefined;
  /** Finds records whose `created_at` is after this. */
  "created_at[gt]"?: Time | undefined;
  /** Finds records whose `created_at` is this or after it. */
  "created_at[gte]"?: Time | undefined;
  /** Finds records whose `created_at` is before this. */
  "created_at[lt]"?: Time | undefined;
  /** Finds records whose `created_at` is this or before it. */
  "created_at[lte]"?: Time | undefined;
  /** Finds records whose `updated_at` is after this. */
  "updated_at[gt]"?: Time | undefined;
  /** Finds records whose `updated_at` is this or after it. */
  "updated_at[gte]"?: Time | undefined;
  /** Finds records whose `updated_at` is before this. */
  "updated_at[lt]"?: Time | undefined;
  /** Finds records whose `updated_at` is this or before it. */
  "updated_at[lte]"?: Time | undefined;
};

/** What `listMessageChanges` may be asked for, beside what its method takes. */
export type ListMessageChangesQuery = {
  /** The greatest number of records on a page. A page of large records ends earlier. */
  limit?: number | undefined;
  /** Continues after a page: the `next_cursor` of that page, with the same filters and the same `sort`. */
  cursor?: string | undefined;
  /** Where to start without a cursor: at the `beginning`, or `now`, which gives no change and a cursor for the changes from now on. Not together with `cursor`. */
  start?: "beginning" | "now" | undefined;
};

/** What `listMessages` may be asked for, beside what its method takes. */
export type ListMessagesQuery = {
  /** The greatest number of records on a page. A page of large records ends earlier. */
  limit?: number | undefined;
  /** Continues after a page: the `next_cursor` of that page, with the same filters and the same `sort`. */
  cursor?: string | undefined;
  /** The field by which the list is sorted, descending with a minus sign. Records with the same value are in the order of their ids. */
  sort?: "created_at" | "-created_at" | undefined;
  /** With `true`, `pagination` also says how many records the filters find: `total` and `total_relation`. */
  include_total?: boolean | undefined;
  /** Finds records whose `id` is this value, or one of several. */
  id?: OneOrMore<string> | undefined;
  /** Finds records whose `id` is none of these values. */
  "id[ne]"?: OneOrMore<string> | undefined;
  /** Finds records whose `direction` is this value, or one of several. */
  direction?: OneOrMore<"inbound" | "outbound"> | undefined;
  /** Finds records whose `direction` is none of these values. */
  "direction[ne]"?: OneOrMore<"inbound" | "outbound"> | undefined;
  /** Finds records whose `type` is this value, or one of several. */
  type?:
    | OneOrMore<
      | "text"
      | "image"
      | "video"
      | "document"
      | "audio"
      | "sticker"
      | "location"
      | "contacts"
      | "interactive"
      | "button"
      | "order"
      | "system"
      | "unsupported"
    >
    | undefined;
  /** Finds records whose `type` is none of these values. */
  "type[ne]"?:
    | OneOrMore<
      | "text"
      | "image"
      | "video"
      | "document"
      | "audio"
      | "sticker"
      | "location"
      | "contacts"
      | "interactive"
      | "button"
      | "order"
      | "system"
      | "unsupported"
    >
    | undefined;
  /** Finds records whose `status` is this value, or one of several. */
  status?:
    | OneOrMore<"pending" | "accepted" | "sent" | "delivered" | "read" | "failed" | "expired">
    | undefined;
  /** Finds records whose `status` is none of these values. */
  "status[ne]"?:
    | OneOrMore<"pending" | "accepted" | "sent" | "delivered" | "read" | "failed" | "expired">
    | undefined;
  /** With `true`, finds records without a value in `status`; with `false`, those with one. */
  "status[empty]"?: boolean | undefined;
  /** Finds records whose `whatsapp_message_id` is this value, or one of several. */
  whatsapp_message_id?: OneOrMore<string> | undefined;
  /** Finds records whose `whatsapp_message_id` is none of these values. */
  "whatsapp_message_id[ne]"?: OneOrMore<string> | undefined;
  /** With `true`, finds records without a value in `whatsapp_message_id`; with `false`, those with one. */
  "whatsapp_message_id[empty]"?: boolean | undefined;
  /** Finds records whose `reply_to_id` is this value, or one of several. */
  reply_to_id?: OneOrMore<string> | undefined;
  /** Finds records whose `reply_to_id` is none of these values. */
  "reply_to_id[ne]"?: OneOrMore<string> | undefined;
  /** With `true`, finds records without a value in `reply_to_id`; with `false`, those with one. */
  "reply_to_id[empty]"?: boolean | undefined;
  /** Finds records whose `sent_at` is after this. */
  "sent_at[gt]"?: Time | undefined;
  /** Finds records whose `sent_at` is this or after it. */
  "sent_at[gte]"?: Time | undefined;
  /** Finds records whose `sent_at` is before this. */
  "sent_at[lt]"?: Time | undefined;
  /** Finds records whose `sent_at` is this or before it. */
  "sent_at[lte]"?: Time | undefined;
  /** With `true`, finds records without a value in `sent_at`; with `false`, those with one. */
  "sent_at[empty]"?: boolean | undefined;
  /** Finds records whose `delivered_at` is after this. */
  "delivered_at[gt]"?: Time | undefined;
  /** Finds records whose `delivered_at` is this or after it. */
  "delivered_at[gte]"?: Time | undefined;
  /** Finds records whose `delivered_at` is before this. */
  "delivered_at[lt]"?: Time | undefined;
  /** Finds records whose `delivered_at` is this or before it. */
  "delivered_at[lte]"?: Time | undefined;
  /** With `true`, finds records without a value in `delivered_at`; with `false`, those with one. */
  "delivered_at[empty]"?: boolean | undefined;
  /** Finds records whose `read_at` is after this. */
  "read_at[gt]"?: Time | undefined;
  /** Finds records whose `read_at` is this or after it. */
  "read_at[gte]"?: Time | undefined;
  /** Finds records whose `read_at` is before this. */
  "read_at[lt]"?: Time | undefined;
  /** Finds records whose `read_at` is this or before it. */
  "read_at[lte]"?: Time | undefined;
  /** With `true`, finds records without a value in `read_at`; with `false`, those with one. */
  "read_at[empty]"?: boolean | undefined;
  /** Finds records whose `failed_at` is after this. */
  "failed_at[gt]"?: Time | undefined;
  /** Finds records whose `failed_at` is this or after it. */
  "failed_at[gte]"?: Time | undefined;
  /** Finds records whose `failed_at` is before this. */
  "failed_at[lt]"?: Time | undefined;
  /** Finds records whose `failed_at` is this or before it. */
  "failed_at[lte]"?: Time | undefined;
  /** With `true`, finds records without a value in `failed_at`; with `false`, those with one. */
  "failed_at[empty]"?: boolean | undefined;
  /** Finds records whose `created_at` is after this. */
  "created_at[gt]"?: Time | undefined;
  /** Finds records whose `created_at` is this or after it. */
  "created_at[gte]"?: Time | undefined;
  /** Finds records whose `created_at` is before this. */
  "created_at[lt]"?: Time | undefined;
  /** Finds records whose `created_at` is this or before it. */
  "created_at[lte]"?: Time | undefined;
  /** Finds records whose `updated_at` is after this. */
  "updated_at[gt]"?: Time | undefined;
  /** Finds records whose `updated_at` is this or after it. */
  "updated_at[gte]"?: Time | undefined;
  /** Finds records whose `updated_at` is before this. */
  "updated_at[lt]"?: Time | undefined;
  /** Finds records whose `updated_at` is this or before it. */
  "updated_at[lte]"?: Time | undefined;
};

/** What `listPipelines` may be asked for, beside what its method takes. */
export type ListPipelinesQuery = {
  /** The greatest number of records on a page. A page of large records ends earlier. */
  limit?: number | undefined;
  /** Continues after a page: the `next_cursor` of that page, with the same filters and the same `sort`. */
  cursor?: string | undefined;
  /** The field by which the list is sorted, descending with a minus sign. Records with the same value are in the order of their ids. */
  sort?:
    | "position"
    | "-position"
    | "name"
    | "-name"
    | "created_at"
    | "-created_at"
    | "updated_at"
    | "-updated_at"
    | undefined;
  /** With `true`, `pagination` also says how many records the filters find: `total` and `total_relation`. */
  include_total?: boolean | undefined;
  /** Archived records: `exclude` leaves them out, `include` answers them among the others, `only` answers them alone. A record has a time in `archived_at` while it is archived. */
  archived?: "exclude" | "include" | "only" | undefined;
  /** Finds records whose `id` is this value, or one of several. */
  id?: OneOrMore<string> | undefined;
  /** Finds records whose `id` is none of these values. */
  "id[ne]"?: OneOrMore<string> | undefined;
  /** Finds records whose `name` is this value, or one of several. */
  name?: OneOrMore<string> | undefined;
  /** Finds records whose `name` is none of these values. */
  "name[ne]"?: OneOrMore<string> | undefined;
  /** With `true`, finds records without a value in `name`; with `false`, those with one. */
  "name[empty]"?: boolean | undefined;
  /** Finds records with this text in `name`; case, accents and punctuation do not count. A text of one or two letters is found at the beginning of a word, a longer one anywhere. */
  "name[contains]"?: string | undefined;
  /** Finds records whose `position` is this value, or one of several. */
  position?: OneOrMore<number> | undefined;
  /** Finds records whose `position` is none of these values. */
  "position[ne]"?: OneOrMore<number> | undefined;
  /** Finds records whose `position` is above this. */
  "position[gt]"?: number | undefined;
  /** Finds records whose `position` is this or above it. */
  "position[gte]"?: number | undefined;
  /** Finds records whose `position` is below this. */
  "position[lt]"?: number | undefined;
  /** Finds records whose `position` is this or below it. */
  "position[lte]"?: number | undefined;
  /** Finds records whose `is_default` is this value, or one of several. */
  is_default?: OneOrMore<boolean> | undefined;
  /** Finds records whose `is_default` is none of these values. */
  "is_default[ne]"?: OneOrMore<boolean> | undefined;
  /** Finds records whose `created_at` is after this. */
  "created_at[gt]"?: Time | undefined;
  /** Finds records whose `created_at` is this or after it. */
  "created_at[gte]"?: Time | undefined;
  /** Finds records whose `created_at` is before this. */
  "created_at[lt]"?: Time | undefined;
  /** Finds records whose `created_at` is this or before it. */
  "created_at[lte]"?: Time | undefined;
  /** Finds records whose `updated_at` is after this. */
  "updated_at[gt]"?: Time | undefined;
  /** Finds records whose `updated_at` is this or after it. */
  "updated_at[gte]"?: Time | undefined;
  /** Finds records whose `updated_at` is before this. */
  "updated_at[lt]"?: Time | undefined;
  /** Finds records whose `updated_at` is this or before it. */
  "updated_at[lte]"?: Time | undefined;
};

/** What `listStages` may be asked for, beside what its method takes. */
export type ListStagesQuery = {
  /** The greatest number of records on a page. A page of large records ends earlier. */
  limit?: number | undefined;
  /** Continues after a page: the `next_cursor` of that page, with the same filters and the same `sort`. */
  cursor?: string | undefined;
  /** The field by which the list is sorted, descending with a minus sign. Records with the same value are in the order of their ids. */
  sort?:
    | "position"
    | "-position"
    | "name"
    | "-name"
    | "created_at"
    | "-created_at"
    | "updated_at"
    | "-updated_at"
    | undefined;
  /** With `true`, `pagination` also says how many records the filters find: `total` and `total_relation`. */
  include_total?: boolean | undefined;
  /** Archived records: `exclude` leaves them out, `include` answers them among the others, `only` answers them alone. A record has a time in `archived_at` while it is archived. */
  archived?: "exclude" | "include" | "only" | undefined;
  /** Finds records whose `id` is this value, or one of several. */
  id?: OneOrMore<string> | undefined;
  /** Finds records whose `id` is none of these values. */
  "id[ne]"?: OneOrMore<string> | undefined;
  /** Finds records whose `pipeline_id` is this value, or one of several. */
  pipeline_id?: OneOrMore<string> | undefined;
  /** Finds records whose `pipeline_id` is none of these values. */
  "pipeline_id[ne]"?: OneOrMore<string> | undefined;
  /** Finds records whose `name` is this value, or one of several. */
  name?: OneOrMore<string> | undefined;
  /** Finds records whose `name` is none of these values. */
  "name[ne]"?: OneOrMore<string> | undefined;
  /** With `true`, finds records without a value in `name`; with `false`, those with one. */
  "name[empty]"?: boolean | undefined;
  /** Finds records with this text in `name`; case, accents and punctuation do not count. A text of one or two letters is found at the beginning of a word, a longer one anywhere. */
  "name[contains]"?: string | undefined;
  /** Finds records whose `position` is this value, or one of several. */
  position?: OneOrMore<number> | undefined;
  /** Finds records whose `position` is none of these values. */
  "position[ne]"?: OneOrMore<number> | undefined;
  /** Finds records whose `position` is above this. */
  "position[gt]"?: number | undefined;
  /** Finds records whose `position` is this or above it. */
  "position[gte]"?: number | undefined;
  /** Finds records whose `position` is below this. */
  "position[lt]"?: number | undefined;
  /** Finds records whose `position` is this or below it. */
  "position[lte]"?: number | undefined;
  /** Finds records whose `created_at` is after this. */
  "created_at[gt]"?: Time | undefined;
  /** Finds records whose `created_at` is this or after it. */
  "created_at[gte]"?: Time | undefined;
  /** Finds records whose `created_at` is before this. */
  "created_at[lt]"?: Time | undefined;
  /** Finds records whose `created_at` is this or before it. */
  "created_at[lte]"?: Time | undefined;
  /** Finds records whose `updated_at` is after this. */
  "updated_at[gt]"?: Time | undefined;
  /** Finds records whose `updated_at` is this or after it. */
  "updated_at[gte]"?: Time | undefined;
  /** Finds records whose `updated_at` is before this. */
  "updated_at[lt]"?: Time | undefined;
  /** Finds records whose `updated_at` is this or before it. */
  "updated_at[lte]"?: Time | undefined;
};

/** What `listTeams` may be asked for, beside what its method takes. */
export type ListTeamsQuery = {
  /** The greatest number of records on a page. A page of large records ends earlier. */
  limit?: number | undefined;
  /** Continues after a page: the `next_cursor` of that page, with the same filters and the same `sort`. */
  cursor?: string | undefined;
  /** The field by which the list is sorted, descending with a minus sign. Records with the same value are in the order of their ids. */
  sort?: "created_at" | "-created_at" | "updated_at" | "-updated_at" | "name" | "-name" | undefined;
  /** With `true`, `pagination` also says how many records the filters find: `total` and `total_relation`. */
  include_total?: boolean | undefined;
  /** Finds records whose `id` is this value, or one of several. */
  id?: OneOrMore<string> | undefined;
  /** Finds records whose `id` is none of these values. */
  "id[ne]"?: OneOrMore<string> | undefined;
  /** Finds records whose `name` is this value, or one of several. */
  name?: OneOrMore<string> | undefined;
  /** Finds records whose `name` is none of these values. */
  "name[ne]"?: OneOrMore<string> | undefined;
  /** With `true`, finds records without a value in `name`; with `false`, those with one. */
  "name[empty]"?: boolean | undefined;
  /** Finds records with this text in `name`; case, accents and punctuation do not count. A text of one or two letters is found at the beginning of a word, a longer one anywhere. */
  "name[contains]"?: string | undefined;
  /** Finds records whose `created_at` is after this. */
  "created_at[gt]"?: Time | undefined;
  /** Finds records whose `created_at` is this or after it. */
  "created_at[gte]"?: Time | undefined;
  /** Finds records whose `created_at` is before this. */
  "created_at[lt]"?: Time | undefined;
  /** Finds records whose `created_at` is this or before it. */
  "created_at[lte]"?: Time | undefined;
  /** Finds records whose `updated_at` is after this. */
  "updated_at[gt]"?: Time | undefined;
  /** Finds records whose `updated_at` is this or after it. */
  "updated_at[gte]"?: Time | undefined;
  /** Finds records whose `updated_at` is before this. */
  "updated_at[lt]"?: Time | undefined;
  /** Finds records whose `updated_at` is this or before it. */
  "updated_at[lte]"?: Time | undefined;
};

/** What `listTemplates` may be asked for, beside what its method takes. */
export type ListTemplatesQuery = {
  /** The greatest number of records on a page. A page of large records ends earlier. */
  limit?: number | undefined;
  /** Continues after a page: the `next_cursor` of that page, with the same filters and the same `sort`. */
  cursor?: string | undefined;
  /** The field by which the list is sorted, descending with a minus sign. Records with the same value are in the order of their ids. */
  sort?: "name" | "-name" | "created_at" | "-created_at" | "updated_at" | "-updated_at" | undefined;
  /** With `true`, `pagination` also says how many records the filters find: `total` and `total_relation`. */
  include_total?: boolean | undefined;
  /** Finds records whose `id` is this value, or one of several. */
  id?: OneOrMore<string> | undefined;
  /** Finds records whose `id` is none of these values. */
  "id[ne]"?: OneOrMore<string> | undefined;
  /** Finds records whose `name` is this value, or one of several. */
  name?: OneOrMore<string> | undefined;
  /** Finds records whose `name` is none of these values. */
  "name[ne]"?: OneOrMore<string> | undefined;
  /** With `true`, finds records without a value in `name`; with `false`, those with one. */
  "name[empty]"?: boolean | undefined;
  /** Finds records with this text in `name`; case, accents and punctuation do not count. A text of one or two letters is found at the beginning of a word, a longer one anywhere. */
  "name[contains]"?: string | undefined;
  /** Finds records whose `language` is this value, or one of several. */
  language?: OneOrMore<string> | undefined;
  /** Finds records whose `language` is none of these values. */
  "language[ne]"?: OneOrMore<string> | undefined;
  /** Finds records whose `status` is this value, or one of several. */
  status?: OneOrMore<string> | undefined;
  /** Finds records whose `status` is none of these values. */
  "status[ne]"?: OneOrMore<string> | undefined;
  /** Finds records whose `category` is this value, or one of several. */
  category?: OneOrMore<string> | undefined;
  /** Finds records whose `category` is none of these values. */
  "category[ne]"?: OneOrMore<string> | undefined;
  /** With `true`, finds records without a value in `category`; with `false`, those with one. */
  "category[empty]"?: boolean | undefined;
  /** Finds records whose `business_account_id` is this value, or one of several. */
  business_account_id?: OneOrMore<string> | undefined;
  /** Finds records whose `business_account_id` is none of these values. */
  "business_account_id[ne]"?: OneOrMore<string> | undefined;
  /** Finds what belongs to one of these messaging accounts: templates that it can send, conversations that are on it. */
  phone_number_id?: OneOrMore<string> | undefined;
  /** Finds records whose `created_at` is after this. */
  "created_at[gt]"?: Time | undefined;
  /** Finds records whose `created_at` is this or after it. */
  "created_at[gte]"?: Time | undefined;
  /** Finds records whose `created_at` is before this. */
  "created_at[lt]"?: Time | undefined;
  /** Finds records whose `created_at` is this or before it. */
  "created_at[lte]"?: Time | undefined;
  /** Finds records whose `updated_at` is after this. */
  "updated_at[gt]"?: Time | undefined;
  /** Finds records whose `updated_at` is this or after it. */
  "updated_at[gte]"?: Time | undefined;
  /** Finds records whose `updated_at` is before this. */
  "updated_at[lt]"?: Time | undefined;
  /** Finds records whose `updated_at` is this or before it. */
  "updated_at[lte]"?: Time | undefined;
};

/** A refused send: the person wants no marketing. */
export type MarketingOptOut = {
  /** Nothing was sent. */
  success: false;
  /** The template is marketing, and the person has opted out of marketing. */
  reason: "marketing_opt_out";
};

/** A person who works in your company. */
export type Member = {
  /** The id of the person. */
  readonly id: string;
  /** The company of the record, which is the company of the key. */
  readonly company_id: string;
  /** The person's name; `null` until one is set. */
  name: string | null;
  /** The person's role in the company. */
  role: "owner" | "admin" | "agent";
  /** When the record was created. */
  readonly created_at: string;
  /** When the record was last changed. */
  readonly updated_at: string;
  /** The number of the record's latest change, as a text of digits. In double quotes, it is the ETag of the record. */
  readonly version: string;
};

/** Which contact is merged. */
export type Merging = {
  /** The id of the contact that is merged into the one in the path, and is gone then. */
  from: string;
};

/** A message of a conversation. */
export type Message = {
  /** The id of the record. */
  readonly id: string;
  /** The company of the record, which is the company of the key. */
  readonly company_id: string;
  /** The conversation of the message. */
  conversation_id: string;
  /** `inbound`: from the contact. `outbound`: from your company. */
  direction: "inbound" | "outbound";
  /** The kind of the message. The medium itself is not shown. */
  type:
    | "text"
    | "image"
    | "video"
    | "document"
    | "audio"
    | "sticker"
    | "location"
    | "contacts"
    | "interactive"
    | "button"
    | "order"
    | "system"
    | "unsupported";
  /** What the message says: the text, the caption of a medium, the label of the button that was tapped. Of a template send: its `display_text`. Outbound, at most 4,096 characters. */
  content: string;
  /** Of a template send: the text as the recipient sees it. `null` for any other message, and when the text of the template was not known. */
  rendered_text: string | null;
  /** Of an outbound message: `pending` while the channel's answer is not known, `accepted` when the channel took it, then `sent`, `delivered` and `read` as it reports them; `failed` when it did not take or deliver it, or never answered; `expired` when its life ended without a report that it arrived. `null` for an inbound one. */
  status: "pending" | "accepted" | "sent" | "delivered" | "read" | "failed" | "expired" | null;
  /** The channel's id of the message; `null` until it is known. */
  whatsapp_message_id: string | null;
  /** Outbound: when the channel sent the message on, as it reported. Inbound: when the person sent it. */
  readonly sent_at: string | null;
  /** When the message reached a device of the person. May stay `null` for a message that was read. */
  readonly delivered_at: string | null;
  /** When the person read the message, or played it. */
  readonly read_at: string | null;
  /** When the message failed, as the channel reported or answered. */
  readonly failed_at: string | null;
  /** When the life of the message ended without a report that it arrived. */
  readonly expired_at: string | null;
  /** Why the message failed: what the channel reported, or answered. What it reported stays when the message arrived after all. */
  failure: MessageFailure | null;
  /** What the channel counts the message as, such as `marketing`, `utility` or `service`. */
  price_category: string | null;
  /** How the channel charges it, such as `regular`, `free_customer_service` or `free_entry_point`. */
  price_type: string | null;
  /** Of an inbound message: the channel's own object of its type, without what has a field here. `{ "truncated": true }` when that is larger than 64 KiB. */
  payload: {
    [key: string]: unknown;
  } | null;
  /** Of an inbound message with a medium: what is known of it. */
  media: MessageMedia | null;
  /** The message that this one answers, when it is known here. */
  reply_to_id: string | null;
  /** The channel's id of the message that this one answers. */
  reply_to_whatsapp_id: string | null;
  /** The person's reaction to the message; `null` when there is none. */
  reaction: MessageReaction | null;
  /** When the person last edited the message. `content` is the newest. */
  readonly edited_at: string | null;
  /** When the person deleted the message for everyone. */
  readonly revoked_at: string | null;
  /** When the record was created. */
  readonly created_at: string;
  /** When the record was last changed. */
  readonly updated_at: string;
  /** The number of the record's latest change, as a text of digits. In double quotes, it is the ETag of the record. */
  readonly version: string;
};

/** Why a message failed. */
export type MessageFailure = {
  /** The reason in a word of this API, such as `recipient_unreachable` or `window_closed`; `channel_error` for any other. */
  reason: string;
  /** The channel's error code. */
  code: number | null;
  /** The channel's words. */
  message: string | null;
  /** The channel's further words. */
  details: string | null;
};

/** A medium that a person sent. The medium itself stays at the channel. */
export type MessageMedia = {
  /** The channel's id of the medium. */
  id: string;
  /** The kind of the medium, such as `image/jpeg`. */
  mime_type: string | null;
  /** The hash of the medium, as the channel gives it: in base64. */
  sha256: string | null;
  /** The name of a document. */
  filename: string | null;
  /** Whether an audio is a voice message. */
  voice: boolean | null;
  /** Whether a sticker is animated. */
  animated: boolean | null;
  /** Until when the channel keeps the medium. */
  expires_at: string | null;
};

/** What the person thinks of a message. */
export type MessageReaction = {
  /** The emoji. */
  emoji: string;
  /** When the person reacted. */
  at: string;
};

/** A contact to create. A field that is left out takes its default. */
export type NewContact = {
  /** The person's phone in E.164 format with a leading plus sign, stored as sent. `null` in answers for a person whose phone the channel hides. */
  phone: string;
  /** The person's name. */
  name?: string | null;
  /** The person's email address. */
  email?: string | null;
  /** How warm the lead is. */
  temperature?: "cold" | "warm" | "hot";
  /** Labels to group contacts by. */
  tags?: string[];
  /** Where the contact came from. */
  source?: string;
  /** The person's job. */
  job_title?: string | null;
  /** The company that the person works for. */
  empresa?: string | null;
  /** Fields of your own: any JSON object. */
  custom_fields?: {
    [key: string]: unknown;
  };
  /** Whether sends to this contact are blocked. */
  do_not_contact?: boolean;
  /** Whether the contact is in use. */
  is_active?: boolean;
};

/** A deal to create. */
export type NewDeal = {
  /** What the deal is about. */
  title: string;
  /** The contact of the deal. */
  contact_id: string;
  /** The stage that the deal is in. */
  stage_id: string;
  /** The value of the deal, with at most two decimals. */
  value?: number | null;
};

/** Deals to create. An item that is not as described fails by itself. */
export type NewDealBatch = {
  /** What to write, in any order. */
  items: NewDeal[];
};

/** A pipeline to create. */
export type NewPipeline = {
  /** The name of the pipeline. */
  name: string;
  /** The place of the pipeline in the list: 0, 1, 2 and so on. A greater one than the last means the last. */
  position?: number;
  /** Whether it is the default pipeline of the company, of which there is always one. */
  is_default?: boolean;
};

/** A stage to create. */
export type NewStage = {
  /** The pipeline of the stage. */
  pipeline_id: string;
  /** The name of the stage. */
  name: string;
  /** The place of the stage in its pipeline: 0, 1, 2 and so on. A greater one than the last means the last. */
  position?: number;
};

/** A description of an API in OpenAPI 3.1. */
export type OpenApi = {
  /** The version of OpenAPI. */
  openapi: string;
  /** The name of the API and the version of the interface. */
  info: {
    title: string;
    version: string;
  } & {
    [key: string]: unknown;
  };
  /** The operations, by path and method. */
  paths: {
    [key: string]: unknown;
  };
  /** The parts that operations share. */
  components: {
    [key: string]: unknown;
  };
} & {
  [key: string]: unknown;
};

/** The place of this page in its list. */
export type Pagination = {
  /** The greatest number of records on a page. */
  limit: number;
  /** Whether there is another page. */
  has_more: boolean;
  /** The `cursor` of the next page; `null` on the last page. */
  next_cursor: string | null;
  /** How many records the filters find, when `include_total` asks for it; at most 100,000. */
  total?: number;
  /** `eq`: the total is exact. `gte`: there are at least so many. */
  total_relation?: "eq" | "gte";
};

/** A sales pipeline. */
export type Pipeline = {
  /** The id of the record. */
  readonly id: string;
  /** The company of the record, which is the company of the key. */
  readonly company_id: string;
  /** The name of the pipeline. */
  name: string;
  /** The place of the pipeline in the list: 0, 1, 2 and so on. A greater one than the last means the last. */
  position: number;
  /** Whether it is the default pipeline of the company, of which there is always one. */
  is_default: boolean;
  /** Since when the pipeline is archived; `null` while it is in use. */
  readonly archived_at: string | null;
  /** When the record was created. */
  readonly created_at: string;
  /** When the record was last changed. */
  readonly updated_at: string;
  /** The number of the record's latest change, as a text of digits. In double quotes, it is the ETag of the record. */
  readonly version: string;
};

/** Changes to a pipeline. */
export type PipelineChanges = {
  /** The name of the pipeline. */
  name?: string;
  /** The place of the pipeline in the list: 0, 1, 2 and so on. A greater one than the last means the last. */
  position?: number;
  /** Whether it is the default pipeline of the company, of which there is always one. */
  is_default?: boolean;
};

/** A sales pipeline, with the records that `include` adds. */
export type PipelineWithIncluded = {
  /** The id of the record. */
  readonly id: string;
  /** The company of the record, which is the company of the key. */
  readonly company_id: string;
  /** The name of the pipeline. */
  name: string;
  /** The place of the pipeline in the list: 0, 1, 2 and so on. A greater one than the last means the last. */
  position: number;
  /** Whether it is the default pipeline of the company, of which there is always one. */
  is_default: boolean;
  /** Since when the pipeline is archived; `null` while it is in use. */
  readonly archived_at: string | null;
  /** When the record was created. */
  readonly created_at: string;
  /** When the record was last changed. */
  readonly updated_at: string;
  /** The number of the record's latest change, as a text of digits. In double quotes, it is the ETag of the record. */
  readonly version: string;
  /** The stages of the pipeline by position, with `include=stages`. */
  stages?: Stage[];
};

/** What `putContact` may be asked for, beside what its method takes. */
export type PutContactQuery = {
  /** What becomes of a contact that your company has already. `update`: the given fields replace its own. `keep`: they fill only fields that are empty. `fail`: it stays as it is, and the item is a 409. */
  on_conflict?: "update" | "keep" | undefined;
};

/** The state of the earlier send with the same idempotency key. */
export type Repeat = {
  /** Whether the channel accepted the earlier send. */
  success: boolean;
  /** `sent`: the channel accepted the message. `pending`: the send is in progress; repeat the request shortly. `failed`: the send failed for good. */
  status: "sent" | "pending" | "failed";
  /** The conversation of the message. */
  conversation_id: string;
  /** The id of the stored message. */
  message_id: string;
  /** The request repeats an idempotency key, and sent nothing. */
  idempotent_hit: true;
};

/** The result of the request. */
export type ReplyAnswer = Sent | Repeat | DoNotContact | DryRun;

/** A free reply to send. */
export type ReplyRequest = {
  /** The conversation to reply in. It is not closed. */
  conversation_id: string;
  /** The text of the message, kept to the byte. */
  text: string;
  /** Identifies this one send in your company, for ever, so that a repeat sends nothing. Template sends and free replies share the keys. */
  idempotency_key?: string;
};

/** What `search` may be asked for, beside what its method takes. */
export type SearchQuery = {
  /** Words, each of which a record must have in one of the searched fields. They stand in any order; case, accents and punctuation do not count. A word of one or two letters is found at the beginning of a word, a longer one anywhere. */
  q: string;
  /** The greatest number of records on a page. A page of large records ends earlier. */
  limit?: number | undefined;
  /** Archived records: `exclude` leaves them out, `include` answers them among the others, `only` answers them alone. A record has a time in `archived_at` while it is archived. */
  archived?: "exclude" | "include" | "only" | undefined;
};

/** What became of a message that your company sent. */
export type Send = {
  /** The message that was sent. */
  message_id: string;
  /** The company of the record, which is the company of the key. */
  readonly company_id: string;
  /** The conversation of the message. */
  conversation_id: string;
  /** The caller's name of the send; `null` when it was given none. */
  idempotency_key: string | null;
  /** `template`: a template was sent. `reply`: a free reply. */
  kind: "template" | "reply";
  /** The name of the template; `null` of a reply. */
  template_name: string | null;
  /** The language of the template; `null` of a reply. */
  language_code: string | null;
  /** What the service knows of the call to the channel. `pending`: it may be under way. `sent`: the channel took the message. `failed`: it refused it, or never answered. `released`: it certainly does not have it, and a repeat with the idempotency key sends again. */
  state: "pending" | "sent" | "failed" | "released";
  /** How far the message has come: the `status` of the message. */
  status: "pending" | "accepted" | "sent" | "delivered" | "read" | "failed" | "expired";
  /** How often the send was handed to the channel: more than 1 after it was released. */
  attempt: number;
  /** Why it failed or was released. It stays when the message arrived after all. `outcome_unknown`: the channel never answered, and may have sent it. */
  error: MessageFailure | null;
  /** Whether the channel reported that the message went out more than once. */
  double_sent: boolean;
  /** The channel's id of the message; `null` until it is known. */
  whatsapp_message_id: string | null;
  /** Of a `pending` send: when it counts as failed, unless its outcome is known before. */
  lease_ends_at: string | null;
  /** When the channel sent the message on, as it reported. */
  readonly sent_at: string | null;
  /** When the message reached a device of the person. */
  readonly delivered_at: string | null;
  /** When the person read the message. */
  readonly read_at: string | null;
  /** When the message failed, as the channel reported or answered. */
  readonly failed_at: string | null;
  /** When the life of the message ended without a report that it arrived. */
  readonly expired_at: string | null;
  /** When the send was first asked for. */
  readonly created_at: string;
};

/** The result of the request. */
export type SendAnswer = Sent | Repeat | DoNotContact | MarketingOptOut | DryRun;

/** What `sendExternalTemplate` may be asked for, beside what its method takes. */
export type SendExternalTemplateQuery = {
  /** With `true`, the request is judged as a send, and nothing is sent or written. A fault is answered as the send would answer it. */
  dry_run?: boolean | undefined;
};

/** What `sendReply` may be asked for, beside what its method takes. */
export type SendReplyQuery = {
  /** With `true`, the request is judged as a send, and nothing is sent or written. A fault is answered as the send would answer it. */
  dry_run?: boolean | undefined;
};

/** A template to send. */
export type SendRequest = {
  /** The recipient's phone in E.164 format with a leading plus sign. */
  phone: string;
  /** The name of the approved template. */
  template_name: string;
  /** The language of the template, such as `pt_BR` or `en`. */
  language_code: string;
  /** The text that the history shows and the agent reads, kept to the byte. It need not be the rendered template. */
  display_text: string;
  /** The values of `{{1}}`, `{{2}}`, … in the body of the template. */
  body_variables?: string[];
  /** The values of the variables in a text header. */
  header_variables?: string[];
  /** The values of the buttons that need one, in the order of the buttons: the end of an address, or a code to copy. The code of an authentication template stands in `body_variables` alone. */
  button_variables?: string[];
  /** The connected messaging account that sends. Required when the company has more than one. */
  phone_number_id?: string;
  /** The name for a new contact. An existing contact keeps its name. */
  contact_name?: string;
  /** Identifies this one send in your company, for ever, so that a repeat sends nothing. A good form is `<purpose>-<contact>-<date>`. */
  idempotency_key?: string;
  /** The kind of media in the header of the approved template, which the stored message then has as its type. The service supplies the media, also when this is left out. With it, `header_variables` must be left out or empty. */
  template_header_type?: "image" | "video" | "document";
};

/** A first send that the channel accepted. */
export type Sent = {
  /** The channel accepted the message. */
  success: true;
  /** The conversation of the message. */
  conversation_id: string;
  /** The id of the stored message. */
  message_id: string;
  /** The channel's id of the message. */
  whatsapp_message_id: string;
  /** Whether the conversation was opened for this message. */
  created_conversation: boolean;
  /** The request is not a repeat. */
  idempotent_hit: false;
};

/** A step of a pipeline. */
export type Stage = {
  /** The id of the record. */
  readonly id: string;
  /** The company of the record, which is the company of the key. */
  readonly company_id: string;
  /** The pipeline of the stage. */
  pipeline_id: string;
  /** The name of the stage. */
  name: string;
  /** The place of the stage in its pipeline: 0, 1, 2 and so on. A greater one than the last means the last. */
  position: number;
  /** Since when the stage is archived; `null` while it is in use. */
  readonly archived_at: string | null;
  /** When the record was created. */
  readonly created_at: string;
  /** When the record was last changed. */
  readonly updated_at: string;
  /** The number of the record's latest change, as a text of digits. In double quotes, it is the ETag of the record. */
  readonly version: string;
};

/** Changes to a stage. */
export type StageChanges = {
  /** The pipeline of the stage. */
  pipeline_id?: string;
  /** The name of the stage. */
  name?: string;
  /** The place of the stage in its pipeline: 0, 1, 2 and so on. A greater one than the last means the last. */
  position?: number;
};

/** A team of your company. */
export type Team = {
  /** The id of the record. */
  readonly id: string;
  /** The company of the record, which is the company of the key. */
  readonly company_id: string;
  /** The name of the team. */
  name: string;
  /** When the record was created. */
  readonly created_at: string;
  /** When the record was last changed. */
  readonly updated_at: string;
  /** The number of the record's latest change, as a text of digits. In double quotes, it is the ETag of the record. */
  readonly version: string;
};

/** A message template of your company at the channel, as it was last read there. */
export type Template = {
  /** The id of the record. */
  readonly id: string;
  /** The company of the record, which is the company of the key. */
  readonly company_id: string;
  /** The WhatsApp Business account that has the template. */
  business_account_id: string;
  /** The connected messaging accounts that can send the template. */
  phone_number_ids: string[];
  /** The name of the template. A name may exist in several languages, each with its own text. */
  name: string;
  /** The language of the template, such as `pt_BR` or `en`. */
  language: string;
  /** The channel's word for the state of the template, such as `APPROVED`, `PENDING`, `REJECTED`, `PAUSED` or `DISABLED`. `DELETED`: the channel no longer lists it. */
  status: string;
  /** The channel's category: `MARKETING`, `UTILITY` or `AUTHENTICATION`. */
  category: string | null;
  /** The category that the channel has announced for the template; `null` when it stays. */
  upcoming_category: string | null;
  /** How recipients take the template: `GREEN`, `YELLOW`, `RED` or `UNKNOWN`. */
  quality: string | null;
  /** Why the channel has rejected the template, in its own word. */
  rejected_reason: string | null;
  /** Whether the text has numbers or names for its variables. A send gives the values in order either way. */
  parameter_format: "POSITIONAL" | "NAMED";
  /** The parts of the template as the channel lists them, without the addresses of media. */
  components: {
    [key: string]: unknown;
  }[];
  /** The variables, in the order in which a send gives their values. */
  variables: TemplateVariables;
  /** What a send of the template must carry. */
  send: TemplateNeeds;
  /** Whether the template can be sent now, as far as this service knows. */
  can_be_sent: boolean;
  /** Why it cannot be sent, in sentences; empty when it can. */
  why_not: string[];
  /** When the template was last read from the channel. */
  read_at: string;
  /** When the record was created. */
  readonly created_at: string;
  /** When the record was last changed. */
  readonly updated_at: string;
};

/** A button that needs a value on each send. */
export type TemplateButton = {
  /** The place of the button in the template, from 0. */
  index: number;
  /** `url`: the value is the end of the button's address. `copy_code`: it is the code to copy. */
  kind: "url" | "copy_code";
  /** The label of the button. */
  text: string;
  /** The value with which the template was submitted to the channel. */
  example: string | null;
};

/** What a send of a template must carry. */
export type TemplateNeeds = {
  /** The media in the header, which the service sends by itself; `null` when there is none. A send may leave it out, and must not name another one. */
  template_header_type: "image" | "video" | "document" | null;
  /** How many values `header_variables` has. */
  header_variables: number;
  /** How many values `body_variables` has. */
  body_variables: number;
  /** How many values `button_variables` has. */
  button_variables: number;
};

/** A variable of a template. */
export type TemplateVariable = {
  /** The number of the variable, or its name when `parameter_format` is `NAMED`. */
  name: string;
  /** The value with which the template was submitted to the channel. */
  example: string | null;
};

/** The variables of a template. */
export type TemplateVariables = {
  /** The variables of a text header: `header_variables` of a send. */
  header: TemplateVariable[];
  /** The variables of the body: `body_variables` of a send. */
  body: TemplateVariable[];
  /** The buttons that need a value: `button_variables` of a send. */
  buttons: TemplateButton[];
};

/** A point in time: a text in ISO 8601, such as `2026-11-22` for a whole day, or a `Date`. */
export type Time = string | Date;

/** What `updateContacts` may be asked for, beside what its method takes. */
export type UpdateContactsQuery = {
  /** With `true`, nothing is written unless every item can be. The answer is then the error of the first item that cannot, and `details` has the fields of the items, such as `items.3.phone`. */
  atomic?: boolean | undefined;
};

/** What `updateDeals` may be asked for, beside what its method takes. */
export type UpdateDealsQuery = {
  /** With `true`, nothing is written unless every item can be. The answer is then the error of the first item that cannot, and `details` has the fields of the items, such as `items.3.phone`. */
  atomic?: boolean | undefined;
};

/** What `writeContacts` may be asked for, beside what its method takes. */
export type WriteContactsQuery = {
  /** With `true`, nothing is written unless every item can be. The answer is then the error of the first item that cannot, and `details` has the fields of the items, such as `items.3.phone`. */
  atomic?: boolean | undefined;
  /** What becomes of a contact that your company has already. `update`: the given fields replace its own. `keep`: they fill only fields that are empty. `fail`: it stays as it is, and the item is a 409. */
  on_conflict?: "update" | "keep" | "fail" | undefined;
};
