// Written by `npm run generate` from openapi.json; do not edit.

/** One value, or several. */
export type OneOrMore<Value> = Value | readonly Value[];

/** A business number of the company, as a webhook receives it. */
export type Account = {
  /** The id of the record. */
  id: string;
  /** The company of the business number. */
  company_id: string;
  /** WhatsApp's id of the business number. */
  phone_number_id: string;
  /** The business number as WhatsApp shows it. */
  display_phone: string | null;
  /** Whether the company can send with this number. */
  is_connected: boolean;
  /** Whether WhatsApp restricts this number and therefore refuses its messages. */
  is_restricted: boolean;
  /** When the record was created. */
  created_at: string;
  /** When the record was last changed. */
  updated_at: string;
};

/** The query parameters of `archiveStage`, in addition to the arguments of its method. */
export type ArchiveStageQuery = {
  /** The id of the stage that gets the deals of the archived stage. Required when the stage has deals. */
  move_deals_to?: string | undefined;
};

/** Why an item was not written: the same body as the error for a single record, without `request_id`. */
export type BatchItemError = {
  /** What is wrong, as a sentence for people. */
  error: string;
  /** The error's code. */
  code: "not_found" | "conflict" | "invalid_request";
  /** What is wrong with each field of the item, such as `items.3.phone`; `items.3` means the whole item. */
  details?: {
    field: string;
    message: string;
  }[];
  /** The id of the existing record that the item conflicts with, such as the contact with the same phone. */
  existing_id?: string;
};

/** How many items succeeded and how many failed. */
export type BatchSummary = {
  /** How many items there are. */
  total: number;
  /** How many records were created. */
  created: number;
  /** How many records were updated. */
  updated: number;
  /** How many records already had the values of their items. They keep their `version` and `updated_at`. */
  unchanged: number;
  /** How many items failed. */
  failed: number;
};

/** The author of a change that a request with an API key made. */
export type ByKey = {
  /** The id of the API key. */
  api_key_id: string;
};

/** The author of a change that a signed-in person made. */
export type ByPerson = {
  /** The id of the person. While the person works in your company, this is also the person's id as a member. */
  user_id: string;
};

/** The place of this page in the list of changes. */
export type ChangesPagination = {
  /** The maximum number of changes on a page. */
  limit: number;
  /** Whether there are more changes to read now. When this is `false`, your copy is up to date. */
  has_more: boolean;
  /** The `cursor` of the next page. That page also has changes that are made later. */
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

/** A person that the company talks to. */
export type Contact = {
  /** The id of the record. */
  readonly id: string;
  /** The company of the record, which is the company of the key. */
  readonly company_id: string;
  /** The id of the contact in your own system. Two contacts that are not archived never have the same `external_id`. */
  external_id: string | null;
  /** The person's name. */
  name: string | null;
  /** The person's email address. */
  email: string | null;
  /** The person's phone in E.164 format with a leading plus sign, exactly as it was sent. `null` when the channel hides the person's phone. */
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
  /** Your own fields: any JSON object. */
  custom_fields: {
    [key: string]: unknown;
  };
  /** Whether sends to this contact are blocked. */
  do_not_contact: boolean;
  /** Who last set `do_not_contact`. `manual`: a person or a key of your company. `word`: the person, with a message such as `stop` or `start`. `null`: no one has set it. */
  readonly do_not_contact_source: "manual" | "word" | null;
  /** When `do_not_contact` was last set; `null` when it was never set or the time is not known. */
  readonly do_not_contact_at: string | null;
  /** Whether marketing templates to this contact are blocked. `false` does not change `do_not_contact`. */
  marketing_opt_out: boolean;
  /** How the service knows that the person opted out of marketing. `button`: the person tapped a button. `word`: the person wrote, for example, `stop promotions`. `preference`: the person said so in WhatsApp. `status`: the channel said so when it refused a message. `manual`: a person or a key of your company. `null`: the person has not opted out. */
  readonly marketing_opt_out_source: "button" | "word" | "preference" | "status" | "manual" | null;
  /** When the person opted out of marketing templates; `null` when the person never did, or has allowed them again. */
  readonly marketing_opt_out_at: string | null;
  /** Whether the contact is in use. */
  is_active: boolean;
  /** When the contact was archived; `null` if it is not archived. */
  readonly archived_at: string | null;
  /** When the person was erased; `null` if the person was not erased. */
  readonly erased_at: string | null;
  /** When the record was created. */
  readonly created_at: string;
  /** When the record was last changed. */
  readonly updated_at: string;
  /** A number that is new after each change of the record, as a string of digits. In double quotes, it is the record's ETag. */
  readonly version: string;
};

/** Contacts to write. An invalid item does not make the other items fail. */
export type ContactBatch = {
  /** The items to write, in any order. */
  items: ContactToPut[];
};

/** A contact, found by its id or by the id of a contact that was merged into it. */
export type ContactById = {
  /** The id of the record. */
  readonly id: string;
  /** The company of the record, which is the company of the key. */
  readonly company_id: string;
  /** The id of the contact in your own system. Two contacts that are not archived never have the same `external_id`. */
  external_id: string | null;
  /** The person's name. */
  name: string | null;
  /** The person's email address. */
  email: string | null;
  /** The person's phone in E.164 format with a leading plus sign, exactly as it was sent. `null` when the channel hides the person's phone. */
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
  /** Your own fields: any JSON object. */
  custom_fields: {
    [key: string]: unknown;
  };
  /** Whether sends to this contact are blocked. */
  do_not_contact: boolean;
  /** Who last set `do_not_contact`. `manual`: a person or a key of your company. `word`: the person, with a message such as `stop` or `start`. `null`: no one has set it. */
  readonly do_not_contact_source: "manual" | "word" | null;
  /** When `do_not_contact` was last set; `null` when it was never set or the time is not known. */
  readonly do_not_contact_at: string | null;
  /** Whether marketing templates to this contact are blocked. `false` does not change `do_not_contact`. */
  marketing_opt_out: boolean;
  /** How the service knows that the person opted out of marketing. `button`: the person tapped a button. `word`: the person wrote, for example, `stop promotions`. `preference`: the person said so in WhatsApp. `status`: the channel said so when it refused a message. `manual`: a person or a key of your company. `null`: the person has not opted out. */
  readonly marketing_opt_out_source: "button" | "word" | "preference" | "status" | "manual" | null;
  /** When the person opted out of marketing templates; `null` when the person never did, or has allowed them again. */
  readonly marketing_opt_out_at: string | null;
  /** Whether the contact is in use. */
  is_active: boolean;
  /** When the contact was archived; `null` if it is not archived. */
  readonly archived_at: string | null;
  /** When the person was erased; `null` if the person was not erased. */
  readonly erased_at: string | null;
  /** When the record was created. */
  readonly created_at: string;
  /** When the record was last changed. */
  readonly updated_at: string;
  /** A number that is new after each change of the record, as a string of digits. In double quotes, it is the record's ETag. */
  readonly version: string;
  /** The newest deals of the contact, with `include=deals`. */
  deals?: IncludedDeals;
  /** The newest conversations of the contact, with `include=conversations`. */
  conversations?: IncludedConversations;
  /** The id of the contact in this answer, when the contact that you asked for was merged into it. Left out otherwise. */
  merged_into?: string;
};

/** A contact card that a person sent. The card does not create a contact. */
export type ContactCard = {
  /** The name on the card. */
  name: string | null;
  /** The company on the card. */
  organization: string | null;
  /** The phones on the card: `phone` as the person wrote it, `whatsapp_id` if the channel knows the phone, and `type`, such as `CELL`. */
  phones: {
    phone: string | null;
    whatsapp_id: string | null;
    type: string | null;
  }[];
  /** The email addresses on the card, each with its `type`. */
  emails: {
    email: string | null;
    type: string | null;
  }[];
};

/** Changes to a contact. */
export type ContactChanges = {
  /** The person's phone in E.164 format with a leading plus sign, exactly as it was sent. `null` when the channel hides the person's phone. */
  phone: string;
  /** The id of the contact in your own system. Two contacts that are not archived never have the same `external_id`. */
  external_id?: string | null;
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
  /** Your own fields: any JSON object. */
  custom_fields?: {
    [key: string]: unknown;
  };
  /** Whether sends to this contact are blocked. */
  do_not_contact?: boolean;
  /** Whether marketing templates to this contact are blocked. `false` does not change `do_not_contact`. */
  marketing_opt_out?: boolean;
  /** Whether the contact is in use. */
  is_active?: boolean;
  /** Tags to add to the stored tags. The stored tags stay. Do not combine `add_tags` with `tags`. A tag that is also in `remove_tags` is added. */
  add_tags?: string[];
  /** Tags to remove from the stored tags. Do not combine `remove_tags` with `tags`. */
  remove_tags?: string[];
};

/** Everything that the service stores about a person. */
export type ContactExport = {
  /** The contact. */
  contact: Contact;
  /** Which messages the person wants, and when the person said so. */
  wishes: ContactWishes;
  /** The ids that the channel gives the person. */
  identities: ContactIdentity[];
  /** Phones that the person had earlier, or that came from merged contacts. */
  former_phones: ContactFormerPhone[];
  /** What the channel reported about changes of the person's phones and ids. */
  identity_events: ContactIdentityEvent[];
  /** The times until which your company may send free replies to the person, one for each account. */
  windows: ContactWindow[];
  /** The deals of the person. */
  deals: Deal[];
  /** The conversations with the person. */
  conversations: Conversation[];
  /** The messages of these conversations, one conversation after the other. */
  messages: Message[];
  /** What happened to each message that your company sent to the person with this API. */
  sends: Send[];
};

/** A phone that a person had earlier, or that came from a merged contact. */
export type ContactFormerPhone = {
  /** The phone. */
  phone: string;
  /** When the person stopped using the phone; `null` for an additional phone, which the person still uses. */
  until: string | null;
};

/** An id that the channel gives a person. */
export type ContactIdentity = {
  /** The id that the channel gives the person for your company. */
  user_id: string;
  /** The WhatsApp Business account for which the channel first reported the id. */
  business_account_id: string | null;
  /** When the id was first seen. */
  seen_at: string;
};

/** What the channel reported about a change of a person's phone or id. */
export type ContactIdentityEvent = {
  /** What the channel reported. `phone_changed`: the person has a new phone. `user_id_changed`: the person has a new id. `phone_taken`: the new phone belongs to another contact. `merged`: another contact was the same person; `was` is the id of that contact. */
  kind: string;
  /** The previous phone or id. */
  was: string | null;
  /** The new phone or id. */
  becomes: string | null;
  /** When it happened. */
  happened_at: string;
};

/** A JSON Merge Patch (RFC 7396) of a contact: a field that is left out keeps its value, `null` removes a value, and `custom_fields` is merged key by key, at every level. */
export type ContactPatch = {
  /** The person's phone in E.164 format with a leading plus sign, exactly as it was sent. `null` when the channel hides the person's phone. */
  phone?: string;
  /** The id of the contact in your own system. Two contacts that are not archived never have the same `external_id`. */
  external_id?: string | null;
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
  /** Your own fields: any JSON object. */
  custom_fields?: {
    [key: string]: unknown;
  };
  /** Whether sends to this contact are blocked. */
  do_not_contact?: boolean;
  /** Whether marketing templates to this contact are blocked. `false` does not change `do_not_contact`. */
  marketing_opt_out?: boolean;
  /** Whether the contact is in use. */
  is_active?: boolean;
  /** Tags to add to the stored tags. The stored tags stay. Do not combine `add_tags` with `tags`. A tag that is also in `remove_tags` is added. */
  add_tags?: string[];
  /** Tags to remove from the stored tags. Do not combine `remove_tags` with `tags`. */
  remove_tags?: string[];
};

/** Changes to contacts. An invalid item does not make the other items fail. */
export type ContactPatchBatch = {
  /** The items to write, in any order. */
  items: ContactPatchById[];
};

/** Changes to the contact with this id, as a JSON Merge Patch: `custom_fields` is merged, and `null` removes a value. */
export type ContactPatchById = {
  /** The id of the record. */
  id: string;
  /** The person's phone in E.164 format with a leading plus sign, exactly as it was sent. `null` when the channel hides the person's phone. */
  phone?: string;
  /** The id of the contact in your own system. Two contacts that are not archived never have the same `external_id`. */
  external_id?: string | null;
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
  /** Your own fields: any JSON object. */
  custom_fields?: {
    [key: string]: unknown;
  };
  /** Whether sends to this contact are blocked. */
  do_not_contact?: boolean;
  /** Whether marketing templates to this contact are blocked. `false` does not change `do_not_contact`. */
  marketing_opt_out?: boolean;
  /** Whether the contact is in use. */
  is_active?: boolean;
  /** Tags to add to the stored tags. The stored tags stay. Do not combine `add_tags` with `tags`. A tag that is also in `remove_tags` is added. */
  add_tags?: string[];
  /** Tags to remove from the stored tags. Do not combine `remove_tags` with `tags`. */
  remove_tags?: string[];
};

/** The contact with this phone. A field that is left out keeps its value; in a new contact, it gets its default. */
export type ContactToPut = {
  /** The person's phone in E.164 format with a leading plus sign, exactly as it was sent. `null` when the channel hides the person's phone. */
  phone: string;
  /** The id of the contact in your own system. Two contacts that are not archived never have the same `external_id`. */
  external_id?: string | null;
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
  /** Your own fields: any JSON object. */
  custom_fields?: {
    [key: string]: unknown;
  };
  /** Whether sends to this contact are blocked. */
  do_not_contact?: boolean;
  /** Whether marketing templates to this contact are blocked. `false` does not change `do_not_contact`. */
  marketing_opt_out?: boolean;
  /** Whether the contact is in use. */
  is_active?: boolean;
};

/** The time until which your company may send free replies to a person, for one account. */
export type ContactWindow = {
  /** The messaging account of your company. */
  account_id: string;
  /** When the person last wrote a message that opened the window. */
  last_inbound_at: string | null;
  /** When the channel last reported that the window is closed. */
  closed_at: string | null;
  /** The time until which your company may send free replies. */
  expires_at: string | null;
};

/** Which messages a person wants. */
export type ContactWishes = {
  /** Whether sends to this contact are blocked. */
  do_not_contact: boolean;
  /** Who last set `do_not_contact`. `manual`: a person or a key of your company. `word`: the person, with a message such as `stop` or `start`. `null`: no one has set it. */
  do_not_contact_source: string | null;
  /** When `do_not_contact` was last set; `null` when it was never set or the time is not known. */
  do_not_contact_at: string | null;
  /** When the person last wrote a word such as `stop`. */
  stop_word_at: string | null;
  /** When the person last wrote a word such as `start`. */
  start_word_at: string | null;
  /** When the person last stopped marketing messages. */
  marketing_stopped_at: string | null;
  /** How the service learned that the person last stopped marketing, as in `marketing_opt_out_source` of the contact. */
  marketing_stop_source: string | null;
  /** When the person most recently allowed marketing messages again. */
  marketing_resumed_at: string | null;
  /** When the person opted out of marketing templates; `null` when the person never did, or has allowed them again. */
  marketing_opt_out_at: string | null;
};

/** A person that the company talks to, with the records that `include` adds. */
export type ContactWithIncluded = {
  /** The id of the record. */
  readonly id: string;
  /** The company of the record, which is the company of the key. */
  readonly company_id: string;
  /** The id of the contact in your own system. Two contacts that are not archived never have the same `external_id`. */
  external_id: string | null;
  /** The person's name. */
  name: string | null;
  /** The person's email address. */
  email: string | null;
  /** The person's phone in E.164 format with a leading plus sign, exactly as it was sent. `null` when the channel hides the person's phone. */
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
  /** Your own fields: any JSON object. */
  custom_fields: {
    [key: string]: unknown;
  };
  /** Whether sends to this contact are blocked. */
  do_not_contact: boolean;
  /** Who last set `do_not_contact`. `manual`: a person or a key of your company. `word`: the person, with a message such as `stop` or `start`. `null`: no one has set it. */
  readonly do_not_contact_source: "manual" | "word" | null;
  /** When `do_not_contact` was last set; `null` when it was never set or the time is not known. */
  readonly do_not_contact_at: string | null;
  /** Whether marketing templates to this contact are blocked. `false` does not change `do_not_contact`. */
  marketing_opt_out: boolean;
  /** How the service knows that the person opted out of marketing. `button`: the person tapped a button. `word`: the person wrote, for example, `stop promotions`. `preference`: the person said so in WhatsApp. `status`: the channel said so when it refused a message. `manual`: a person or a key of your company. `null`: the person has not opted out. */
  readonly marketing_opt_out_source: "button" | "word" | "preference" | "status" | "manual" | null;
  /** When the person opted out of marketing templates; `null` when the person never did, or has allowed them again. */
  readonly marketing_opt_out_at: string | null;
  /** Whether the contact is in use. */
  is_active: boolean;
  /** When the contact was archived; `null` if it is not archived. */
  readonly archived_at: string | null;
  /** When the person was erased; `null` if the person was not erased. */
  readonly erased_at: string | null;
  /** When the record was created. */
  readonly created_at: string;
  /** When the record was last changed. */
  readonly updated_at: string;
  /** A number that is new after each change of the record, as a string of digits. In double quotes, it is the record's ETag. */
  readonly version: string;
  /** The newest deals of the contact, with `include=deals`. */
  deals?: IncludedDeals;
  /** The newest conversations of the contact, with `include=conversations`. */
  conversations?: IncludedConversations;
};

/** A contact in an answer that would be too large with `custom_fields`. */
export type ContactWithoutCustomFields = {
  /** The id of the record. */
  readonly id: string;
  /** The company of the record, which is the company of the key. */
  readonly company_id: string;
  /** The id of the contact in your own system. Two contacts that are not archived never have the same `external_id`. */
  external_id: string | null;
  /** The person's name. */
  name: string | null;
  /** The person's email address. */
  email: string | null;
  /** The person's phone in E.164 format with a leading plus sign, exactly as it was sent. `null` when the channel hides the person's phone. */
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
  /** Who last set `do_not_contact`. `manual`: a person or a key of your company. `word`: the person, with a message such as `stop` or `start`. `null`: no one has set it. */
  readonly do_not_contact_source: "manual" | "word" | null;
  /** When `do_not_contact` was last set; `null` when it was never set or the time is not known. */
  readonly do_not_contact_at: string | null;
  /** Whether marketing templates to this contact are blocked. `false` does not change `do_not_contact`. */
  marketing_opt_out: boolean;
  /** How the service knows that the person opted out of marketing. `button`: the person tapped a button. `word`: the person wrote, for example, `stop promotions`. `preference`: the person said so in WhatsApp. `status`: the channel said so when it refused a message. `manual`: a person or a key of your company. `null`: the person has not opted out. */
  readonly marketing_opt_out_source: "button" | "word" | "preference" | "status" | "manual" | null;
  /** When the person opted out of marketing templates; `null` when the person never did, or has allowed them again. */
  readonly marketing_opt_out_at: string | null;
  /** Whether the contact is in use. */
  is_active: boolean;
  /** When the contact was archived; `null` if it is not archived. */
  readonly archived_at: string | null;
  /** When the person was erased; `null` if the person was not erased. */
  readonly erased_at: string | null;
  /** When the record was created. */
  readonly created_at: string;
  /** When the record was last changed. */
  readonly updated_at: string;
  /** A number that is new after each change of the record, as a string of digits. In double quotes, it is the record's ETag. */
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
  /** The messaging account of the conversation: the number of your company that the contact writes to. */
  readonly phone_number_id: string;
  /** The state of the conversation. On one account, a contact has at most one conversation that is not `closed`. */
  status: "open" | "pending" | "closed";
  /** The member of your company who handles the conversation. */
  assigned_to: string | null;
  /** The team of your company that handles the conversation. */
  team_id: string | null;
  /** When the last message was sent or received. */
  readonly last_message_at: string | null;
  /** The time until which your company may send free replies. It is 24 hours after the contact's last message on this number, or the time when the channel reported that the window is closed. */
  readonly window_expires_at: string | null;
  /** When the record was created. */
  readonly created_at: string;
  /** When the record was last changed. */
  readonly updated_at: string;
  /** A number that is new after each change of the record, as a string of digits. In double quotes, it is the record's ETag. */
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
  /** The messaging account of the conversation: the number of your company that the contact writes to. */
  readonly phone_number_id: string;
  /** The state of the conversation. On one account, a contact has at most one conversation that is not `closed`. */
  status: "open" | "pending" | "closed";
  /** The member of your company who handles the conversation. */
  assigned_to: string | null;
  /** The team of your company that handles the conversation. */
  team_id: string | null;
  /** When the last message was sent or received. */
  readonly last_message_at: string | null;
  /** The time until which your company may send free replies. It is 24 hours after the contact's last message on this number, or the time when the channel reported that the window is closed. */
  readonly window_expires_at: string | null;
  /** When the record was created. */
  readonly created_at: string;
  /** When the record was last changed. */
  readonly updated_at: string;
  /** A number that is new after each change of the record, as a string of digits. In double quotes, it is the record's ETag. */
  readonly version: string;
  /** The contact of the conversation, with `include=contact`. */
  contact?: Contact;
};

/** The query parameters of `createDeals`, in addition to the arguments of its method. */
export type CreateDealsQuery = {
  /** With `true`, either all items are written, or none. If none is written, the answer is the error of the first item that cannot be written, and `details` names its wrong fields, such as `items.3.phone`. */
  atomic?: boolean | undefined;
  /** What happens to a record that your company already has. `update`: the fields of the request replace the fields of the record. `merge`: the same, but `custom_fields` is merged key by key (`null` removes a key), and `tags` is added to the stored tags. `keep`: the fields of the request fill only empty fields. `fail`: the record does not change, and the item gets a 409. */
  on_conflict?: "update" | "merge" | "keep" | "fail" | undefined;
};

/** A sales opportunity. */
export type Deal = {
  /** The id of the record. */
  readonly id: string;
  /** The company of the record, which is the company of the key. */
  readonly company_id: string;
  /** The id of the deal in your own system. Two deals that are not archived never have the same `external_id`. */
  external_id: string | null;
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
  /** When the deal was won; `null` when it is not won or the time is not known. */
  readonly won_at: string | null;
  /** When the deal was lost; `null` when it is not lost or the time is not known. */
  readonly lost_at: string | null;
  /** When the deal entered its stage. For a new deal, this is when the deal was created. */
  readonly stage_changed_at: string;
  /** When the deal was archived; `null` if it is not archived. */
  readonly archived_at: string | null;
  /** When the record was created. */
  readonly created_at: string;
  /** When the record was last changed. */
  readonly updated_at: string;
  /** A number that is new after each change of the record, as a string of digits. In double quotes, it is the record's ETag. */
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
  /** The id of the deal in your own system. Two deals that are not archived never have the same `external_id`. */
  external_id?: string | null;
};

/** Changes to deals. An invalid item does not make the other items fail. */
export type DealChangesBatch = {
  /** The items to write, in any order. */
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
  /** The id of the deal in your own system. Two deals that are not archived never have the same `external_id`. */
  external_id?: string | null;
};

/** One thing that happened to a deal. */
export type DealHistoryEntry = {
  /** The id of the entry. */
  id: string;
  /** What happened: the deal was `created`, or moved to another stage or status. */
  kind: "created" | "stage_changed" | "status_changed";
  /** The previous stage or status. `null` for the creation. */
  from: string | null;
  /** The new stage or status; for the creation, the first stage. `null` if it is not known, because the deal is older than its history. */
  to: string | null;
  /** When this happened. No two entries of a deal have the same time. */
  at: string;
  /** Who made the change. `null` if the service itself made it, or if this is not known. */
  by: (ByKey | ByPerson) | null;
};

/** A sales opportunity, with the records that `include` adds. */
export type DealWithIncluded = {
  /** The id of the record. */
  readonly id: string;
  /** The company of the record, which is the company of the key. */
  readonly company_id: string;
  /** The id of the deal in your own system. Two deals that are not archived never have the same `external_id`. */
  external_id: string | null;
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
  /** When the deal was won; `null` when it is not won or the time is not known. */
  readonly won_at: string | null;
  /** When the deal was lost; `null` when it is not lost or the time is not known. */
  readonly lost_at: string | null;
  /** When the deal entered its stage. For a new deal, this is when the deal was created. */
  readonly stage_changed_at: string;
  /** When the deal was archived; `null` if it is not archived. */
  readonly archived_at: string | null;
  /** When the record was created. */
  readonly created_at: string;
  /** When the record was last changed. */
  readonly updated_at: string;
  /** A number that is new after each change of the record, as a string of digits. In double quotes, it is the record's ETag. */
  readonly version: string;
  /** The contact of the deal, with `include=contact`. */
  contact?: Contact;
  /** The stage that the deal is in, with `include=stage`. */
  stage?: Stage;
};

/** A record that was deleted. Only these fields are left. */
export type DeletedRow = {
  /** The id of the record. */
  id: string;
  /** The company of the record, which is the company of the key. */
  company_id: string;
  /** When the record was deleted. */
  deleted_at: string;
  /** For a contact that was merged: the id of the contact into which it was merged. Left out otherwise. */
  merged_into?: string;
};

/** The delivery of one event to one webhook, with all its attempts. */
export type Delivery = {
  /** The id of the event. */
  event_id: string;
  /** The type of the event. */
  type:
    | "contact.created"
    | "contact.updated"
    | "contact.archived"
    | "contact.restored"
    | "contact.merged"
    | "contact.erased"
    | "contact.deleted"
    | "contact.opted_out"
    | "contact.opted_in"
    | "deal.created"
    | "deal.updated"
    | "deal.stage_changed"
    | "deal.won"
    | "deal.lost"
    | "deal.reopened"
    | "deal.archived"
    | "deal.restored"
    | "deal.deleted"
    | "conversation.opened"
    | "conversation.assigned"
    | "conversation.updated"
    | "conversation.closed"
    | "conversation.window_closing"
    | "conversation.deleted"
    | "message.received"
    | "message.status_changed"
    | "message.updated"
    | "send.settled"
    | "send.failed"
    | "template.status_changed"
    | "account.restricted"
    | "account.restored"
    | "webhook.test"
    | "webhook.switched_off";
  /** The record that the event is about. */
  record_id: string;
  /** When the event happened. */
  timestamp: string;
  /** `waiting`: the event has not arrived yet. `delivered`: the receiver accepted it. `failed`: all attempts failed. `undelivered`: the webhook was switched off before the event arrived. */
  state: "waiting" | "delivered" | "failed" | "undelivered";
  /** How many attempts were made. */
  attempts: number;
  /** When the next attempt is due; `null` when there is none. */
  next_attempt_at: string | null;
  /** When the event arrived, or when the service stopped trying; `null` while the event waits. */
  ended_at: string | null;
  /** The attempts, oldest first. */
  tries: DeliveryTry[];
};

/** One attempt to deliver an event. */
export type DeliveryTry = {
  /** When the attempt began. */
  at: string;
  /** The HTTP status of the answer; `null` without an answer. */
  status: number | null;
  /** Why there was no answer, such as `timeout`; `null` when there was an answer. */
  failure: string | null;
  /** How many milliseconds the attempt took. */
  ms: number;
  /** The first characters of an answer that was not a success; `null` otherwise. The service removes them when the person to whom the record belongs is erased. */
  answer: string | null;
};

/** A refused send: the contact must not be contacted. */
export type DoNotContact = {
  /** Nothing was sent. */
  success: false;
  /** `do_not_contact` is true for the contact. You can send a free reply after the person writes again. */
  reason: "do_not_contact";
};

/** What the request would do without `dry_run`. */
export type DryRun = {
  /** Whether the same request without `dry_run` would return `success: true`. */
  success: boolean;
  /** The request was a dry run. */
  dry_run: true;
  /** `send`: the channel would get the request. `repeat`: the request repeats an idempotency key. `do_not_contact`: the contact must not be contacted. `marketing_opt_out`: the template is a marketing template, and the person has opted out of marketing. */
  outcome: "send" | "repeat" | "do_not_contact" | "marketing_opt_out";
  /** The fields that differ from the first request with this key, as in the header `Idempotency-Mismatch`. What this request says in these fields was not sent. Missing when nothing differs. */
  mismatch?: MismatchedField[];
};

/** The confirmation that the person should be erased. */
export type Erasing = {
  /** The id of the contact again, because erasing cannot be undone. */
  confirm: string;
};

/** Something that happened to a record. */
export type Event = {
  /** The id of the event. Every delivery of the event has this id as `webhook-id`. */
  id: string;
  /** What happened, such as `deal.won`. */
  type:
    | "contact.created"
    | "contact.updated"
    | "contact.archived"
    | "contact.restored"
    | "contact.merged"
    | "contact.erased"
    | "contact.deleted"
    | "contact.opted_out"
    | "contact.opted_in"
    | "deal.created"
    | "deal.updated"
    | "deal.stage_changed"
    | "deal.won"
    | "deal.lost"
    | "deal.reopened"
    | "deal.archived"
    | "deal.restored"
    | "deal.deleted"
    | "conversation.opened"
    | "conversation.assigned"
    | "conversation.updated"
    | "conversation.closed"
    | "conversation.window_closing"
    | "conversation.deleted"
    | "message.received"
    | "message.status_changed"
    | "message.updated"
    | "send.settled"
    | "send.failed"
    | "template.status_changed"
    | "account.restricted"
    | "account.restored"
    | "webhook.test"
    | "webhook.switched_off";
  /** When the event happened, to the microsecond. A later event of the same record never has an earlier time, even if both happened in the same millisecond. */
  timestamp: string;
  /** The company of the record, which is the company of the key. */
  company_id: string;
  /** The kind of record. */
  resource:
    | "contact"
    | "deal"
    | "conversation"
    | "message"
    | "send"
    | "template"
    | "account"
    | "webhook";
  /** The id of the record. For a send, this is the id of its message. */
  record_id: string;
  /** Who made the change. */
  actor: EventActor;
  /** The `X-Request-Id` of the request that made the change; `null` when there was none. */
  request_id: string | null;
  /** The names of the fields that changed. */
  changed: string[];
  /** The value of a field before the change (`from`) and after it (`to`), only for fields without personal data, such as `stage_id`. Some types have other values here, such as the ids of the conversations of an erased contact. */
  changes: {
    [key: string]: unknown;
  };
};

/** Who made a change. */
export type EventActor = {
  /** `key`: an API key. `person`: a signed-in person. `platform`: the operator. `channel`: WhatsApp. `job`: a scheduled job of the service. */
  kind: "key" | "person" | "platform" | "channel" | "job";
  /** The id of the key or of the person; otherwise `null`. */
  id: string | null;
};

/** What happened: the type of an event. */
export type EventType =
  | "contact.created"
  | "contact.updated"
  | "contact.archived"
  | "contact.restored"
  | "contact.merged"
  | "contact.erased"
  | "contact.deleted"
  | "contact.opted_out"
  | "contact.opted_in"
  | "deal.created"
  | "deal.updated"
  | "deal.stage_changed"
  | "deal.won"
  | "deal.lost"
  | "deal.reopened"
  | "deal.archived"
  | "deal.restored"
  | "deal.deleted"
  | "conversation.opened"
  | "conversation.assigned"
  | "conversation.updated"
  | "conversation.closed"
  | "conversation.window_closing"
  | "conversation.deleted"
  | "message.received"
  | "message.status_changed"
  | "message.updated"
  | "send.settled"
  | "send.failed"
  | "template.status_changed"
  | "account.restricted"
  | "account.restored"
  | "webhook.test"
  | "webhook.switched_off";

/** What is wrong with one field. The message completes a sentence that begins with the field's name. */
export type FieldError = {
  /** A path with dots, such as `phone`, `tags.3` or `limit`; `body` means the whole body. */
  field: string;
  /** What is wrong, such as `is required`. */
  message: string;
  /** A messaging account that the request can name in `phone_number_id`. */
  phone_number_id?: string;
  /** The phone number of that account. */
  display_phone?: string;
};

/** A contact that matches a search. */
export type FoundContact = {
  /** The kind of the record. */
  type: "contact";
  /** The id of the record. */
  id: string;
  /** A text of one line that a list can show for the record. A conversation has the label of its contact. */
  label: string;
  /** The record. */
  row: Contact;
};

/** A conversation whose contact matches a search. */
export type FoundConversation = {
  /** The kind of the record. */
  type: "conversation";
  /** The id of the record. */
  id: string;
  /** A text of one line that a list can show for the record. A conversation has the label of its contact. */
  label: string;
  /** The record. */
  row: Conversation;
};

/** A deal that matches a search. */
export type FoundDeal = {
  /** The kind of the record. */
  type: "deal";
  /** The id of the record. */
  id: string;
  /** A text of one line that a list can show for the record. A conversation has the label of its contact. */
  label: string;
  /** The record. */
  row: Deal;
};

/** The query parameters of `getContact`, in addition to the arguments of its method. */
export type GetContactQuery = {
  /** Archived records: `exclude` leaves them out, `include` lists them together with the others, `only` lists only archived records. A record has a time in `archived_at` while it is archived. */
  archived?: "exclude" | "include" | "only" | undefined;
};

/** The query parameters of `getDeal`, in addition to the arguments of its method. */
export type GetDealQuery = {
  /** Archived records: `exclude` leaves them out, `include` lists them together with the others, `only` lists only archived records. A record has a time in `archived_at` while it is archived. */
  archived?: "exclude" | "include" | "only" | undefined;
};

/** The query parameters of `getPipeline`, in addition to the arguments of its method. */
export type GetPipelineQuery = {
  /** Archived records: `exclude` leaves them out, `include` lists them together with the others, `only` lists only archived records. A record has a time in `archived_at` while it is archived. */
  archived?: "exclude" | "include" | "only" | undefined;
};

/** The query parameters of `getStage`, in addition to the arguments of its method. */
export type GetStageQuery = {
  /** Archived records: `exclude` leaves them out, `include` lists them together with the others, `only` lists only archived records. A record has a time in `archived_at` while it is archived. */
  archived?: "exclude" | "include" | "only" | undefined;
};

/** Your own file for the header of a template: an upload, or an address. */
export type HeaderMedia = {
  /** The id of an upload of the sending phone number. */
  id?: string;
  /** An address from which the service fetches the file at each send. The operator allows the hosts in WHATSAPP_MEDIA_HOSTS; for any other host, the answer is a 422. */
  url?: string;
} & (unknown | unknown);

/** The state of the service. */
export type Health = {
  /** Always `ok`: a service that does not work returns an error. */
  status: "ok";
  /** The release of the functions. */
  version: string;
};

/** The newest conversations of a contact, newest first. */
export type IncludedConversations = {
  /** Up to 10 conversations. */
  data: Conversation[];
  /** Whether the contact has more conversations. `GET /conversations?contact_id=` lists all of them. */
  has_more: boolean;
};

/** The newest deals of a contact, newest first. */
export type IncludedDeals = {
  /** Up to 10 deals. */
  data: Deal[];
  /** Whether the contact has more deals. `GET /deals?contact_id=` lists all of them. */
  has_more: boolean;
};

/** The limits of a request with this key. */
export type Limits = {
  /** How many bytes the body of a request may have. */
  body_bytes: number;
  /** How many items a batch may have. */
  batch_items: number;
  /** The highest `limit` of a list. */
  page_records: number;
  /** How many requests of your company one instance of the gateway works on at the same time. */
  requests_at_once: number;
  /** How many further requests of your company may wait there. Requests beyond this number get a 429. */
  requests_waiting: number;
  /** How many seconds a request may wait before it gets a 429. */
  waiting_seconds: number;
};

/** The query parameters of `listContactChanges`, in addition to the arguments of its method. */
export type ListContactChangesQuery = {
  /** The maximum number of records on a page. A page of large records may have fewer records. */
  limit?: number | undefined;
  /** The `next_cursor` of the previous page. Send it with the same filters and the same `sort` to get the next page. */
  cursor?: string | undefined;
  /** Where to start without a cursor: `beginning` starts at the first record. `now` returns no changes, but a cursor for later changes. Do not combine `start` with `cursor`. */
  start?: "beginning" | "now" | undefined;
};

/** The query parameters of `listContacts`, in addition to the arguments of its method. */
export type ListContactsQuery = {
  /** The maximum number of records on a page. A page of large records may have fewer records. */
  limit?: number | undefined;
  /** The `next_cursor` of the previous page. Send it with the same filters and the same `sort` to get the next page. */
  cursor?: string | undefined;
  /** The field to sort the list by; a minus sign before it sorts in descending order. Records with the same value are in the order of their ids. */
  sort?: "created_at" | "-created_at" | "updated_at" | "-updated_at" | "name" | "-name" | undefined;
  /** With `true`, `pagination` also says how many records the filters find: `total` and `total_relation`. */
  include_total?: boolean | undefined;
  /** Archived records: `exclude` leaves them out, `include` lists them together with the others, `only` lists only archived records. A record has a time in `archived_at` while it is archived. */
  archived?: "exclude" | "include" | "only" | undefined;
  /** Finds records that have all of these words. The words may be in different searched fields. The order of the words, case, accents and punctuation make no difference. A word of one or two letters is found only at the beginning of a word; a longer word is found anywhere. Numbers with 8 to 15 digits together also find a contact by its phone, in any spelling and with or without the country. */
  q?: string | undefined;
  /** Finds records whose `id` is this value, or one of these values. */
  id?: OneOrMore<string> | undefined;
  /** Finds records whose `id` is none of these values. */
  "id[ne]"?: OneOrMore<string> | undefined;
  /** Finds records whose `external_id` is this value, or one of these values. */
  external_id?: OneOrMore<string> | undefined;
  /** Finds records whose `external_id` is none of these values. */
  "external_id[ne]"?: OneOrMore<string> | undefined;
  /** `true` finds records without a value in `external_id`; `false` finds records with a value. */
  "external_id[empty]"?: boolean | undefined;
  /** Finds records whose `name` is this value, or one of these values. */
  name?: OneOrMore<string> | undefined;
  /** Finds records whose `name` is none of these values. */
  "name[ne]"?: OneOrMore<string> | undefined;
  /** `true` finds records without a value in `name`; `false` finds records with a value. */
  "name[empty]"?: boolean | undefined;
  /** Finds records with this text in `name`; case, accents and punctuation make no difference. One or two letters match only at the beginning of a word; a longer text matches anywhere. */
  "name[contains]"?: string | undefined;
  /** Finds records by the email address of their person. Upper and lower case make no difference. For members, an owner or admin of your company must allow this search. */
  email?: OneOrMore<string> | undefined;
  /** Finds records whose `email` is none of these values. */
  "email[ne]"?: OneOrMore<string> | undefined;
  /** `true` finds records without a value in `email`; `false` finds records with a value. */
  "email[empty]"?: boolean | undefined;
  /** Finds records with this text in `email`; case, accents and punctuation make no difference. One or two letters match only at the beginning of a word; a longer text matches anywhere. */
  "email[contains]"?: string | undefined;
  /** Finds records by the phone of their person, with the country code and in any spelling of the number. Blanks, brackets and hyphens make no difference. In a URL, write the plus sign as `%2B`, or leave it out. */
  phone?: OneOrMore<string> | undefined;
  /** Finds contacts that have none of these phones. All spellings of a phone count as the same phone. */
  "phone[ne]"?: OneOrMore<string> | undefined;
  /** `true` finds records without a value in `phone`; `false` finds records with a value. */
  "phone[empty]"?: boolean | undefined;
  /** Finds records whose `temperature` is this value, or one of these values. */
  temperature?: OneOrMore<"cold" | "warm" | "hot"> | undefined;
  /** Finds records whose `temperature` is none of these values. */
  "temperature[ne]"?: OneOrMore<"cold" | "warm" | "hot"> | undefined;
  /** Finds contacts that have at least one of these tags. */
  tags?: OneOrMore<string> | undefined;
  /** Finds contacts that have all of these tags. */
  "tags[all]"?: OneOrMore<string> | undefined;
  /** Finds contacts that have none of these tags. */
  "tags[ne]"?: OneOrMore<string> | undefined;
  /** `true` finds records without a value in `tags`; `false` finds records with a value. */
  "tags[empty]"?: boolean | undefined;
  /** Finds records whose `source` is this value, or one of these values. */
  source?: OneOrMore<string> | undefined;
  /** Finds records whose `source` is none of these values. */
  "source[ne]"?: OneOrMore<string> | undefined;
  /** `true` finds records without a value in `source`; `false` finds records with a value. */
  "source[empty]"?: boolean | undefined;
  /** Finds records whose `job_title` is this value, or one of these values. */
  job_title?: OneOrMore<string> | undefined;
  /** Finds records whose `job_title` is none of these values. */
  "job_title[ne]"?: OneOrMore<string> | undefined;
  /** `true` finds records without a value in `job_title`; `false` finds records with a value. */
  "job_title[empty]"?: boolean | undefined;
  /** Finds records with this text in `job_title`; case, accents and punctuation make no difference. One or two letters match only at the beginning of a word; a longer text matches anywhere. */
  "job_title[contains]"?: string | undefined;
  /** Finds records whose `empresa` is this value, or one of these values. */
  empresa?: OneOrMore<string> | undefined;
  /** Finds records whose `empresa` is none of these values. */
  "empresa[ne]"?: OneOrMore<string> | undefined;
  /** `true` finds records without a value in `empresa`; `false` finds records with a value. */
  "empresa[empty]"?: boolean | undefined;
  /** Finds records with this text in `empresa`; case, accents and punctuation make no difference. One or two letters match only at the beginning of a word; a longer text matches anywhere. */
  "empresa[contains]"?: string | undefined;
  /** Finds records whose `do_not_contact` is this value, or one of these values. */
  do_not_contact?: OneOrMore<boolean> | undefined;
  /** Finds records whose `do_not_contact` is none of these values. */
  "do_not_contact[ne]"?: OneOrMore<boolean> | undefined;
  /** Finds records whose `marketing_opt_out_at` is after this time. */
  "marketing_opt_out_at[gt]"?: Time | undefined;
  /** Finds records whose `marketing_opt_out_at` is this time or later. */
  "marketing_opt_out_at[gte]"?: Time | undefined;
  /** Finds records whose `marketing_opt_out_at` is before this time. */
  "marketing_opt_out_at[lt]"?: Time | undefined;
  /** Finds records whose `marketing_opt_out_at` is this time or earlier. */
  "marketing_opt_out_at[lte]"?: Time | undefined;
  /** `true` finds records without a value in `marketing_opt_out_at`; `false` finds records with a value. */
  "marketing_opt_out_at[empty]"?: boolean | undefined;
  /** Finds records whose `is_active` is this value, or one of these values. */
  is_active?: OneOrMore<boolean> | undefined;
  /** Finds records whose `is_active` is none of these values. */
  "is_active[ne]"?: OneOrMore<boolean> | undefined;
  /** Finds records whose `created_at` is after this time. */
  "created_at[gt]"?: Time | undefined;
  /** Finds records whose `created_at` is this time or later. */
  "created_at[gte]"?: Time | undefined;
  /** Finds records whose `created_at` is before this time. */
  "created_at[lt]"?: Time | undefined;
  /** Finds records whose `created_at` is this time or earlier. */
  "created_at[lte]"?: Time | undefined;
  /** Finds records whose `updated_at` is after this time. */
  "updated_at[gt]"?: Time | undefined;
  /** Finds records whose `updated_at` is this time or later. */
  "updated_at[gte]"?: Time | undefined;
  /** Finds records whose `updated_at` is before this time. */
  "updated_at[lt]"?: Time | undefined;
  /** Finds records whose `updated_at` is this time or earlier. */
  "updated_at[lte]"?: Time | undefined;
  /** `custom_fields.<key>=<value>` finds contacts by a custom field. The key is everything after the first dot. A further dot is a part of the key, or separates it from the key of a nested object, as in `custom_fields.opening.city=Toronto`. The value is compared as text: `5` finds 5 and "5". Separate several values with commas. */
  [field: `custom_fields.${string}`]: OneOrMore<string> | undefined;
};

/** The query parameters of `listConversationChanges`, in addition to the arguments of its method. */
export type ListConversationChangesQuery = {
  /** The maximum number of records on a page. A page of large records may have fewer records. */
  limit?: number | undefined;
  /** The `next_cursor` of the previous page. Send it with the same filters and the same `sort` to get the next page. */
  cursor?: string | undefined;
  /** Where to start without a cursor: `beginning` starts at the first record. `now` returns no changes, but a cursor for later changes. Do not combine `start` with `cursor`. */
  start?: "beginning" | "now" | undefined;
};

/** The query parameters of `listConversations`, in addition to the arguments of its method. */
export type ListConversationsQuery = {
  /** The maximum number of records on a page. A page of large records may have fewer records. */
  limit?: number | undefined;
  /** The `next_cursor` of the previous page. Send it with the same filters and the same `sort` to get the next page. */
  cursor?: string | undefined;
  /** The field to sort the list by; a minus sign before it sorts in descending order. Records with the same value are in the order of their ids. */
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
  /** Finds records whose `id` is this value, or one of these values. */
  id?: OneOrMore<string> | undefined;
  /** Finds records whose `id` is none of these values. */
  "id[ne]"?: OneOrMore<string> | undefined;
  /** Finds records whose `contact_id` is this value, or one of these values. */
  contact_id?: OneOrMore<string> | undefined;
  /** Finds records whose `contact_id` is none of these values. */
  "contact_id[ne]"?: OneOrMore<string> | undefined;
  /** Finds conversations on one of these messaging accounts, or templates that one of these accounts can send. */
  phone_number_id?: OneOrMore<string> | undefined;
  /** Finds records whose `phone_number_id` is none of these values. */
  "phone_number_id[ne]"?: OneOrMore<string> | undefined;
  /** Finds records whose `status` is this value, or one of these values. */
  status?: OneOrMore<"open" | "pending" | "closed"> | undefined;
  /** Finds records whose `status` is none of these values. */
  "status[ne]"?: OneOrMore<"open" | "pending" | "closed"> | undefined;
  /** Finds records whose `assigned_to` is this value, or one of these values. */
  assigned_to?: OneOrMore<string> | undefined;
  /** Finds records whose `assigned_to` is none of these values. */
  "assigned_to[ne]"?: OneOrMore<string> | undefined;
  /** `true` finds records without a value in `assigned_to`; `false` finds records with a value. */
  "assigned_to[empty]"?: boolean | undefined;
  /** Finds records whose `team_id` is this value, or one of these values. */
  team_id?: OneOrMore<string> | undefined;
  /** Finds records whose `team_id` is none of these values. */
  "team_id[ne]"?: OneOrMore<string> | undefined;
  /** `true` finds records without a value in `team_id`; `false` finds records with a value. */
  "team_id[empty]"?: boolean | undefined;
  /** Finds records whose `last_message_at` is after this time. */
  "last_message_at[gt]"?: Time | undefined;
  /** Finds records whose `last_message_at` is this time or later. */
  "last_message_at[gte]"?: Time | undefined;
  /** Finds records whose `last_message_at` is before this time. */
  "last_message_at[lt]"?: Time | undefined;
  /** Finds records whose `last_message_at` is this time or earlier. */
  "last_message_at[lte]"?: Time | undefined;
  /** `true` finds records without a value in `last_message_at`; `false` finds records with a value. */
  "last_message_at[empty]"?: boolean | undefined;
  /** Finds records whose `window_expires_at` is after this time. */
  "window_expires_at[gt]"?: Time | undefined;
  /** Finds records whose `window_expires_at` is this time or later. */
  "window_expires_at[gte]"?: Time | undefined;
  /** Finds records whose `window_expires_at` is before this time. */
  "window_expires_at[lt]"?: Time | undefined;
  /** Finds records whose `window_expires_at` is this time or earlier. */
  "window_expires_at[lte]"?: Time | undefined;
  /** `true` finds records without a value in `window_expires_at`; `false` finds records with a value. */
  "window_expires_at[empty]"?: boolean | undefined;
  /** Finds records whose `created_at` is after this time. */
  "created_at[gt]"?: Time | undefined;
  /** Finds records whose `created_at` is this time or later. */
  "created_at[gte]"?: Time | undefined;
  /** Finds records whose `created_at` is before this time. */
  "created_at[lt]"?: Time | undefined;
  /** Finds records whose `created_at` is this time or earlier. */
  "created_at[lte]"?: Time | undefined;
  /** Finds records whose `updated_at` is after this time. */
  "updated_at[gt]"?: Time | undefined;
  /** Finds records whose `updated_at` is this time or later. */
  "updated_at[gte]"?: Time | undefined;
  /** Finds records whose `updated_at` is before this time. */
  "updated_at[lt]"?: Time | undefined;
  /** Finds records whose `updated_at` is this time or earlier. */
  "updated_at[lte]"?: Time | undefined;
};

/** The query parameters of `listDealChanges`, in addition to the arguments of its method. */
export type ListDealChangesQuery = {
  /** The maximum number of records on a page. A page of large records may have fewer records. */
  limit?: number | undefined;
  /** The `next_cursor` of the previous page. Send it with the same filters and the same `sort` to get the next page. */
  cursor?: string | undefined;
  /** Where to start without a cursor: `beginning` starts at the first record. `now` returns no changes, but a cursor for later changes. Do not combine `start` with `cursor`. */
  start?: "beginning" | "now" | undefined;
};

/** The query parameters of `listDealHistory`, in addition to the arguments of its method. */
export type ListDealHistoryQuery = {
  /** The maximum number of records on a page. A page of large records may have fewer records. */
  limit?: number | undefined;
  /** The `next_cursor` of the previous page. Send it with the same filters and the same `sort` to get the next page. */
  cursor?: string | undefined;
  /** The field to sort the list by; a minus sign before it sorts in descending order. Records with the same value are in the order of their ids. */
  sort?: "at" | "-at" | undefined;
  /** With `true`, `pagination` also says how many records the filters find: `total` and `total_relation`. */
  include_total?: boolean | undefined;
  /** Finds records whose `id` is this value, or one of these values. */
  id?: OneOrMore<string> | undefined;
  /** Finds records whose `id` is none of these values. */
  "id[ne]"?: OneOrMore<string> | undefined;
  /** Finds records whose `kind` is this value, or one of these values. */
  kind?: OneOrMore<"created" | "stage_changed" | "status_changed"> | undefined;
  /** Finds records whose `kind` is none of these values. */
  "kind[ne]"?: OneOrMore<"created" | "stage_changed" | "status_changed"> | undefined;
  /** Finds records whose `at` is after this time. */
  "at[gt]"?: Time | undefined;
  /** Finds records whose `at` is this time or later. */
  "at[gte]"?: Time | undefined;
  /** Finds records whose `at` is before this time. */
  "at[lt]"?: Time | undefined;
  /** Finds records whose `at` is this time or earlier. */
  "at[lte]"?: Time | undefined;
};

/** The query parameters of `listDeals`, in addition to the arguments of its method. */
export type ListDealsQuery = {
  /** The maximum number of records on a page. A page of large records may have fewer records. */
  limit?: number | undefined;
  /** The `next_cursor` of the previous page. Send it with the same filters and the same `sort` to get the next page. */
  cursor?: string | undefined;
  /** The field to sort the list by; a minus sign before it sorts in descending order. Records with the same value are in the order of their ids. */
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
  /** Archived records: `exclude` leaves them out, `include` lists them together with the others, `only` lists only archived records. A record has a time in `archived_at` while it is archived. */
  archived?: "exclude" | "include" | "only" | undefined;
  /** Finds records that have all of these words. The words may be in different searched fields. The order of the words, case, accents and punctuation make no difference. A word of one or two letters is found only at the beginning of a word; a longer word is found anywhere. Numbers with 8 to 15 digits together also find a contact by its phone, in any spelling and with or without the country. */
  q?: string | undefined;
  /** Finds records whose `id` is this value, or one of these values. */
  id?: OneOrMore<string> | undefined;
  /** Finds records whose `id` is none of these values. */
  "id[ne]"?: OneOrMore<string> | undefined;
  /** Finds records whose `external_id` is this value, or one of these values. */
  external_id?: OneOrMore<string> | undefined;
  /** Finds records whose `external_id` is none of these values. */
  "external_id[ne]"?: OneOrMore<string> | undefined;
  /** `true` finds records without a value in `external_id`; `false` finds records with a value. */
  "external_id[empty]"?: boolean | undefined;
  /** Finds records whose `title` is this value, or one of these values. */
  title?: OneOrMore<string> | undefined;
  /** Finds records whose `title` is none of these values. */
  "title[ne]"?: OneOrMore<string> | undefined;
  /** `true` finds records without a value in `title`; `false` finds records with a value. */
  "title[empty]"?: boolean | undefined;
  /** Finds records with this text in `title`; case, accents and punctuation make no difference. One or two letters match only at the beginning of a word; a longer text matches anywhere. */
  "title[contains]"?: string | undefined;
  /** Finds records whose `value` is this value, or one of these values. */
  value?: OneOrMore<number | string> | undefined;
  /** Finds records whose `value` is none of these values. */
  "value[ne]"?: OneOrMore<number | string> | undefined;
  /** Finds records whose `value` is above this number. */
  "value[gt]"?: number | string | undefined;
  /** Finds records whose `value` is at least this number. */
  "value[gte]"?: number | string | undefined;
  /** Finds records whose `value` is below this number. */
  "value[lt]"?: number | string | undefined;
  /** Finds records whose `value` is at most this number. */
  "value[lte]"?: number | string | undefined;
  /** `true` finds records without a value in `value`; `false` finds records with a value. */
  "value[empty]"?: boolean | undefined;
  /** Finds records whose `status` is this value, or one of these values. */
  status?: OneOrMore<"open" | "won" | "lost"> | undefined;
  /** Finds records whose `status` is none of these values. */
  "status[ne]"?: OneOrMore<"open" | "won" | "lost"> | undefined;
  /** Finds records whose `contact_id` is this value, or one of these values. */
  contact_id?: OneOrMore<string> | undefined;
  /** Finds records whose `contact_id` is none of these values. */
  "contact_id[ne]"?: OneOrMore<string> | undefined;
  /** Finds records whose `stage_id` is this value, or one of these values. */
  stage_id?: OneOrMore<string> | undefined;
  /** Finds records whose `stage_id` is none of these values. */
  "stage_id[ne]"?: OneOrMore<string> | undefined;
  /** Finds records of one of these pipelines. A deal is in the pipeline of its stage. */
  pipeline_id?: OneOrMore<string> | undefined;
  /** Finds records whose `won_at` is after this time. */
  "won_at[gt]"?: Time | undefined;
  /** Finds records whose `won_at` is this time or later. */
  "won_at[gte]"?: Time | undefined;
  /** Finds records whose `won_at` is before this time. */
  "won_at[lt]"?: Time | undefined;
  /** Finds records whose `won_at` is this time or earlier. */
  "won_at[lte]"?: Time | undefined;
  /** `true` finds records without a value in `won_at`; `false` finds records with a value. */
  "won_at[empty]"?: boolean | undefined;
  /** Finds records whose `lost_at` is after this time. */
  "lost_at[gt]"?: Time | undefined;
  /** Finds records whose `lost_at` is this time or later. */
  "lost_at[gte]"?: Time | undefined;
  /** Finds records whose `lost_at` is before this time. */
  "lost_at[lt]"?: Time | undefined;
  /** Finds records whose `lost_at` is this time or earlier. */
  "lost_at[lte]"?: Time | undefined;
  /** `true` finds records without a value in `lost_at`; `false` finds records with a value. */
  "lost_at[empty]"?: boolean | undefined;
  /** Finds records whose `stage_changed_at` is after this time. */
  "stage_changed_at[gt]"?: Time | undefined;
  /** Finds records whose `stage_changed_at` is this time or later. */
  "stage_changed_at[gte]"?: Time | undefined;
  /** Finds records whose `stage_changed_at` is before this time. */
  "stage_changed_at[lt]"?: Time | undefined;
  /** Finds records whose `stage_changed_at` is this time or earlier. */
  "stage_changed_at[lte]"?: Time | undefined;
  /** Finds records whose `created_at` is after this time. */
  "created_at[gt]"?: Time | undefined;
  /** Finds records whose `created_at` is this time or later. */
  "created_at[gte]"?: Time | undefined;
  /** Finds records whose `created_at` is before this time. */
  "created_at[lt]"?: Time | undefined;
  /** Finds records whose `created_at` is this time or earlier. */
  "created_at[lte]"?: Time | undefined;
  /** Finds records whose `updated_at` is after this time. */
  "updated_at[gt]"?: Time | undefined;
  /** Finds records whose `updated_at` is this time or later. */
  "updated_at[gte]"?: Time | undefined;
  /** Finds records whose `updated_at` is before this time. */
  "updated_at[lt]"?: Time | undefined;
  /** Finds records whose `updated_at` is this time or earlier. */
  "updated_at[lte]"?: Time | undefined;
};

/** The query parameters of `listEvents`, in addition to the arguments of its method. */
export type ListEventsQuery = {
  /** The maximum number of records on a page. A page of large records may have fewer records. */
  limit?: number | undefined;
  /** The `next_cursor` of the previous page. Send it with the same filters and the same `sort` to get the next page. */
  cursor?: string | undefined;
  /** Where to start without a cursor: `beginning` starts at the first record. `now` returns no changes, but a cursor for later changes. Do not combine `start` with `cursor`. */
  start?: "beginning" | "now" | undefined;
  /** Finds records whose `type` is this value, or one of these values. */
  type?:
    | OneOrMore<
      | "contact.created"
      | "contact.updated"
      | "contact.archived"
      | "contact.restored"
      | "contact.merged"
      | "contact.erased"
      | "contact.deleted"
      | "contact.opted_out"
      | "contact.opted_in"
      | "deal.created"
      | "deal.updated"
      | "deal.stage_changed"
      | "deal.won"
      | "deal.lost"
      | "deal.reopened"
      | "deal.archived"
      | "deal.restored"
      | "deal.deleted"
      | "conversation.opened"
      | "conversation.assigned"
      | "conversation.updated"
      | "conversation.closed"
      | "conversation.window_closing"
      | "conversation.deleted"
      | "message.received"
      | "message.status_changed"
      | "message.updated"
      | "send.settled"
      | "send.failed"
      | "template.status_changed"
      | "account.restricted"
      | "account.restored"
      | "webhook.test"
      | "webhook.switched_off"
      | "contact.*"
      | "deal.*"
      | "conversation.*"
      | "message.*"
      | "send.*"
      | "template.*"
      | "account.*"
      | "webhook.*"
      | "*"
    >
    | undefined;
  /** Finds the events of this record. */
  record_id?: string | undefined;
  /** Finds what happened at this time or later. */
  since?: string | undefined;
  /** Finds what happened before this time. */
  until?: string | undefined;
};

/** The query parameters of `listMembers`, in addition to the arguments of its method. */
export type ListMembersQuery = {
  /** The maximum number of records on a page. A page of large records may have fewer records. */
  limit?: number | undefined;
  /** The `next_cursor` of the previous page. Send it with the same filters and the same `sort` to get the next page. */
  cursor?: string | undefined;
  /** The field to sort the list by; a minus sign before it sorts in descending order. Records with the same value are in the order of their ids. */
  sort?: "created_at" | "-created_at" | "updated_at" | "-updated_at" | "name" | "-name" | undefined;
  /** With `true`, `pagination` also says how many records the filters find: `total` and `total_relation`. */
  include_total?: boolean | undefined;
  /** Finds records whose `id` is this value, or one of these values. */
  id?: OneOrMore<string> | undefined;
  /** Finds records whose `id` is none of these values. */
  "id[ne]"?: OneOrMore<string> | undefined;
  /** Finds records whose `name` is this value, or one of these values. */
  name?: OneOrMore<string> | undefined;
  /** Finds records whose `name` is none of these values. */
  "name[ne]"?: OneOrMore<string> | undefined;
  /** `true` finds records without a value in `name`; `false` finds records with a value. */
  "name[empty]"?: boolean | undefined;
  /** Finds records with this text in `name`; case, accents and punctuation make no difference. One or two letters match only at the beginning of a word; a longer text matches anywhere. */
  "name[contains]"?: string | undefined;
  /** Finds records by the email address of their person. Upper and lower case make no difference. For members, an owner or admin of your company must allow this search. */
  email?: string | undefined;
  /** Finds records whose `role` is this value, or one of these values. */
  role?: OneOrMore<"owner" | "admin" | "agent"> | undefined;
  /** Finds records whose `role` is none of these values. */
  "role[ne]"?: OneOrMore<"owner" | "admin" | "agent"> | undefined;
  /** Finds records whose `created_at` is after this time. */
  "created_at[gt]"?: Time | undefined;
  /** Finds records whose `created_at` is this time or later. */
  "created_at[gte]"?: Time | undefined;
  /** Finds records whose `created_at` is before this time. */
  "created_at[lt]"?: Time | undefined;
  /** Finds records whose `created_at` is this time or earlier. */
  "created_at[lte]"?: Time | undefined;
  /** Finds records whose `updated_at` is after this time. */
  "updated_at[gt]"?: Time | undefined;
  /** Finds records whose `updated_at` is this time or later. */
  "updated_at[gte]"?: Time | undefined;
  /** Finds records whose `updated_at` is before this time. */
  "updated_at[lt]"?: Time | undefined;
  /** Finds records whose `updated_at` is this time or earlier. */
  "updated_at[lte]"?: Time | undefined;
};

/** The query parameters of `listMessageChanges`, in addition to the arguments of its method. */
export type ListMessageChangesQuery = {
  /** The maximum number of records on a page. A page of large records may have fewer records. */
  limit?: number | undefined;
  /** The `next_cursor` of the previous page. Send it with the same filters and the same `sort` to get the next page. */
  cursor?: string | undefined;
  /** Where to start without a cursor: `beginning` starts at the first record. `now` returns no changes, but a cursor for later changes. Do not combine `start` with `cursor`. */
  start?: "beginning" | "now" | undefined;
};

/** The query parameters of `listMessages`, in addition to the arguments of its method. */
export type ListMessagesQuery = {
  /** The maximum number of records on a page. A page of large records may have fewer records. */
  limit?: number | undefined;
  /** The `next_cursor` of the previous page. Send it with the same filters and the same `sort` to get the next page. */
  cursor?: string | undefined;
  /** The field to sort the list by; a minus sign before it sorts in descending order. Records with the same value are in the order of their ids. */
  sort?: "created_at" | "-created_at" | undefined;
  /** With `true`, `pagination` also says how many records the filters find: `total` and `total_relation`. */
  include_total?: boolean | undefined;
  /** Finds records whose `id` is this value, or one of these values. */
  id?: OneOrMore<string> | undefined;
  /** Finds records whose `id` is none of these values. */
  "id[ne]"?: OneOrMore<string> | undefined;
  /** Finds records whose `direction` is this value, or one of these values. */
  direction?: OneOrMore<"inbound" | "outbound"> | undefined;
  /** Finds records whose `direction` is none of these values. */
  "direction[ne]"?: OneOrMore<"inbound" | "outbound"> | undefined;
  /** Finds records whose `type` is this value, or one of these values. */
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
  /** Finds records whose `status` is this value, or one of these values. */
  status?:
    | OneOrMore<"pending" | "accepted" | "sent" | "delivered" | "read" | "failed" | "expired">
    | undefined;
  /** Finds records whose `status` is none of these values. */
  "status[ne]"?:
    | OneOrMore<"pending" | "accepted" | "sent" | "delivered" | "read" | "failed" | "expired">
    | undefined;
  /** `true` finds records without a value in `status`; `false` finds records with a value. */
  "status[empty]"?: boolean | undefined;
  /** Finds records whose `whatsapp_message_id` is this value, or one of these values. */
  whatsapp_message_id?: OneOrMore<string> | undefined;
  /** Finds records whose `whatsapp_message_id` is none of these values. */
  "whatsapp_message_id[ne]"?: OneOrMore<string> | undefined;
  /** `true` finds records without a value in `whatsapp_message_id`; `false` finds records with a value. */
  "whatsapp_message_id[empty]"?: boolean | undefined;
  /** Finds records whose `reply_to_id` is this value, or one of these values. */
  reply_to_id?: OneOrMore<string> | undefined;
  /** Finds records whose `reply_to_id` is none of these values. */
  "reply_to_id[ne]"?: OneOrMore<string> | undefined;
  /** `true` finds records without a value in `reply_to_id`; `false` finds records with a value. */
  "reply_to_id[empty]"?: boolean | undefined;
  /** Finds records whose `sent_at` is after this time. */
  "sent_at[gt]"?: Time | undefined;
  /** Finds records whose `sent_at` is this time or later. */
  "sent_at[gte]"?: Time | undefined;
  /** Finds records whose `sent_at` is before this time. */
  "sent_at[lt]"?: Time | undefined;
  /** Finds records whose `sent_at` is this time or earlier. */
  "sent_at[lte]"?: Time | undefined;
  /** `true` finds records without a value in `sent_at`; `false` finds records with a value. */
  "sent_at[empty]"?: boolean | undefined;
  /** Finds records whose `delivered_at` is after this time. */
  "delivered_at[gt]"?: Time | undefined;
  /** Finds records whose `delivered_at` is this time or later. */
  "delivered_at[gte]"?: Time | undefined;
  /** Finds records whose `delivered_at` is before this time. */
  "delivered_at[lt]"?: Time | undefined;
  /** Finds records whose `delivered_at` is this time or earlier. */
  "delivered_at[lte]"?: Time | undefined;
  /** `true` finds records without a value in `delivered_at`; `false` finds records with a value. */
  "delivered_at[empty]"?: boolean | undefined;
  /** Finds records whose `read_at` is after this time. */
  "read_at[gt]"?: Time | undefined;
  /** Finds records whose `read_at` is this time or later. */
  "read_at[gte]"?: Time | undefined;
  /** Finds records whose `read_at` is before this time. */
  "read_at[lt]"?: Time | undefined;
  /** Finds records whose `read_at` is this time or earlier. */
  "read_at[lte]"?: Time | undefined;
  /** `true` finds records without a value in `read_at`; `false` finds records with a value. */
  "read_at[empty]"?: boolean | undefined;
  /** Finds records whose `failed_at` is after this time. */
  "failed_at[gt]"?: Time | undefined;
  /** Finds records whose `failed_at` is this time or later. */
  "failed_at[gte]"?: Time | undefined;
  /** Finds records whose `failed_at` is before this time. */
  "failed_at[lt]"?: Time | undefined;
  /** Finds records whose `failed_at` is this time or earlier. */
  "failed_at[lte]"?: Time | undefined;
  /** `true` finds records without a value in `failed_at`; `false` finds records with a value. */
  "failed_at[empty]"?: boolean | undefined;
  /** Finds records whose `created_at` is after this time. */
  "created_at[gt]"?: Time | undefined;
  /** Finds records whose `created_at` is this time or later. */
  "created_at[gte]"?: Time | undefined;
  /** Finds records whose `created_at` is before this time. */
  "created_at[lt]"?: Time | undefined;
  /** Finds records whose `created_at` is this time or earlier. */
  "created_at[lte]"?: Time | undefined;
  /** Finds records whose `updated_at` is after this time. */
  "updated_at[gt]"?: Time | undefined;
  /** Finds records whose `updated_at` is this time or later. */
  "updated_at[gte]"?: Time | undefined;
  /** Finds records whose `updated_at` is before this time. */
  "updated_at[lt]"?: Time | undefined;
  /** Finds records whose `updated_at` is this time or earlier. */
  "updated_at[lte]"?: Time | undefined;
};

/** The query parameters of `listPipelines`, in addition to the arguments of its method. */
export type ListPipelinesQuery = {
  /** The maximum number of records on a page. A page of large records may have fewer records. */
  limit?: number | undefined;
  /** The `next_cursor` of the previous page. Send it with the same filters and the same `sort` to get the next page. */
  cursor?: string | undefined;
  /** The field to sort the list by; a minus sign before it sorts in descending order. Records with the same value are in the order of their ids. */
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
  /** Archived records: `exclude` leaves them out, `include` lists them together with the others, `only` lists only archived records. A record has a time in `archived_at` while it is archived. */
  archived?: "exclude" | "include" | "only" | undefined;
  /** Finds records whose `id` is this value, or one of these values. */
  id?: OneOrMore<string> | undefined;
  /** Finds records whose `id` is none of these values. */
  "id[ne]"?: OneOrMore<string> | undefined;
  /** Finds records whose `name` is this value, or one of these values. */
  name?: OneOrMore<string> | undefined;
  /** Finds records whose `name` is none of these values. */
  "name[ne]"?: OneOrMore<string> | undefined;
  /** `true` finds records without a value in `name`; `false` finds records with a value. */
  "name[empty]"?: boolean | undefined;
  /** Finds records with this text in `name`; case, accents and punctuation make no difference. One or two letters match only at the beginning of a word; a longer text matches anywhere. */
  "name[contains]"?: string | undefined;
  /** Finds records whose `position` is this value, or one of these values. */
  position?: OneOrMore<number> | undefined;
  /** Finds records whose `position` is none of these values. */
  "position[ne]"?: OneOrMore<number> | undefined;
  /** Finds records whose `position` is above this number. */
  "position[gt]"?: number | undefined;
  /** Finds records whose `position` is at least this number. */
  "position[gte]"?: number | undefined;
  /** Finds records whose `position` is below this number. */
  "position[lt]"?: number | undefined;
  /** Finds records whose `position` is at most this number. */
  "position[lte]"?: number | undefined;
  /** Finds records whose `is_default` is this value, or one of these values. */
  is_default?: OneOrMore<boolean> | undefined;
  /** Finds records whose `is_default` is none of these values. */
  "is_default[ne]"?: OneOrMore<boolean> | undefined;
  /** Finds records whose `created_at` is after this time. */
  "created_at[gt]"?: Time | undefined;
  /** Finds records whose `created_at` is this time or later. */
  "created_at[gte]"?: Time | undefined;
  /** Finds records whose `created_at` is before this time. */
  "created_at[lt]"?: Time | undefined;
  /** Finds records whose `created_at` is this time or earlier. */
  "created_at[lte]"?: Time | undefined;
  /** Finds records whose `updated_at` is after this time. */
  "updated_at[gt]"?: Time | undefined;
  /** Finds records whose `updated_at` is this time or later. */
  "updated_at[gte]"?: Time | undefined;
  /** Finds records whose `updated_at` is before this time. */
  "updated_at[lt]"?: Time | undefined;
  /** Finds records whose `updated_at` is this time or earlier. */
  "updated_at[lte]"?: Time | undefined;
};

/** The query parameters of `listSends`, in addition to the arguments of its method. */
export type ListSendsQuery = {
  /** The maximum number of records on a page. A page of large records may have fewer records. */
  limit?: number | undefined;
  /** The `next_cursor` of the previous page. Send it with the same filters and the same `sort` to get the next page. */
  cursor?: string | undefined;
  /** The field to sort the list by; a minus sign before it sorts in descending order. Records with the same value are in the order of their ids. */
  sort?: "created_at" | "-created_at" | undefined;
  /** With `true`, `pagination` also says how many records the filters find: `total` and `total_relation`. */
  include_total?: boolean | undefined;
  /** Finds records whose `message_id` is this value, or one of these values. */
  message_id?: OneOrMore<string> | undefined;
  /** Finds records whose `message_id` is none of these values. */
  "message_id[ne]"?: OneOrMore<string> | undefined;
  /** Finds records whose `conversation_id` is this value, or one of these values. */
  conversation_id?: OneOrMore<string> | undefined;
  /** Finds records whose `conversation_id` is none of these values. */
  "conversation_id[ne]"?: OneOrMore<string> | undefined;
  /** Finds records whose `contact_id` is this value, or one of these values. */
  contact_id?: OneOrMore<string> | undefined;
  /** Finds records whose `contact_id` is none of these values. */
  "contact_id[ne]"?: OneOrMore<string> | undefined;
  /** Finds records by the phone of their person, with the country code and in any spelling of the number. Blanks, brackets and hyphens make no difference. In a URL, write the plus sign as `%2B`, or leave it out. */
  phone?: OneOrMore<string> | undefined;
  /** Finds the send with this idempotency key, exactly as you sent it. A comma in the key does not separate values. */
  idempotency_key?: string | undefined;
  /** Finds records whose `api_key_id` is this value, or one of these values. */
  api_key_id?: OneOrMore<string> | undefined;
  /** Finds records whose `api_key_id` is none of these values. */
  "api_key_id[ne]"?: OneOrMore<string> | undefined;
  /** `true` finds records without a value in `api_key_id`; `false` finds records with a value. */
  "api_key_id[empty]"?: boolean | undefined;
  /** Finds records whose `template_name` is this value, or one of these values. */
  template_name?: OneOrMore<string> | undefined;
  /** Finds records whose `template_name` is none of these values. */
  "template_name[ne]"?: OneOrMore<string> | undefined;
  /** `true` finds records without a value in `template_name`; `false` finds records with a value. */
  "template_name[empty]"?: boolean | undefined;
  /** Finds records whose `state` is this value, or one of these values. */
  state?: OneOrMore<"pending" | "sent" | "failed" | "released"> | undefined;
  /** Finds records whose `state` is none of these values. */
  "state[ne]"?: OneOrMore<"pending" | "sent" | "failed" | "released"> | undefined;
  /** Finds records whose `status` is this value, or one of these values. */
  status?:
    | OneOrMore<"pending" | "accepted" | "sent" | "delivered" | "read" | "failed" | "expired">
    | undefined;
  /** Finds records whose `status` is none of these values. */
  "status[ne]"?:
    | OneOrMore<"pending" | "accepted" | "sent" | "delivered" | "read" | "failed" | "expired">
    | undefined;
  /** Finds sends that failed or were released for this reason, or for one of these reasons: the `reason` in their `failure`. */
  reason?: OneOrMore<string> | undefined;
  /** Finds sends that failed or were released for none of these reasons, and sends without a reason. */
  "reason[ne]"?: OneOrMore<string> | undefined;
  /** `true` finds sends without a `failure`; `false` finds sends with one. */
  "reason[empty]"?: boolean | undefined;
  /** Finds records whose `created_at` is after this time. */
  "created_at[gt]"?: Time | undefined;
  /** Finds records whose `created_at` is this time or later. */
  "created_at[gte]"?: Time | undefined;
  /** Finds records whose `created_at` is before this time. */
  "created_at[lt]"?: Time | undefined;
  /** Finds records whose `created_at` is this time or earlier. */
  "created_at[lte]"?: Time | undefined;
};

/** The query parameters of `listStages`, in addition to the arguments of its method. */
export type ListStagesQuery = {
  /** The maximum number of records on a page. A page of large records may have fewer records. */
  limit?: number | undefined;
  /** The `next_cursor` of the previous page. Send it with the same filters and the same `sort` to get the next page. */
  cursor?: string | undefined;
  /** The field to sort the list by; a minus sign before it sorts in descending order. Records with the same value are in the order of their ids. */
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
  /** Archived records: `exclude` leaves them out, `include` lists them together with the others, `only` lists only archived records. A record has a time in `archived_at` while it is archived. */
  archived?: "exclude" | "include" | "only" | undefined;
  /** Finds records whose `id` is this value, or one of these values. */
  id?: OneOrMore<string> | undefined;
  /** Finds records whose `id` is none of these values. */
  "id[ne]"?: OneOrMore<string> | undefined;
  /** Finds records of one of these pipelines. A deal is in the pipeline of its stage. */
  pipeline_id?: OneOrMore<string> | undefined;
  /** Finds records whose `pipeline_id` is none of these values. */
  "pipeline_id[ne]"?: OneOrMore<string> | undefined;
  /** Finds records whose `name` is this value, or one of these values. */
  name?: OneOrMore<string> | undefined;
  /** Finds records whose `name` is none of these values. */
  "name[ne]"?: OneOrMore<string> | undefined;
  /** `true` finds records without a value in `name`; `false` finds records with a value. */
  "name[empty]"?: boolean | undefined;
  /** Finds records with this text in `name`; case, accents and punctuation make no difference. One or two letters match only at the beginning of a word; a longer text matches anywhere. */
  "name[contains]"?: string | undefined;
  /** Finds records whose `position` is this value, or one of these values. */
  position?: OneOrMore<number> | undefined;
  /** Finds records whose `position` is none of these values. */
  "position[ne]"?: OneOrMore<number> | undefined;
  /** Finds records whose `position` is above this number. */
  "position[gt]"?: number | undefined;
  /** Finds records whose `position` is at least this number. */
  "position[gte]"?: number | undefined;
  /** Finds records whose `position` is below this number. */
  "position[lt]"?: number | undefined;
  /** Finds records whose `position` is at most this number. */
  "position[lte]"?: number | undefined;
  /** Finds records whose `created_at` is after this time. */
  "created_at[gt]"?: Time | undefined;
  /** Finds records whose `created_at` is this time or later. */
  "created_at[gte]"?: Time | undefined;
  /** Finds records whose `created_at` is before this time. */
  "created_at[lt]"?: Time | undefined;
  /** Finds records whose `created_at` is this time or earlier. */
  "created_at[lte]"?: Time | undefined;
  /** Finds records whose `updated_at` is after this time. */
  "updated_at[gt]"?: Time | undefined;
  /** Finds records whose `updated_at` is this time or later. */
  "updated_at[gte]"?: Time | undefined;
  /** Finds records whose `updated_at` is before this time. */
  "updated_at[lt]"?: Time | undefined;
  /** Finds records whose `updated_at` is this time or earlier. */
  "updated_at[lte]"?: Time | undefined;
};

/** The query parameters of `listTeams`, in addition to the arguments of its method. */
export type ListTeamsQuery = {
  /** The maximum number of records on a page. A page of large records may have fewer records. */
  limit?: number | undefined;
  /** The `next_cursor` of the previous page. Send it with the same filters and the same `sort` to get the next page. */
  cursor?: string | undefined;
  /** The field to sort the list by; a minus sign before it sorts in descending order. Records with the same value are in the order of their ids. */
  sort?: "created_at" | "-created_at" | "updated_at" | "-updated_at" | "name" | "-name" | undefined;
  /** With `true`, `pagination` also says how many records the filters find: `total` and `total_relation`. */
  include_total?: boolean | undefined;
  /** Finds records whose `id` is this value, or one of these values. */
  id?: OneOrMore<string> | undefined;
  /** Finds records whose `id` is none of these values. */
  "id[ne]"?: OneOrMore<string> | undefined;
  /** Finds records whose `name` is this value, or one of these values. */
  name?: OneOrMore<string> | undefined;
  /** Finds records whose `name` is none of these values. */
  "name[ne]"?: OneOrMore<string> | undefined;
  /** `true` finds records without a value in `name`; `false` finds records with a value. */
  "name[empty]"?: boolean | undefined;
  /** Finds records with this text in `name`; case, accents and punctuation make no difference. One or two letters match only at the beginning of a word; a longer text matches anywhere. */
  "name[contains]"?: string | undefined;
  /** Finds records whose `created_at` is after this time. */
  "created_at[gt]"?: Time | undefined;
  /** Finds records whose `created_at` is this time or later. */
  "created_at[gte]"?: Time | undefined;
  /** Finds records whose `created_at` is before this time. */
  "created_at[lt]"?: Time | undefined;
  /** Finds records whose `created_at` is this time or earlier. */
  "created_at[lte]"?: Time | undefined;
  /** Finds records whose `updated_at` is after this time. */
  "updated_at[gt]"?: Time | undefined;
  /** Finds records whose `updated_at` is this time or later. */
  "updated_at[gte]"?: Time | undefined;
  /** Finds records whose `updated_at` is before this time. */
  "updated_at[lt]"?: Time | undefined;
  /** Finds records whose `updated_at` is this time or earlier. */
  "updated_at[lte]"?: Time | undefined;
};

/** The query parameters of `listTemplates`, in addition to the arguments of its method. */
export type ListTemplatesQuery = {
  /** The maximum number of records on a page. A page of large records may have fewer records. */
  limit?: number | undefined;
  /** The `next_cursor` of the previous page. Send it with the same filters and the same `sort` to get the next page. */
  cursor?: string | undefined;
  /** The field to sort the list by; a minus sign before it sorts in descending order. Records with the same value are in the order of their ids. */
  sort?: "name" | "-name" | "created_at" | "-created_at" | "updated_at" | "-updated_at" | undefined;
  /** With `true`, `pagination` also says how many records the filters find: `total` and `total_relation`. */
  include_total?: boolean | undefined;
  /** Finds records whose `id` is this value, or one of these values. */
  id?: OneOrMore<string> | undefined;
  /** Finds records whose `id` is none of these values. */
  "id[ne]"?: OneOrMore<string> | undefined;
  /** Finds records whose `name` is this value, or one of these values. */
  name?: OneOrMore<string> | undefined;
  /** Finds records whose `name` is none of these values. */
  "name[ne]"?: OneOrMore<string> | undefined;
  /** `true` finds records without a value in `name`; `false` finds records with a value. */
  "name[empty]"?: boolean | undefined;
  /** Finds records with this text in `name`; case, accents and punctuation make no difference. One or two letters match only at the beginning of a word; a longer text matches anywhere. */
  "name[contains]"?: string | undefined;
  /** Finds records whose `language` is this value, or one of these values. */
  language?: OneOrMore<string> | undefined;
  /** Finds records whose `language` is none of these values. */
  "language[ne]"?: OneOrMore<string> | undefined;
  /** Finds records whose `status` is this value, or one of these values. */
  status?: OneOrMore<string> | undefined;
  /** Finds records whose `status` is none of these values. */
  "status[ne]"?: OneOrMore<string> | undefined;
  /** Finds records whose `category` is this value, or one of these values. */
  category?: OneOrMore<string> | undefined;
  /** Finds records whose `category` is none of these values. */
  "category[ne]"?: OneOrMore<string> | undefined;
  /** `true` finds records without a value in `category`; `false` finds records with a value. */
  "category[empty]"?: boolean | undefined;
  /** Finds records whose `business_account_id` is this value, or one of these values. */
  business_account_id?: OneOrMore<string> | undefined;
  /** Finds records whose `business_account_id` is none of these values. */
  "business_account_id[ne]"?: OneOrMore<string> | undefined;
  /** Finds conversations on one of these messaging accounts, or templates that one of these accounts can send. */
  phone_number_id?: OneOrMore<string> | undefined;
  /** Finds records whose `created_at` is after this time. */
  "created_at[gt]"?: Time | undefined;
  /** Finds records whose `created_at` is this time or later. */
  "created_at[gte]"?: Time | undefined;
  /** Finds records whose `created_at` is before this time. */
  "created_at[lt]"?: Time | undefined;
  /** Finds records whose `created_at` is this time or earlier. */
  "created_at[lte]"?: Time | undefined;
  /** Finds records whose `updated_at` is after this time. */
  "updated_at[gt]"?: Time | undefined;
  /** Finds records whose `updated_at` is this time or later. */
  "updated_at[gte]"?: Time | undefined;
  /** Finds records whose `updated_at` is before this time. */
  "updated_at[lt]"?: Time | undefined;
  /** Finds records whose `updated_at` is this time or earlier. */
  "updated_at[lte]"?: Time | undefined;
};

/** The query parameters of `listWebhookDeliveries`, in addition to the arguments of its method. */
export type ListWebhookDeliveriesQuery = {
  /** The maximum number of records on a page. A page of large records may have fewer records. */
  limit?: number | undefined;
  /** The `next_cursor` of the previous page. Send it with the same filters and the same `sort` to get the next page. */
  cursor?: string | undefined;
  /** Finds records whose `state` is this value, or one of these values. */
  state?: "waiting" | "delivered" | "failed" | "undelivered" | undefined;
  /** Finds records whose `type` is this value, or one of these values. */
  type?:
    | "contact.created"
    | "contact.updated"
    | "contact.archived"
    | "contact.restored"
    | "contact.merged"
    | "contact.erased"
    | "contact.deleted"
    | "contact.opted_out"
    | "contact.opted_in"
    | "deal.created"
    | "deal.updated"
    | "deal.stage_changed"
    | "deal.won"
    | "deal.lost"
    | "deal.reopened"
    | "deal.archived"
    | "deal.restored"
    | "deal.deleted"
    | "conversation.opened"
    | "conversation.assigned"
    | "conversation.updated"
    | "conversation.closed"
    | "conversation.window_closing"
    | "conversation.deleted"
    | "message.received"
    | "message.status_changed"
    | "message.updated"
    | "send.settled"
    | "send.failed"
    | "template.status_changed"
    | "account.restricted"
    | "account.restored"
    | "webhook.test"
    | "webhook.switched_off"
    | "contact.*"
    | "deal.*"
    | "conversation.*"
    | "message.*"
    | "send.*"
    | "template.*"
    | "account.*"
    | "webhook.*"
    | "*"
    | undefined;
};

/** A refused send: the person wants no marketing. */
export type MarketingOptOut = {
  /** Nothing was sent. */
  success: false;
  /** The template is a marketing template, and the person has opted out of marketing. */
  reason: "marketing_opt_out";
};

/** The company and the key of the request. */
export type Me = {
  /** The company of the key. The key reaches only the data of this company. */
  company: OwnCompany;
  /** The key of the request. */
  key: OwnKey;
  /** `local`: the service calls the WhatsApp API on its own machine, as the local stack with its sandbox does. `live`: it calls another address, so assume that every message reaches a person. */
  environment: "live" | "local";
  /** The limits of a request with this key. There is no quota for an hour or a day. */
  limits: Limits;
};

/** A file that your company uploaded, to send it. */
export type MediaUpload = {
  /** The id of the upload, for `media.id` of a reply and `header_media.id` of a template send. */
  id: string;
  /** The messaging account that can send the file. */
  phone_number_id: string;
  /** The kind of message that shows the file. */
  type: "image" | "video" | "audio" | "document";
  /** The type under which the channel has the file. Ogg with Opus is always `audio/ogg; codecs=opus`. */
  mime_type: string;
  /** The size in bytes. */
  bytes: number;
  /** The SHA-256 digest of the file, in hexadecimal digits. */
  sha256: string;
  /** The name of the file. The recipient of a document sees this name. For other kinds it is the name that you gave, or `null`. */
  filename: string | null;
  /** When the file was uploaded. */
  created_at: string;
  /** When the upload expires: 29 days after it was made. */
  expires_at: string;
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
  /** A number that is new after each change of the record, as a string of digits. In double quotes, it is the record's ETag. */
  readonly version: string;
};

/** The contact to merge into the contact in the path. */
export type Merging = {
  /** The id of the contact that is merged into the contact in the path. Afterwards the contact in `from` no longer exists. */
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
  /** The kind of the message, such as `text` or `image`. The record does not contain the file itself. */
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
  /** Who wrote the message; `null` when the platform wrote it and named no author. */
  author: MessageAuthor | null;
  /** What the message says: the text, the caption of a file, or the label of the button that was tapped. For a template send, this is its `display_text`. An outbound message has at most 4,096 characters. */
  content: string;
  /** The text of a template send as the recipient sees it. `null` for any other message, and when the text of the template was not known. */
  rendered_text: string | null;
  /** The status of an outbound message. `pending`: the channel's answer is not known yet. `accepted`: the channel accepted the message. `sent`, `delivered`, `read`: the channel reported this status. `failed`: the channel did not accept or deliver the message, or never answered. `expired`: the lifetime of the message ended, and the channel never reported that it arrived. `null` for an inbound message. */
  status: "pending" | "accepted" | "sent" | "delivered" | "read" | "failed" | "expired" | null;
  /** The channel's id of the message; `null` until it is known. */
  whatsapp_message_id: string | null;
  /** For an outbound message: when the channel passed it on to the person, as the channel reported. For an inbound message: when the person sent it. */
  readonly sent_at: string | null;
  /** When the message reached one of the person's devices. May stay `null` for a message that was read. */
  readonly delivered_at: string | null;
  /** When the person read the message, or played it. For an inbound message, when your company marked it as read. */
  readonly read_at: string | null;
  /** When the message failed, according to the channel. */
  readonly failed_at: string | null;
  /** When the lifetime of the message ended, if the channel never reported that it arrived. */
  readonly expired_at: string | null;
  /** Why the message failed, according to the channel. The reason stays here even when the message arrives later. */
  failure: MessageFailure | null;
  /** The price category that the channel gives the message, such as `marketing`, `utility` or `service`. */
  price_category: string | null;
  /** How the channel charges for the message, such as `regular`, `free_customer_service` or `free_entry_point`. */
  price_type: string | null;
  /** For an inbound message: the object that the channel sent for this type of message, without the parts that are fields of this record. `{ "truncated": true }` when it is larger than 64 KiB. */
  payload: {
    [key: string]: unknown;
  } | null;
  /** The place that the person sent; only for the type `location`. */
  location: MessageLocation | null;
  /** The contact cards that the person sent; only for the type `contacts`. The cards do not create contacts. */
  contact_cards: ContactCard[] | null;
  /** What the person chose: for the type `button` the button of a template, and for the type `interactive` a reply button or an entry of a list. `null` for a form. */
  choice: MessageChoice | null;
  /** What is known about the file of an inbound message. */
  media: MessageMedia | null;
  /** The id of the message that this message answers, if this service has that message. */
  reply_to_id: string | null;
  /** The channel's id of the message that this message answers. */
  reply_to_whatsapp_id: string | null;
  /** The person's reaction to the message; `null` when there is none. */
  reaction: MessageReaction | null;
  /** Your company's reaction to the message; `null` when there is none. */
  own_reaction: MessageReaction | null;
  /** When the person last edited the message. `content` is the newest text. */
  readonly edited_at: string | null;
  /** When the person deleted the message for everyone. */
  readonly revoked_at: string | null;
  /** When the record was created. */
  readonly created_at: string;
  /** When the record was last changed. */
  readonly updated_at: string;
  /** A number that is new after each change of the record, as a string of digits. In double quotes, it is the record's ETag. */
  readonly version: string;
};

/** Who wrote a message. */
export type MessageAuthor = {
  /** `person`: the contact of the conversation. `key`: an API key, with a template send or a free reply. `member`: a person who works in your company. `agent`: the platform's AI agent. `system`: the channel or the platform itself, such as a notice of a new phone. */
  type: "person" | "key" | "member" | "agent" | "system";
  /** The id of the contact, the key or the member, even after the key or the member was deleted. `null` when there is none. */
  id: string | null;
  /** The name of the author. A contact has its current name. A key, a member or an agent has the name that it had when the message was written. `null` when there is none. */
  name: string | null;
};

/** The button or the entry of a list that a person chose. */
export type MessageChoice = {
  /** `button`: a button of a template. `button_reply`: a reply button. `list_reply`: an entry of a list. */
  type: "button" | "button_reply" | "list_reply";
  /** The id that your company gave the button or the entry; for a template's button, its payload. */
  id: string | null;
  /** The label that the person saw. */
  title: string | null;
  /** The description of the entry. */
  description: string | null;
};

/** Why a message failed. */
export type MessageFailure = {
  /** The reason as a code of this API, such as `recipient_unreachable` or `window_closed`; `channel_error` for any other reason. */
  reason: string;
  /** The channel's error code. */
  code: number | null;
  /** The channel's words. */
  message: string | null;
  /** Further details, in the channel's words. */
  details: string | null;
};

/** A place that a person sent. */
export type MessageLocation = {
  /** The latitude in degrees. */
  latitude: number;
  /** The longitude in degrees. */
  longitude: number;
  /** The name of the place. */
  name: string | null;
  /** The address of the place. */
  address: string | null;
  /** The web page of the place. */
  url: string | null;
};

/** A file that a person sent, such as an image. The channel keeps the file itself; `GET /messages/{id}/media` reads it. */
export type MessageMedia = {
  /** The channel's id of the file. */
  id: string | null;
  /** The type of the file, such as `image/jpeg`. */
  mime_type: string | null;
  /** The SHA-256 hash of the file in hexadecimal digits. */
  sha256: string | null;
  /** The name of a document. */
  filename: string | null;
  /** Whether an audio file is a voice message. */
  voice: boolean | null;
  /** Whether a sticker is animated. */
  animated: boolean | null;
  /** The time until which the channel keeps the file. */
  expires_at: string | null;
  /** When the channel reported that it no longer has the file. Missing until then. */
  gone_at?: string;
};

/** A reaction to a message. */
export type MessageReaction = {
  /** The emoji. */
  emoji: string;
  /** The time of the reaction. */
  at: string;
};

/** A message of a person that your company has read. */
export type MessageRead = {
  /** The id of the message. */
  id: string;
  /** When the message was first marked as read. */
  read_at: string;
  /** Whether the person sees that someone is typing. */
  typing: boolean;
};

/** A field of a send that differs from the first request with its key. */
export type MismatchedField =
  | "display_text"
  | "body_variables"
  | "header_variables"
  | "button_variables"
  | "phone_number_id"
  | "contact_name"
  | "template_header_type"
  | "text"
  | "header_media"
  | "media"
  | "reply_to_id"
  | "buttons"
  | "list"
  | "phone"
  | "conversation_id";

/** A contact to create. A field that is left out gets its default. */
export type NewContact = {
  /** The person's phone in E.164 format with a leading plus sign, exactly as it was sent. `null` when the channel hides the person's phone. */
  phone: string;
  /** The id of the contact in your own system. Two contacts that are not archived never have the same `external_id`. */
  external_id?: string | null;
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
  /** Your own fields: any JSON object. */
  custom_fields?: {
    [key: string]: unknown;
  };
  /** Whether sends to this contact are blocked. */
  do_not_contact?: boolean;
  /** Whether marketing templates to this contact are blocked. `false` does not change `do_not_contact`. */
  marketing_opt_out?: boolean;
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
  /** The id of the deal in your own system. Two deals that are not archived never have the same `external_id`. */
  external_id?: string | null;
};

/** Deals to create or update. An invalid item does not make the other items fail. */
export type NewDealBatch = {
  /** The items to write, in any order. */
  items: NewDeal[];
};

/** A pipeline to create. */
export type NewPipeline = {
  /** The name of the pipeline. */
  name: string;
  /** The place of the pipeline in the list: 0, 1, 2 and so on. A number higher than the last place means the last place. */
  position?: number;
  /** Whether the pipeline is the company's default pipeline. A company always has exactly one default pipeline. */
  is_default?: boolean;
};

/** A stage to create. */
export type NewStage = {
  /** The pipeline of the stage. */
  pipeline_id: string;
  /** The name of the stage. */
  name: string;
  /** The place of the stage in its pipeline: 0, 1, 2 and so on. A number higher than the last place means the last place. */
  position?: number;
};

/** A webhook to create. */
export type NewWebhook = {
  /** The address that gets the events: `https`, port 443 or 8443, with a host name whose addresses are all on the public internet. */
  url: string;
  /** The types of events: exact types (`deal.won`), all types of a resource (`deal.*`), or all types (`*`). */
  types: (
    | "contact.created"
    | "contact.updated"
    | "contact.archived"
    | "contact.restored"
    | "contact.merged"
    | "contact.erased"
    | "contact.deleted"
    | "contact.opted_out"
    | "contact.opted_in"
    | "deal.created"
    | "deal.updated"
    | "deal.stage_changed"
    | "deal.won"
    | "deal.lost"
    | "deal.reopened"
    | "deal.archived"
    | "deal.restored"
    | "deal.deleted"
    | "conversation.opened"
    | "conversation.assigned"
    | "conversation.updated"
    | "conversation.closed"
    | "conversation.window_closing"
    | "conversation.deleted"
    | "message.received"
    | "message.status_changed"
    | "message.updated"
    | "send.settled"
    | "send.failed"
    | "template.status_changed"
    | "account.restricted"
    | "account.restored"
    | "webhook.test"
    | "webhook.switched_off"
    | "contact.*"
    | "deal.*"
    | "conversation.*"
    | "message.*"
    | "send.*"
    | "template.*"
    | "account.*"
    | "webhook.*"
    | "*"
  )[];
  /** `full`: an event has the record as it is when the event is delivered. `ids`: an event has only the id of the record. */
  payload?: "full" | "ids";
  /** What the webhook is for. Only your company sees it. */
  description?: string | null;
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
  /** The schemas, headers and other parts that several operations share. */
  components: {
    [key: string]: unknown;
  };
} & {
  [key: string]: unknown;
};

/** The company of the key. */
export type OwnCompany = {
  /** The id of the company, which is the `company_id` of its records. */
  id: string;
  /** The name of the company. */
  name: string;
};

/** Facts about the key of the request. The key itself is never returned. */
export type OwnKey = {
  /** The id of the key. */
  id: string;
  /** The name that a person gave the key. */
  name: string;
  /** What the key may do. */
  scopes: ("read" | "write" | "messaging" | "webhooks")[];
  /** The time from which the key is refused; `null` when it does not expire. */
  expires_at: string | null;
};

/** The place of this page in the list. */
export type Pagination = {
  /** The maximum number of records on a page. */
  limit: number;
  /** Whether there is another page. */
  has_more: boolean;
  /** The `cursor` of the next page; `null` on the last page. */
  next_cursor: string | null;
  /** How many records the filters find, up to 100,000. Only with `include_total=true`. */
  total?: number;
  /** `eq`: the total is exact. `gte`: there are at least this many. */
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
  /** The place of the pipeline in the list: 0, 1, 2 and so on. A number higher than the last place means the last place. */
  position: number;
  /** Whether the pipeline is the company's default pipeline. A company always has exactly one default pipeline. */
  is_default: boolean;
  /** When the pipeline was archived; `null` while it is in use. */
  readonly archived_at: string | null;
  /** When the record was created. */
  readonly created_at: string;
  /** When the record was last changed. */
  readonly updated_at: string;
  /** A number that is new after each change of the record, as a string of digits. In double quotes, it is the record's ETag. */
  readonly version: string;
};

/** Changes to a pipeline. */
export type PipelineChanges = {
  /** The name of the pipeline. */
  name?: string;
  /** The place of the pipeline in the list: 0, 1, 2 and so on. A number higher than the last place means the last place. */
  position?: number;
  /** Whether the pipeline is the company's default pipeline. A company always has exactly one default pipeline. */
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
  /** The place of the pipeline in the list: 0, 1, 2 and so on. A number higher than the last place means the last place. */
  position: number;
  /** Whether the pipeline is the company's default pipeline. A company always has exactly one default pipeline. */
  is_default: boolean;
  /** When the pipeline was archived; `null` while it is in use. */
  readonly archived_at: string | null;
  /** When the record was created. */
  readonly created_at: string;
  /** When the record was last changed. */
  readonly updated_at: string;
  /** A number that is new after each change of the record, as a string of digits. In double quotes, it is the record's ETag. */
  readonly version: string;
  /** The stages of the pipeline by position, with `include=stages`. */
  stages?: Stage[];
};

/** The query parameters of `putContact`, in addition to the arguments of its method. */
export type PutContactQuery = {
  /** The field by which the contact is found: `phone`, in any spelling, or `external_id`. */
  match?: "phone" | "external_id" | undefined;
  /** What happens to a record that your company already has. `update`: the fields of the request replace the fields of the record. `merge`: the same, but `custom_fields` is merged key by key (`null` removes a key), and `tags` is added to the stored tags. `keep`: the fields of the request fill only empty fields. `fail`: the record does not change, and the item gets a 409. */
  on_conflict?: "update" | "merge" | "keep" | undefined;
};

/** The event that will be delivered. */
export type QueuedEvent = {
  /** The id of the event, which the receiver gets as `webhook-id`. */
  event_id: string;
};

/** A message that has your company's reaction. */
export type ReactedMessage = {
  /** The id of the message. */
  id: string;
  /** Your company's reaction. */
  own_reaction: {
    emoji: string;
    /** Format: date-time */
    at: string;
  };
};

/** A reaction to a message. */
export type ReactionRequest = {
  /** Exactly one emoji. It may have a skin tone, or be a flag. */
  emoji: string;
};

/** How a message is marked as read. */
export type ReadRequest = {
  /** `true` also shows the person that someone is typing: for 25 seconds, or until your next message. A repeat begins the 25 seconds again. */
  typing?: boolean;
};

/** The state of the earlier send with the same idempotency key. */
export type Repeat = {
  /** Whether the channel accepted the earlier send. */
  success: boolean;
  /** `sent`: the channel accepted the message. `pending`: the send is in progress; repeat the request after a few seconds. `failed`: the send failed, and a repeat does not send the message. */
  status: "sent" | "pending" | "failed";
  /** The conversation of the message. */
  conversation_id: string;
  /** The id of the stored message. */
  message_id: string;
  /** The request repeats an idempotency key, so nothing was sent. */
  idempotent_hit: true;
  /** The fields that differ from the first request with this key, as in the header `Idempotency-Mismatch`. What this request says in these fields was not sent. Missing when nothing differs. */
  mismatch?: MismatchedField[];
};

/** Which events to deliver again. */
export type Replay = {
  /** Replays the events from this time on. The time must be in the last 30 days. */
  since: string;
  /** Replays the events before this time. Without this field, it is the time of the request. */
  until?: string;
  /** Replays only events of these types. Without this field, the types are the types of the webhook. */
  types?: (
    | "contact.created"
    | "contact.updated"
    | "contact.archived"
    | "contact.restored"
    | "contact.merged"
    | "contact.erased"
    | "contact.deleted"
    | "contact.opted_out"
    | "contact.opted_in"
    | "deal.created"
    | "deal.updated"
    | "deal.stage_changed"
    | "deal.won"
    | "deal.lost"
    | "deal.reopened"
    | "deal.archived"
    | "deal.restored"
    | "deal.deleted"
    | "conversation.opened"
    | "conversation.assigned"
    | "conversation.updated"
    | "conversation.closed"
    | "conversation.window_closing"
    | "conversation.deleted"
    | "message.received"
    | "message.status_changed"
    | "message.updated"
    | "send.settled"
    | "send.failed"
    | "template.status_changed"
    | "account.restricted"
    | "account.restored"
    | "webhook.test"
    | "webhook.switched_off"
    | "contact.*"
    | "deal.*"
    | "conversation.*"
    | "message.*"
    | "send.*"
    | "template.*"
    | "account.*"
    | "webhook.*"
    | "*"
  )[];
};

/** The events that are being delivered again. */
export type Replaying = {
  /** The replay has the events from this time on. */
  since: string;
  /** The replay has the events before this time. */
  until: string;
  /** The replay has the events of these types. */
  types: string[];
};

/** The result of the request. */
export type ReplyAnswer = Sent | Repeat | DoNotContact | DryRun;

/** A button that the person can tap. */
export type ReplyButton = {
  /** Your own id of the choice. The person does not see it. */
  id: string;
  /** What the person sees. */
  title: string;
};

/** A list of choices, which opens when the person taps its button. */
export type ReplyList = {
  /** The button that opens the list. */
  button: string;
  /** The parts of the list. All parts together have at most ten rows, with different ids. */
  sections: ReplyListSection[];
};

/** One choice of a list. */
export type ReplyListRow = {
  /** Your own id of the choice. The person does not see it. */
  id: string;
  /** What the person sees. */
  title: string;
  /** A line below the title. */
  description?: string;
};

/** Choices of a list that belong together. */
export type ReplyListSection = {
  /** The title of the part. Required when there are several. */
  title?: string;
  /** The choices of the part. */
  rows: ReplyListRow[];
};

/** The file of a reply: an upload, or an address that the channel fetches itself. */
export type ReplyMedia = {
  /** The id of an upload of the conversation's phone number. */
  id?: string;
  /** An https address that the channel fetches. A problem with the file is reported later: the message becomes `failed`. An upload is better. */
  link?: string;
  /** What kind of file `link` is. */
  type?: "image" | "video" | "audio" | "document";
  /** The name that the person sees. Only for a document; the default is the name of the upload. */
  filename?: string;
  /** `true` sends audio as a voice note. The file must be Ogg with Opus. A file of at most 512 KB is shown with a play button. */
  voice?: boolean;
} & (unknown | unknown);

/** A free reply to send: a text, or a file, buttons or a list with a text. */
export type ReplyRequest =
  | {
    /** The conversation to reply in. It must not be closed. */
    conversation_id: string;
    /** The text of the message, sent byte for byte. With `media` it is the caption: optional, at most 1,024 characters, and not allowed with audio. With `buttons` it has at most 1,024 characters. */
    text?: string;
    /** Your name for this one send. It never expires: a repeat with the same key sends nothing. A key of a template send cannot be used again for a free reply. */
    idempotency_key?: string;
    /** The file of the message. `media`, `buttons` and `list` cannot be combined. */
    media?: ReplyMedia;
    /** The id of the message of this conversation that the reply answers. The person sees that message above the reply. */
    reply_to_id?: string;
    /** Up to three buttons below the text. The ids differ, and the titles differ. The person's tap comes back as a message of the type `interactive`. */
    buttons?: ReplyButton[];
    /** A list of up to ten choices. The person's choice comes back as a message of the type `interactive`. */
    list?: ReplyList;
  }
  | unknown
  | unknown;

/** The query parameters of `search`, in addition to the arguments of its method. */
export type SearchQuery = {
  /** Finds records that have all of these words. The words may be in different searched fields. The order of the words, case, accents and punctuation make no difference. A word of one or two letters is found only at the beginning of a word; a longer word is found anywhere. Numbers with 8 to 15 digits together also find a contact by its phone, in any spelling and with or without the country. */
  q: string;
  /** The maximum number of records on a page. A page of large records may have fewer records. */
  limit?: number | undefined;
  /** Archived records: `exclude` leaves them out, `include` lists them together with the others, `only` lists only archived records. A record has a time in `archived_at` while it is archived. */
  archived?: "exclude" | "include" | "only" | undefined;
};

/** The options for a new secret of a webhook. */
export type SecretRotation = {
  /** For how many hours the previous secret also signs. */
  overlap_hours?: number;
};

/** What happened to a message that your company sent. */
export type Send = {
  /** The message that was sent. */
  message_id: string;
  /** The company of the record, which is the company of the key. */
  readonly company_id: string;
  /** The conversation of the message. */
  conversation_id: string;
  /** The recipient of the message. After a merge, this is the remaining contact. */
  contact_id: string;
  /** The caller's name for the send; `null` when the caller gave none. */
  idempotency_key: string | null;
  /** The API key that requested the send, even after the key was deleted. `null` when no API key requested it. */
  api_key_id: string | null;
  /** `template`: a template was sent. `reply`: a free reply was sent. */
  kind: "template" | "reply";
  /** The name of the template; `null` for a reply. */
  template_name: string | null;
  /** The language of the template; `null` for a reply. */
  language_code: string | null;
  /** What the service knows about the call to the channel. `pending`: the call may be in progress. `sent`: the channel accepted the message. `failed`: the channel refused the message, or never answered. `released`: the channel certainly does not have the message, and a repeat with the same idempotency key sends it again. */
  state: "pending" | "sent" | "failed" | "released";
  /** The `status` of the message, such as `delivered`. */
  status: "pending" | "accepted" | "sent" | "delivered" | "read" | "failed" | "expired";
  /** How many times the service sent the message to the channel. It is more than 1 when the send was released and repeated. */
  attempt: number;
  /** Why the send failed or was released. The reason stays here even when the message arrives later. `outcome_unknown`: the channel never answered, and may have sent the message. */
  failure: MessageFailure | null;
  /** Whether the channel reported that the message was sent more than once. */
  double_sent: boolean;
  /** The channel's id of the message; `null` until it is known. */
  whatsapp_message_id: string | null;
  /** For a `pending` send: after this time, the send counts as failed, unless its outcome is known earlier. */
  lease_ends_at: string | null;
  /** When the channel passed the message on to the person, as the channel reported. */
  readonly sent_at: string | null;
  /** When the message reached one of the person's devices. */
  readonly delivered_at: string | null;
  /** When the person read the message. */
  readonly read_at: string | null;
  /** When the message failed, according to the channel. */
  readonly failed_at: string | null;
  /** When the lifetime of the message ended, if the channel never reported that it arrived. */
  readonly expired_at: string | null;
  /** When the send was first requested. */
  readonly created_at: string;
};

/** The result of the request. */
export type SendAnswer = Sent | Repeat | DoNotContact | MarketingOptOut | DryRun;

/** The query parameters of `sendExternalTemplate`, in addition to the arguments of its method. */
export type SendExternalTemplateQuery = {
  /** With `true`, the request is checked like a send, but nothing is sent or written. The errors are those that the send would return. */
  dry_run?: boolean | undefined;
};

/** The query parameters of `sendReply`, in addition to the arguments of its method. */
export type SendReplyQuery = {
  /** With `true`, the request is checked like a send, but nothing is sent or written. The errors are those that the send would return. */
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
  /** The text that the history shows and the AI agent reads, stored byte for byte. It can differ from the rendered template. */
  display_text: string;
  /** The values of `{{1}}`, `{{2}}`, … in the body of the template. */
  body_variables?: string[];
  /** The values of the variables in a text header. */
  header_variables?: string[];
  /** The values of the buttons that need one, in the order of the buttons: the end of a button's URL, or a code to copy. The code of an authentication template goes into `body_variables` only. */
  button_variables?: string[];
  /** The connected messaging account that sends the message. Required when the company has more than one. */
  phone_number_id?: string;
  /** The name for a new contact. An existing contact keeps its name. */
  contact_name?: string;
  /** Your name for this one send. It never expires: a repeat with the same key sends nothing. A good form is `<purpose>-<contact>-<date>`. */
  idempotency_key?: string;
  /** The kind of media in the header of the approved template. This kind becomes the type of the stored message. The service supplies the media, even when this field is left out. With this field, `header_variables` must be left out or empty. */
  template_header_type?: "image" | "video" | "document";
  /** Your own file for the media header, such as an invoice, in place of the approved sample. It must be of the header's kind. */
  header_media?: HeaderMedia;
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
  /** The place of the stage in its pipeline: 0, 1, 2 and so on. A number higher than the last place means the last place. */
  position: number;
  /** When the stage was archived; `null` while it is in use. */
  readonly archived_at: string | null;
  /** When the record was created. */
  readonly created_at: string;
  /** When the record was last changed. */
  readonly updated_at: string;
  /** A number that is new after each change of the record, as a string of digits. In double quotes, it is the record's ETag. */
  readonly version: string;
};

/** Changes to a stage. */
export type StageChanges = {
  /** The pipeline of the stage. */
  pipeline_id?: string;
  /** The name of the stage. */
  name?: string;
  /** The place of the stage in its pipeline: 0, 1, 2 and so on. A number higher than the last place means the last place. */
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
  /** A number that is new after each change of the record, as a string of digits. In double quotes, it is the record's ETag. */
  readonly version: string;
};

/** A message template of your company, as it was last read from the channel. */
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
  /** The new category that the channel has announced for the template; `null` if the channel has announced no change. */
  upcoming_category: string | null;
  /** How well recipients like the template: `GREEN`, `YELLOW`, `RED` or `UNKNOWN`. */
  quality: string | null;
  /** Why the channel has rejected the template, as the channel's own code. */
  rejected_reason: string | null;
  /** Whether the variables in the text have numbers or names. In both cases, a send lists the values in order. */
  parameter_format: "POSITIONAL" | "NAMED";
  /** The parts of the template as the channel lists them, without the URLs of media. */
  components: {
    [key: string]: unknown;
  }[];
  /** The variables, in the order in which a send gives their values. */
  variables: TemplateVariables;
  /** What a send of the template must provide. */
  send: TemplateNeeds;
  /** Whether the template can be sent now, as far as this service knows. */
  can_be_sent: boolean;
  /** Why the template cannot be sent now, as sentences; an empty list when it can be sent. */
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
  /** `url`: the value is the end of the button's URL. `copy_code`: the value is the code to copy. */
  kind: "url" | "copy_code";
  /** The label of the button. */
  text: string;
  /** The example value that the template had when it was submitted to the channel. */
  example: string | null;
};

/** What a send of a template must provide. */
export type TemplateNeeds = {
  /** The kind of media in the header; `null` when the header has no media. The service supplies the media. A send may leave this field out, but must not name another kind. */
  template_header_type: "image" | "video" | "document" | null;
  /** How many values `header_variables` must have. */
  header_variables: number;
  /** How many values `body_variables` must have. */
  body_variables: number;
  /** How many values `button_variables` must have. */
  button_variables: number;
};

/** A variable of a template. */
export type TemplateVariable = {
  /** The number of the variable, or its name when `parameter_format` is `NAMED`. */
  name: string;
  /** The example value that the template had when it was submitted to the channel. */
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

/** The query parameters of `updateContacts`, in addition to the arguments of its method. */
export type UpdateContactsQuery = {
  /** With `true`, either all items are written, or none. If none is written, the answer is the error of the first item that cannot be written, and `details` names its wrong fields, such as `items.3.phone`. */
  atomic?: boolean | undefined;
};

/** The query parameters of `updateDeals`, in addition to the arguments of its method. */
export type UpdateDealsQuery = {
  /** With `true`, either all items are written, or none. If none is written, the answer is the error of the first item that cannot be written, and `details` names its wrong fields, such as `items.3.phone`. */
  atomic?: boolean | undefined;
};

/** The query parameters of `uploadMedia`, in addition to the arguments of its method. */
export type UploadMediaQuery = {
  /** Finds conversations on one of these messaging accounts, or templates that one of these accounts can send. */
  phone_number_id?: string | undefined;
  /** Finds records whose `filename` is this value, or one of these values. */
  filename?: string | undefined;
};

/** An address that gets the events of your company. */
export type Webhook = {
  /** The id of the record. */
  readonly id: string;
  /** The company of the record, which is the company of the key. */
  readonly company_id: string;
  /** The address that gets the events: `https`, port 443 or 8443, with a host name whose addresses are all on the public internet. */
  url: string;
  /** The types of events: exact types (`deal.won`), all types of a resource (`deal.*`), or all types (`*`). */
  types: string[];
  /** `full`: an event has the record as it is when the event is delivered. `ids`: an event has only the id of the record. */
  payload: "full" | "ids";
  /** What the webhook is for. Only your company sees it. */
  description: string | null;
  /** `on`: events are delivered. `catching_up`: events are delivered, and older ones are still read from the log. `paused`: events wait. `off`: no event waits or is delivered. */
  state: "on" | "catching_up" | "paused" | "off";
  /** Why the webhook is paused or off. `failing`: no event arrived for three days. `gone`: the receiver answered 410. `key_ended`: its key was switched off, expired or was deleted. `by_key`, `by_person`, `by_platform`: who paused it. */
  readonly why: "failing" | "gone" | "key_ended" | "by_person" | "by_key" | "by_platform" | null;
  /** The key that the webhook depends on: the key that created it, or a later key that replaced that key. When this key is switched off, expires or is deleted, the webhook is switched off. `null` for a webhook that a person created: it depends on no key. */
  readonly created_by_key_id: string | null;
  /** The person who created the webhook on the settings page; `null` if a key created it. */
  readonly created_by: string | null;
  /** When the first delivery failed after the last success; `null` while events arrive. */
  readonly failing_since: string | null;
  /** When the next delivery is tried, after several failures in a row; otherwise `null` or a time in the past. */
  readonly paused_until: string | null;
  /** When the webhook was switched off; `null` otherwise. */
  readonly switched_off_at: string | null;
  /** The time until which the previous secret also signs; `null` when only one secret signs. */
  readonly previous_secret_ends_at: string | null;
  /** When an event last arrived; `null` if no event has arrived yet. */
  readonly last_success_at: string | null;
  /** How many events wait for this webhook, counted up to 10,000. */
  readonly open_deliveries: number;
  /** When the record was created. */
  readonly created_at: string;
  /** When the webhook was last changed. */
  readonly updated_at: string;
};

/** Changes to a webhook. */
export type WebhookChanges = {
  /** The address that gets the events: `https`, port 443 or 8443, with a host name whose addresses are all on the public internet. */
  url?: string;
  /** The types of events: exact types (`deal.won`), all types of a resource (`deal.*`), or all types (`*`). */
  types?: (
    | "contact.created"
    | "contact.updated"
    | "contact.archived"
    | "contact.restored"
    | "contact.merged"
    | "contact.erased"
    | "contact.deleted"
    | "contact.opted_out"
    | "contact.opted_in"
    | "deal.created"
    | "deal.updated"
    | "deal.stage_changed"
    | "deal.won"
    | "deal.lost"
    | "deal.reopened"
    | "deal.archived"
    | "deal.restored"
    | "deal.deleted"
    | "conversation.opened"
    | "conversation.assigned"
    | "conversation.updated"
    | "conversation.closed"
    | "conversation.window_closing"
    | "conversation.deleted"
    | "message.received"
    | "message.status_changed"
    | "message.updated"
    | "send.settled"
    | "send.failed"
    | "template.status_changed"
    | "account.restricted"
    | "account.restored"
    | "webhook.test"
    | "webhook.switched_off"
    | "contact.*"
    | "deal.*"
    | "conversation.*"
    | "message.*"
    | "send.*"
    | "template.*"
    | "account.*"
    | "webhook.*"
    | "*"
  )[];
  /** `full`: an event has the record as it is when the event is delivered. `ids`: an event has only the id of the record. */
  payload?: "full" | "ids";
  /** What the webhook is for. Only your company sees it. */
  description?: string | null;
  /** `on`: events are delivered. `catching_up`: events are delivered, and older ones are still read from the log. `paused`: events wait. `off`: no event waits or is delivered. */
  state?: "on" | "paused";
};

/** A webhook with its secret, which is shown only here. */
export type WebhookWithSecret = {
  /** The id of the record. */
  readonly id: string;
  /** The company of the record, which is the company of the key. */
  readonly company_id: string;
  /** The address that gets the events: `https`, port 443 or 8443, with a host name whose addresses are all on the public internet. */
  url: string;
  /** The types of events: exact types (`deal.won`), all types of a resource (`deal.*`), or all types (`*`). */
  types: string[];
  /** `full`: an event has the record as it is when the event is delivered. `ids`: an event has only the id of the record. */
  payload: "full" | "ids";
  /** What the webhook is for. Only your company sees it. */
  description: string | null;
  /** `on`: events are delivered. `catching_up`: events are delivered, and older ones are still read from the log. `paused`: events wait. `off`: no event waits or is delivered. */
  state: "on" | "catching_up" | "paused" | "off";
  /** Why the webhook is paused or off. `failing`: no event arrived for three days. `gone`: the receiver answered 410. `key_ended`: its key was switched off, expired or was deleted. `by_key`, `by_person`, `by_platform`: who paused it. */
  readonly why: "failing" | "gone" | "key_ended" | "by_person" | "by_key" | "by_platform" | null;
  /** The key that the webhook depends on: the key that created it, or a later key that replaced that key. When this key is switched off, expires or is deleted, the webhook is switched off. `null` for a webhook that a person created: it depends on no key. */
  readonly created_by_key_id: string | null;
  /** The person who created the webhook on the settings page; `null` if a key created it. */
  readonly created_by: string | null;
  /** When the first delivery failed after the last success; `null` while events arrive. */
  readonly failing_since: string | null;
  /** When the next delivery is tried, after several failures in a row; otherwise `null` or a time in the past. */
  readonly paused_until: string | null;
  /** When the webhook was switched off; `null` otherwise. */
  readonly switched_off_at: string | null;
  /** The time until which the previous secret also signs; `null` when only one secret signs. */
  readonly previous_secret_ends_at: string | null;
  /** When an event last arrived; `null` if no event has arrived yet. */
  readonly last_success_at: string | null;
  /** How many events wait for this webhook, counted up to 10,000. */
  readonly open_deliveries: number;
  /** When the record was created. */
  readonly created_at: string;
  /** When the webhook was last changed. */
  readonly updated_at: string;
  /** The secret that signs the events, `whsec_` and base64. It is shown only in this answer; store it where your receiver reads it. */
  readonly secret: string;
};

/** The query parameters of `writeContacts`, in addition to the arguments of its method. */
export type WriteContactsQuery = {
  /** With `true`, either all items are written, or none. If none is written, the answer is the error of the first item that cannot be written, and `details` names its wrong fields, such as `items.3.phone`. */
  atomic?: boolean | undefined;
  /** The field by which the contact is found: `phone`, in any spelling, or `external_id`. */
  match?: "phone" | "external_id" | undefined;
  /** What happens to a record that your company already has. `update`: the fields of the request replace the fields of the record. `merge`: the same, but `custom_fields` is merged key by key (`null` removes a key), and `tags` is added to the stored tags. `keep`: the fields of the request fill only empty fields. `fail`: the record does not change, and the item gets a 409. */
  on_conflict?: "update" | "merge" | "keep" | "fail" | undefined;
};
