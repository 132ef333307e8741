// Written by `npm run generate` from openapi.json; do not edit.

/** One value, or several. */
export type OneOrMore<Value> = Value | readonly Value[];

/** A business number of the company, as a webhook receives it. */
export type Account = {
  /** The record's id. */
  id: string;
  /** The company that owns the business number. */
  company_id: string;
  /** WhatsApp's id of the business number. */
  phone_number_id: string;
  /** The business number as WhatsApp shows it. */
  display_phone: string | null;
  /** Whether the company can send messages with this number. */
  is_connected: boolean;
  /** Whether WhatsApp restricts this number and therefore refuses its messages. */
  is_restricted: boolean;
  /** When the record was created. */
  created_at: string;
  /** When the record was last changed. */
  updated_at: string;
};

/** The query parameters of `archiveStage`, without `fields` and `include`. */
export type ArchiveStageQuery = {
  /** The id of the stage that receives the archived stage's deals. Required if the stage has deals. */
  move_deals_to?: string | undefined;
};

/** The reason why an item was not written. This is the same body as the error for a single record, without `request_id`. */
export type BatchItemError = {
  /** A human-readable description of the error. */
  error: string;
  /** The error's code. */
  code: "not_found" | "conflict" | "invalid_request";
  /** The problem with each invalid field of the item, such as `items.3.phone`. `items.3` means the whole item. */
  details?: {
    field: string;
    message: string;
  }[];
  /** The id of the existing record that the item conflicts with, such as the contact with the same phone number. */
  existing_id?: string;
};

/** The number of items that succeeded, and the number of items that failed. */
export type BatchSummary = {
  /** The number of items. */
  total: number;
  /** The number of records that were created. */
  created: number;
  /** The number of records that were updated. */
  updated: number;
  /** The number of records that already had the values in their items. These records keep their `version` and `updated_at`. */
  unchanged: number;
  /** The number of items that failed. */
  failed: number;
};

/** The author of a change, if a request with an API key made the change. */
export type ByKey = {
  /** The API key's id. */
  api_key_id: string;
};

/** The author of a change, if a signed-in user made the change. */
export type ByPerson = {
  /** The user's id. While the user works in your company, this is also the user's id as a member. */
  user_id: string;
};

/** The position of this page in the list of changes. */
export type ChangesPagination = {
  /** The maximum number of changes on a page. */
  limit: number;
  /** Whether there are more changes to read now. When this is `false`, your copy is up to date. */
  has_more: boolean;
  /** The `cursor` for the next page. Later changes appear on that page or a following page. */
  next_cursor: string;
};

/** The messaging channel's own error. */
export type ChannelError = {
  /** The channel's error code. */
  code: number;
  /** The channel's message. */
  message?: string;
  /** The channel's explanation, if the channel provides one. */
  details?: string;
};

/** A person that the company talks to. */
export type Contact = {
  /** The id of the record. */
  readonly id: string;
  /** The company of the record, which is the company of the key. */
  readonly company_id: string;
  /** The contact's id in your own system. Two contacts that are not archived never have the same `external_id`. */
  external_id: string | null;
  /** The person's name. */
  name: string | null;
  /** The person's email address. */
  email: string | null;
  /** The person's phone number in E.164 format with a leading plus sign, exactly as it was sent. `null` if the channel hides the person's phone number. */
  phone: string | null;
  /** How interested the person is. */
  temperature: "cold" | "warm" | "hot";
  /** Labels for grouping contacts. */
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
  /** Who last set `do_not_contact`. `manual`: a user or an API key of your company. `word`: the contact, with a message such as `stop` or `start`. `null`: `do_not_contact` has never been set. */
  readonly do_not_contact_source: "manual" | "word" | null;
  /** When `do_not_contact` was last set. `null` if it was never set or the time is unknown. */
  readonly do_not_contact_at: string | null;
  /** Whether marketing templates to this contact are blocked. Setting this field to `false` does not change `do_not_contact`. */
  marketing_opt_out: boolean;
  /** How the contact opted out of marketing. `button`: the contact tapped a button. `word`: the contact sent a message such as `stop promotions`. `preference`: the contact changed a setting in WhatsApp. `status`: the channel reported the opt-out when it refused a message. `manual`: a user or an API key of your company set it. `null`: the contact has not opted out. */
  readonly marketing_opt_out_source: "button" | "word" | "preference" | "status" | "manual" | null;
  /** When the contact opted out of marketing templates. `null` if the contact never opted out, or has allowed these templates again. */
  readonly marketing_opt_out_at: string | null;
  /** Whether the contact is in use. */
  is_active: boolean;
  /** When the contact was archived. `null` if the contact is not archived. */
  readonly archived_at: string | null;
  /** When the person was erased. `null` if the person was not erased. */
  readonly erased_at: string | null;
  /** When the record was created. */
  readonly created_at: string;
  /** When the record was last changed. */
  readonly updated_at: string;
  /** A string of digits that is different after each change of the record. In double quotes, the version is the record's ETag. */
  readonly version: string;
};

/** Contacts to write. An invalid item does not make the other items fail. */
export type ContactBatch = {
  /** The items to write. The service applies them in this order. */
  items: ContactToPut[];
};

/** A contact. The id in the path is its own id, or the id of a contact that was merged into it. */
export type ContactById = {
  /** The id of the record. */
  readonly id: string;
  /** The company of the record, which is the company of the key. */
  readonly company_id: string;
  /** The contact's id in your own system. Two contacts that are not archived never have the same `external_id`. */
  external_id: string | null;
  /** The person's name. */
  name: string | null;
  /** The person's email address. */
  email: string | null;
  /** The person's phone number in E.164 format with a leading plus sign, exactly as it was sent. `null` if the channel hides the person's phone number. */
  phone: string | null;
  /** How interested the person is. */
  temperature: "cold" | "warm" | "hot";
  /** Labels for grouping contacts. */
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
  /** Who last set `do_not_contact`. `manual`: a user or an API key of your company. `word`: the contact, with a message such as `stop` or `start`. `null`: `do_not_contact` has never been set. */
  readonly do_not_contact_source: "manual" | "word" | null;
  /** When `do_not_contact` was last set. `null` if it was never set or the time is unknown. */
  readonly do_not_contact_at: string | null;
  /** Whether marketing templates to this contact are blocked. Setting this field to `false` does not change `do_not_contact`. */
  marketing_opt_out: boolean;
  /** How the contact opted out of marketing. `button`: the contact tapped a button. `word`: the contact sent a message such as `stop promotions`. `preference`: the contact changed a setting in WhatsApp. `status`: the channel reported the opt-out when it refused a message. `manual`: a user or an API key of your company set it. `null`: the contact has not opted out. */
  readonly marketing_opt_out_source: "button" | "word" | "preference" | "status" | "manual" | null;
  /** When the contact opted out of marketing templates. `null` if the contact never opted out, or has allowed these templates again. */
  readonly marketing_opt_out_at: string | null;
  /** Whether the contact is in use. */
  is_active: boolean;
  /** When the contact was archived. `null` if the contact is not archived. */
  readonly archived_at: string | null;
  /** When the person was erased. `null` if the person was not erased. */
  readonly erased_at: string | null;
  /** When the record was created. */
  readonly created_at: string;
  /** When the record was last changed. */
  readonly updated_at: string;
  /** A string of digits that is different after each change of the record. In double quotes, the version is the record's ETag. */
  readonly version: string;
  /** The contact's newest deals. Present only with `include=deals`. */
  deals?: IncludedDeals;
  /** The contact's newest conversations. Present only with `include=conversations`. */
  conversations?: IncludedConversations;
  /** If you requested a contact that was merged into this contact, the id of this contact. Otherwise left out. */
  merged_into?: string;
};

/** A contact card that a person sent. The card does not create a contact. */
export type ContactCard = {
  /** The name on the card. */
  name: string | null;
  /** The company on the card. */
  organization: string | null;
  /** The phone numbers on the card: `phone` as the contact wrote it, `whatsapp_id` if the channel knows the number, and `type`, such as `CELL`. */
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
  /** The person's phone number in E.164 format with a leading plus sign, exactly as it was sent. `null` if the channel hides the person's phone number. */
  phone: string;
  /** The contact's id in your own system. Two contacts that are not archived never have the same `external_id`. */
  external_id?: string | null;
  /** The person's name. */
  name?: string | null;
  /** The person's email address. */
  email?: string | null;
  /** How interested the person is. */
  temperature?: "cold" | "warm" | "hot";
  /** Labels for grouping contacts. */
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
  /** Whether marketing templates to this contact are blocked. Setting this field to `false` does not change `do_not_contact`. */
  marketing_opt_out?: boolean;
  /** Whether the contact is in use. */
  is_active?: boolean;
  /** Tags to add to the stored tags. The stored tags remain. Do not combine `add_tags` with `tags`. A tag that is also in `remove_tags` is added. */
  add_tags?: string[];
  /** Tags to remove from the stored tags. Do not combine `remove_tags` with `tags`. */
  remove_tags?: string[];
};

/** The data that the service stores about a person. */
export type ContactExport = {
  /** The contact. */
  contact: Contact;
  /** Which kinds of messages the person allows, and when the person allowed or refused them. */
  wishes: ContactWishes;
  /** The person's opt-outs that members of your company lifted. */
  opt_out_lifts: OptOutLift[];
  /** The ids that the channel assigned to the person. */
  identities: ContactIdentity[];
  /** Phone numbers that the person used earlier, or that came from merged contacts. */
  former_phones: ContactFormerPhone[];
  /** The changes to the person's phone numbers and ids, as the channel reported them. */
  identity_events: ContactIdentityEvent[];
  /** The times until which your company may send free replies to the person, one for each account. */
  windows: ContactWindow[];
  /** The person's deals. */
  deals: Deal[];
  /** The conversations with the person. */
  conversations: Conversation[];
  /** The messages of these conversations, one conversation after the other. */
  messages: Message[];
  /** The first texts of the messages that the person edited. */
  original_contents: OriginalContent[];
  /** The outcome of each message that your company sent to the person with this API. */
  sends: Send[];
};

/** A phone number that a person used earlier, or that came from a merged contact. */
export type ContactFormerPhone = {
  /** The phone number. */
  phone: string;
  /** When the person stopped using the phone number. `null` for an additional phone number that the person still uses. */
  until: string | null;
};

/** An id that the channel assigned to a person. */
export type ContactIdentity = {
  /** The id that the channel assigned to the person for your company. */
  user_id: string;
  /** The WhatsApp Business account for which the channel first reported the id. */
  business_account_id: string | null;
  /** When the id was first seen. */
  seen_at: string;
};

/** A change to a person's phone number or id, as the channel reported it. */
export type ContactIdentityEvent = {
  /** What the channel reported. `phone_changed`: the person has a new phone number. `user_id_changed`: the person has a new id. `phone_taken`: the new phone number belongs to another contact. `merged`: another contact was the same person, and `was` contains that contact's id. */
  kind: string;
  /** The previous phone number or id. */
  was: string | null;
  /** The new phone number or id. */
  becomes: string | null;
  /** When the change happened. */
  happened_at: string;
};

/** A JSON Merge Patch (RFC 7396) of a contact: a field that is left out keeps its value, `null` removes a value, and `custom_fields` is merged key by key, at every level. */
export type ContactPatch = {
  /** The person's phone number in E.164 format with a leading plus sign, exactly as it was sent. `null` if the channel hides the person's phone number. */
  phone?: string;
  /** The contact's id in your own system. Two contacts that are not archived never have the same `external_id`. */
  external_id?: string | null;
  /** The person's name. */
  name?: string | null;
  /** The person's email address. */
  email?: string | null;
  /** How interested the person is. */
  temperature?: "cold" | "warm" | "hot";
  /** Labels for grouping contacts. */
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
  /** Whether marketing templates to this contact are blocked. Setting this field to `false` does not change `do_not_contact`. */
  marketing_opt_out?: boolean;
  /** Whether the contact is in use. */
  is_active?: boolean;
  /** Tags to add to the stored tags. The stored tags remain. Do not combine `add_tags` with `tags`. A tag that is also in `remove_tags` is added. */
  add_tags?: string[];
  /** Tags to remove from the stored tags. Do not combine `remove_tags` with `tags`. */
  remove_tags?: string[];
};

/** Changes to contacts. An invalid item does not make the other items fail. */
export type ContactPatchBatch = {
  /** The items to write. The service applies them in this order. */
  items: ContactPatchById[];
};

/** Changes to the contact with this id, as a JSON Merge Patch: `custom_fields` is merged, and `null` removes a value. */
export type ContactPatchById = {
  /** The id of the record. */
  id: string;
  /** The person's phone number in E.164 format with a leading plus sign, exactly as it was sent. `null` if the channel hides the person's phone number. */
  phone?: string;
  /** The contact's id in your own system. Two contacts that are not archived never have the same `external_id`. */
  external_id?: string | null;
  /** The person's name. */
  name?: string | null;
  /** The person's email address. */
  email?: string | null;
  /** How interested the person is. */
  temperature?: "cold" | "warm" | "hot";
  /** Labels for grouping contacts. */
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
  /** Whether marketing templates to this contact are blocked. Setting this field to `false` does not change `do_not_contact`. */
  marketing_opt_out?: boolean;
  /** Whether the contact is in use. */
  is_active?: boolean;
  /** Tags to add to the stored tags. The stored tags remain. Do not combine `add_tags` with `tags`. A tag that is also in `remove_tags` is added. */
  add_tags?: string[];
  /** Tags to remove from the stored tags. Do not combine `remove_tags` with `tags`. */
  remove_tags?: string[];
};

/** A contact to create or update. In an existing contact, a field that is left out keeps its value. In a new contact, a field that is left out has its default value. */
export type ContactToPut = {
  /** The person's phone number in E.164 format with a leading plus sign, exactly as it was sent. `null` if the channel hides the person's phone number. */
  phone: string;
  /** The contact's id in your own system. Two contacts that are not archived never have the same `external_id`. */
  external_id?: string | null;
  /** The person's name. */
  name?: string | null;
  /** The person's email address. */
  email?: string | null;
  /** How interested the person is. */
  temperature?: "cold" | "warm" | "hot";
  /** Labels for grouping contacts. */
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
  /** Whether marketing templates to this contact are blocked. Setting this field to `false` does not change `do_not_contact`. */
  marketing_opt_out?: boolean;
  /** Whether the contact is in use. */
  is_active?: boolean;
};

/** The time until which your company may send free replies to a person, for one account. */
export type ContactWindow = {
  /** Your company's messaging account. */
  account_id: string;
  /** When the person last wrote a message that opened the window. */
  last_inbound_at: string | null;
  /** When the channel last reported that the window is closed. */
  closed_at: string | null;
  /** The time until which your company may send free replies. */
  expires_at: string | null;
};

/** Which kinds of messages a person allows. */
export type ContactWishes = {
  /** Whether sends to this contact are blocked. */
  do_not_contact: boolean;
  /** Who last set `do_not_contact`. `manual`: a user or an API key of your company. `word`: the contact, with a message such as `stop` or `start`. `null`: `do_not_contact` has never been set. */
  do_not_contact_source: string | null;
  /** When `do_not_contact` was last set. `null` if it was never set or the time is unknown. */
  do_not_contact_at: string | null;
  /** When the person last sent a word such as `stop`. */
  stop_word_at: string | null;
  /** When the person last sent a word such as `start`. */
  start_word_at: string | null;
  /** When the person last opted out of marketing messages. */
  marketing_stopped_at: string | null;
  /** How the person last opted out of marketing messages. The possible values are the same as for the contact's `marketing_opt_out_source`. */
  marketing_stop_source: string | null;
  /** When the person most recently allowed marketing messages again. */
  marketing_resumed_at: string | null;
  /** When the contact opted out of marketing templates. `null` if the contact never opted out, or has allowed these templates again. */
  marketing_opt_out_at: string | null;
};

/** A person that the company talks to, with the records that `include` adds. */
export type ContactWithIncluded = {
  /** The id of the record. */
  readonly id: string;
  /** The company of the record, which is the company of the key. */
  readonly company_id: string;
  /** The contact's id in your own system. Two contacts that are not archived never have the same `external_id`. */
  external_id: string | null;
  /** The person's name. */
  name: string | null;
  /** The person's email address. */
  email: string | null;
  /** The person's phone number in E.164 format with a leading plus sign, exactly as it was sent. `null` if the channel hides the person's phone number. */
  phone: string | null;
  /** How interested the person is. */
  temperature: "cold" | "warm" | "hot";
  /** Labels for grouping contacts. */
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
  /** Who last set `do_not_contact`. `manual`: a user or an API key of your company. `word`: the contact, with a message such as `stop` or `start`. `null`: `do_not_contact` has never been set. */
  readonly do_not_contact_source: "manual" | "word" | null;
  /** When `do_not_contact` was last set. `null` if it was never set or the time is unknown. */
  readonly do_not_contact_at: string | null;
  /** Whether marketing templates to this contact are blocked. Setting this field to `false` does not change `do_not_contact`. */
  marketing_opt_out: boolean;
  /** How the contact opted out of marketing. `button`: the contact tapped a button. `word`: the contact sent a message such as `stop promotions`. `preference`: the contact changed a setting in WhatsApp. `status`: the channel reported the opt-out when it refused a message. `manual`: a user or an API key of your company set it. `null`: the contact has not opted out. */
  readonly marketing_opt_out_source: "button" | "word" | "preference" | "status" | "manual" | null;
  /** When the contact opted out of marketing templates. `null` if the contact never opted out, or has allowed these templates again. */
  readonly marketing_opt_out_at: string | null;
  /** Whether the contact is in use. */
  is_active: boolean;
  /** When the contact was archived. `null` if the contact is not archived. */
  readonly archived_at: string | null;
  /** When the person was erased. `null` if the person was not erased. */
  readonly erased_at: string | null;
  /** When the record was created. */
  readonly created_at: string;
  /** When the record was last changed. */
  readonly updated_at: string;
  /** A string of digits that is different after each change of the record. In double quotes, the version is the record's ETag. */
  readonly version: string;
  /** The contact's newest deals. Present only with `include=deals`. */
  deals?: IncludedDeals;
  /** The contact's newest conversations. Present only with `include=conversations`. */
  conversations?: IncludedConversations;
};

/** A contact in a response that would be too large with `custom_fields`. */
export type ContactWithoutCustomFields = {
  /** The id of the record. */
  readonly id: string;
  /** The company of the record, which is the company of the key. */
  readonly company_id: string;
  /** The contact's id in your own system. Two contacts that are not archived never have the same `external_id`. */
  external_id: string | null;
  /** The person's name. */
  name: string | null;
  /** The person's email address. */
  email: string | null;
  /** The person's phone number in E.164 format with a leading plus sign, exactly as it was sent. `null` if the channel hides the person's phone number. */
  phone: string | null;
  /** How interested the person is. */
  temperature: "cold" | "warm" | "hot";
  /** Labels for grouping contacts. */
  tags: string[];
  /** Where the contact came from. */
  source: string;
  /** The person's job. */
  job_title: string | null;
  /** The company that the person works for. */
  empresa: string | null;
  /** Whether sends to this contact are blocked. */
  do_not_contact: boolean;
  /** Who last set `do_not_contact`. `manual`: a user or an API key of your company. `word`: the contact, with a message such as `stop` or `start`. `null`: `do_not_contact` has never been set. */
  readonly do_not_contact_source: "manual" | "word" | null;
  /** When `do_not_contact` was last set. `null` if it was never set or the time is unknown. */
  readonly do_not_contact_at: string | null;
  /** Whether marketing templates to this contact are blocked. Setting this field to `false` does not change `do_not_contact`. */
  marketing_opt_out: boolean;
  /** How the contact opted out of marketing. `button`: the contact tapped a button. `word`: the contact sent a message such as `stop promotions`. `preference`: the contact changed a setting in WhatsApp. `status`: the channel reported the opt-out when it refused a message. `manual`: a user or an API key of your company set it. `null`: the contact has not opted out. */
  readonly marketing_opt_out_source: "button" | "word" | "preference" | "status" | "manual" | null;
  /** When the contact opted out of marketing templates. `null` if the contact never opted out, or has allowed these templates again. */
  readonly marketing_opt_out_at: string | null;
  /** Whether the contact is in use. */
  is_active: boolean;
  /** When the contact was archived. `null` if the contact is not archived. */
  readonly archived_at: string | null;
  /** When the person was erased. `null` if the person was not erased. */
  readonly erased_at: string | null;
  /** When the record was created. */
  readonly created_at: string;
  /** When the record was last changed. */
  readonly updated_at: string;
  /** A string of digits that is different after each change of the record. In double quotes, the version is the record's ETag. */
  readonly version: string;
};

/** A conversation with a contact. */
export type Conversation = {
  /** The id of the record. */
  readonly id: string;
  /** The company of the record, which is the company of the key. */
  readonly company_id: string;
  /** The conversation's contact. */
  contact_id: string;
  /** The conversation's messaging account. This is your company's number that the contact writes to. */
  readonly phone_number_id: string;
  /** The conversation's state. On one account, a contact has at most one conversation that is not `closed`. */
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
  /** A string of digits that is different after each change of the record. In double quotes, the version is the record's ETag. */
  readonly version: string;
};

/** Changes to a conversation. */
export type ConversationChanges = {
  /** The member of your company who handles the conversation. */
  assigned_to?: string | null;
  /** The team of your company that handles the conversation. */
  team_id?: string | null;
  /** The conversation's state. On one account, a contact has at most one conversation that is not `closed`. */
  status?: "open" | "pending" | "closed";
};

/** A conversation with a contact, with the records that `include` adds. */
export type ConversationWithIncluded = {
  /** The id of the record. */
  readonly id: string;
  /** The company of the record, which is the company of the key. */
  readonly company_id: string;
  /** The conversation's contact. */
  contact_id: string;
  /** The conversation's messaging account. This is your company's number that the contact writes to. */
  readonly phone_number_id: string;
  /** The conversation's state. On one account, a contact has at most one conversation that is not `closed`. */
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
  /** A string of digits that is different after each change of the record. In double quotes, the version is the record's ETag. */
  readonly version: string;
  /** The conversation's contact. Present only with `include=contact`. */
  contact?: Contact;
};

/** The query parameters of `createDeals`, without `fields` and `include`. */
export type CreateDealsQuery = {
  /** With `true`, either all items are written or none. If no items are written, the response is the error of the first item that cannot be written. `details` names the item's invalid fields, such as `items.3.phone`. */
  atomic?: boolean | undefined;
  /** What happens to a record that your company already has. `update`: the request's fields replace the record's fields. `merge`: like `update`, but `custom_fields` is merged key by key (`null` removes a key), and `tags` is added to the stored tags. `keep`: the request's fields fill only empty fields. `fail`: the record does not change, and the item gets a 409. */
  on_conflict?: "update" | "merge" | "keep" | "fail" | undefined;
};

/** A sales opportunity. */
export type Deal = {
  /** The id of the record. */
  readonly id: string;
  /** The company of the record, which is the company of the key. */
  readonly company_id: string;
  /** The deal's id in your own system. Two deals that are not archived never have the same `external_id`. */
  external_id: string | null;
  /** The title of the deal. */
  title: string;
  /** The deal's value, with at most two decimals. */
  value: number | null;
  /** The deal's state. A new deal is `open`. */
  status: "open" | "won" | "lost";
  /** The deal's contact. */
  contact_id: string;
  /** The stage that the deal is in. */
  stage_id: string;
  /** When the deal was won. `null` if the deal is not won or the time is unknown. */
  readonly won_at: string | null;
  /** When the deal was lost. `null` if the deal is not lost or the time is unknown. */
  readonly lost_at: string | null;
  /** When the deal entered its stage. For a new deal, this is when the deal was created. */
  readonly stage_changed_at: string;
  /** When the deal was archived. `null` if the deal is not archived. */
  readonly archived_at: string | null;
  /** When the record was created. */
  readonly created_at: string;
  /** When the record was last changed. */
  readonly updated_at: string;
  /** A string of digits that is different after each change of the record. In double quotes, the version is the record's ETag. */
  readonly version: string;
};

/** Changes to a deal. */
export type DealChanges = {
  /** The title of the deal. */
  title?: string;
  /** The deal's value, with at most two decimals. */
  value?: number | null;
  /** The stage that the deal is in. */
  stage_id?: string;
  /** The deal's state. A new deal is `open`. */
  status?: "open" | "won" | "lost";
  /** The deal's id in your own system. Two deals that are not archived never have the same `external_id`. */
  external_id?: string | null;
};

/** Changes to deals. An invalid item does not make the other items fail. */
export type DealChangesBatch = {
  /** The items to write. The service applies them in this order. */
  items: DealChangesById[];
};

/** Changes to the deal with this id. */
export type DealChangesById = {
  /** The id of the record. */
  id: string;
  /** The title of the deal. */
  title?: string;
  /** The deal's value, with at most two decimals. */
  value?: number | null;
  /** The stage that the deal is in. */
  stage_id?: string;
  /** The deal's state. A new deal is `open`. */
  status?: "open" | "won" | "lost";
  /** The deal's id in your own system. Two deals that are not archived never have the same `external_id`. */
  external_id?: string | null;
};

/** An entry in a deal's history. */
export type DealHistoryEntry = {
  /** The entry's id. */
  id: string;
  /** The kind of change: the deal was `created`, or moved to another stage or status. */
  kind: "created" | "stage_changed" | "status_changed";
  /** The previous stage or status. `null` in the entry `created`. */
  from: string | null;
  /** The new stage or status. In the entry `created`, this is the deal's first stage. `null` if the value is unknown because the deal is older than its history. */
  to: string | null;
  /** When the change happened. No two entries in a deal's history have the same time. */
  at: string;
  /** The author of the change. `null` if the service itself made the change, or if the author is unknown. */
  by: (ByKey | ByPerson) | null;
};

/** A sales opportunity, with the records that `include` adds. */
export type DealWithIncluded = {
  /** The id of the record. */
  readonly id: string;
  /** The company of the record, which is the company of the key. */
  readonly company_id: string;
  /** The deal's id in your own system. Two deals that are not archived never have the same `external_id`. */
  external_id: string | null;
  /** The title of the deal. */
  title: string;
  /** The deal's value, with at most two decimals. */
  value: number | null;
  /** The deal's state. A new deal is `open`. */
  status: "open" | "won" | "lost";
  /** The deal's contact. */
  contact_id: string;
  /** The stage that the deal is in. */
  stage_id: string;
  /** When the deal was won. `null` if the deal is not won or the time is unknown. */
  readonly won_at: string | null;
  /** When the deal was lost. `null` if the deal is not lost or the time is unknown. */
  readonly lost_at: string | null;
  /** When the deal entered its stage. For a new deal, this is when the deal was created. */
  readonly stage_changed_at: string;
  /** When the deal was archived. `null` if the deal is not archived. */
  readonly archived_at: string | null;
  /** When the record was created. */
  readonly created_at: string;
  /** When the record was last changed. */
  readonly updated_at: string;
  /** A string of digits that is different after each change of the record. In double quotes, the version is the record's ETag. */
  readonly version: string;
  /** The deal's contact. Present only with `include=contact`. */
  contact?: Contact;
  /** The deal's stage. Present only with `include=stage`. */
  stage?: Stage;
};

/** A record that was deleted. Only these fields remain. */
export type DeletedRow = {
  /** The id of the record. */
  id: string;
  /** The company of the record, which is the company of the key. */
  company_id: string;
  /** When the record was deleted. */
  deleted_at: string;
  /** For a merged contact, the id of the contact into which it was merged. Otherwise left out. */
  merged_into?: string;
};

/** The delivery of one event to one webhook, with all its attempts. */
export type Delivery = {
  /** The event's id. */
  event_id: string;
  /** The event type. */
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
  /** The record that the event describes. */
  record_id: string;
  /** When the event happened. */
  timestamp: string;
  /** `waiting`: the event has not arrived yet. `delivered`: the receiver accepted the event. `failed`: all attempts failed. `undelivered`: the webhook was switched off before the event arrived. */
  state: "waiting" | "delivered" | "failed" | "undelivered";
  /** The number of attempts. */
  attempts: number;
  /** When the next attempt is due. `null` if no attempt is scheduled. */
  next_attempt_at: string | null;
  /** When the event arrived, or when the service stopped trying to deliver it. `null` while the event is waiting. */
  ended_at: string | null;
  /** The attempts, oldest first. */
  tries: DeliveryTry[];
};

/** One attempt to deliver an event. */
export type DeliveryTry = {
  /** When the attempt began. */
  at: string;
  /** The HTTP status of the response. `null` if there was no response. */
  status: number | null;
  /** The reason why there was no response, such as `timeout`. `null` if there was a response. */
  failure: string | null;
  /** The duration of the attempt, in milliseconds. */
  ms: number;
  /** The first characters of an unsuccessful response. `null` if the attempt was successful, or if the response broke off. When the contact that the record belongs to is erased, the service removes this text. */
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
  /** `send`: the message would be sent. `repeat`: the request repeats an idempotency key. `do_not_contact`: the contact must not be contacted. `marketing_opt_out`: the template is a marketing template, and the person has opted out of marketing. */
  outcome: "send" | "repeat" | "do_not_contact" | "marketing_opt_out";
  /** The fields that differ from the first request with this key. The response then also has the header `Idempotency-Mismatch`. The new values of these fields were not sent. Missing when nothing differs. */
  mismatch?: MismatchedField[];
};

/** Confirms that the person should be erased. */
export type Erasing = {
  /** The id of the contact again, because erasing cannot be undone. */
  confirm: string;
};

/** An event about a record. */
export type Event = {
  /** The event's id. Every delivery of the event has this id as `webhook-id`. */
  id: string;
  /** The event type, such as `deal.won`. */
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
  /** When the event happened, to the microsecond. A later event about the same record never has an earlier time, even if both events happened in the same millisecond. */
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
  /** The record's id. For a send, this is the id of its message. */
  record_id: string;
  /** The author of the change. */
  actor: EventActor;
  /** The `X-Request-Id` of the request that made the change. `null` if no request made the change. */
  request_id: string | null;
  /** The names of the fields that changed. */
  changed: string[];
  /** The values of each changed field before (`from`) and after (`to`) the change. Only fields without personal data are included, such as `stage_id`. Some event types have other values here, such as the ids of an erased contact's conversations. */
  changes: {
    [key: string]: unknown;
  };
};

/** The author of a change. */
export type EventActor = {
  /** `key`: an API key. `person`: a signed-in user. `platform`: the operator. `channel`: WhatsApp. `job`: a scheduled job of the service. */
  kind: "key" | "person" | "platform" | "channel" | "job";
  /** The id of the API key or the user. Otherwise `null`. */
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

/** The problem with one field. The message completes a sentence that begins with the field's name. */
export type FieldError = {
  /** The path of the field, with dots, such as `phone`, `tags.3` or `limit`. `body` means the whole body. */
  field: string;
  /** The problem, such as `is required`. */
  message: string;
  /** A messaging account that the request can name in `phone_number_id`. */
  phone_number_id?: string;
  /** The account's phone number. */
  display_phone?: string;
};

/** A contact that matches a search. */
export type FoundContact = {
  /** The kind of record. */
  type: "contact";
  /** The record's id. */
  id: string;
  /** A one-line text that a list can show for the record. A conversation has its contact's label. */
  label: string;
  /** The record. */
  row: Contact;
};

/** A conversation whose contact matches a search. */
export type FoundConversation = {
  /** The kind of record. */
  type: "conversation";
  /** The record's id. */
  id: string;
  /** A one-line text that a list can show for the record. A conversation has its contact's label. */
  label: string;
  /** The record. */
  row: Conversation;
};

/** A deal that matches a search. */
export type FoundDeal = {
  /** The kind of record. */
  type: "deal";
  /** The record's id. */
  id: string;
  /** A one-line text that a list can show for the record. A conversation has its contact's label. */
  label: string;
  /** The record. */
  row: Deal;
};

/** The query parameters of `getContact`, without `fields` and `include`. */
export type GetContactQuery = {
  /** Whether the list contains archived records. `exclude` leaves out archived records. `include` lists all records. `only` lists only archived records. While a record is archived, its `archived_at` is not null. */
  archived?: "exclude" | "include" | "only" | undefined;
};

/** The query parameters of `getDeal`, without `fields` and `include`. */
export type GetDealQuery = {
  /** Whether the list contains archived records. `exclude` leaves out archived records. `include` lists all records. `only` lists only archived records. While a record is archived, its `archived_at` is not null. */
  archived?: "exclude" | "include" | "only" | undefined;
};

/** The query parameters of `getPipeline`, without `fields` and `include`. */
export type GetPipelineQuery = {
  /** Whether the list contains archived records. `exclude` leaves out archived records. `include` lists all records. `only` lists only archived records. While a record is archived, its `archived_at` is not null. */
  archived?: "exclude" | "include" | "only" | undefined;
};

/** The query parameters of `getStage`, without `fields` and `include`. */
export type GetStageQuery = {
  /** Whether the list contains archived records. `exclude` leaves out archived records. `include` lists all records. `only` lists only archived records. While a record is archived, its `archived_at` is not null. */
  archived?: "exclude" | "include" | "only" | undefined;
};

/** Your own file for the header of a template: an upload, or a URL. */
export type HeaderMedia = {
  /** The id of a file that you uploaded for the sending phone number. */
  id?: string;
  /** The URL from which the service fetches the file at each send. The operator allows the hosts in WHATSAPP_MEDIA_HOSTS; for any other host, the request returns a 422. */
  url?: string;
} & (unknown | unknown);

/** The service's state. */
export type Health = {
  /** Always `ok`, because a service that does not work returns an error. */
  status: "ok";
  /** The release of the functions. */
  version: string;
};

/** A contact's newest conversations, newest first. */
export type IncludedConversations = {
  /** Up to 10 conversations. */
  data: Conversation[];
  /** Whether the contact has more conversations. `GET /conversations?contact_id=` lists all of them. */
  has_more: boolean;
};

/** A contact's newest deals, newest first. */
export type IncludedDeals = {
  /** Up to 10 deals. */
  data: Deal[];
  /** Whether the contact has more deals. `GET /deals?contact_id=` lists all of them. */
  has_more: boolean;
};

/** The limits for requests with this key. */
export type Limits = {
  /** The maximum size of a request body, in bytes. */
  body_bytes: number;
  /** The maximum number of items in a batch. */
  batch_items: number;
  /** The maximum `limit` of a list. */
  page_records: number;
  /** The maximum number of your company's requests that one gateway instance processes at the same time. */
  requests_at_once: number;
  /** The maximum number of your company's requests that may wait in one gateway instance. Additional requests receive a 429. */
  requests_waiting: number;
  /** The maximum time that a request may wait before it receives a 429, in seconds. */
  waiting_seconds: number;
};

/** The query parameters of `listContactChanges`, without `fields` and `include`. */
export type ListContactChangesQuery = {
  /** The maximum number of records on a page. A page of large records may have fewer records. */
  limit?: number | undefined;
  /** The `next_cursor` of the previous page. Send it with the same filters and the same `sort` to get the next page. */
  cursor?: string | undefined;
  /** Where to start if the request has no cursor. `beginning` starts at the first record. `now` returns no changes, only a cursor for later changes. Do not combine `start` with `cursor`. */
  start?: "beginning" | "now" | undefined;
};

/** The query parameters of `listContacts`, without `fields` and `include`. */
export type ListContactsQuery = {
  /** The maximum number of records on a page. A page of large records may have fewer records. */
  limit?: number | undefined;
  /** The `next_cursor` of the previous page. Send it with the same filters and the same `sort` to get the next page. */
  cursor?: string | undefined;
  /** The field to sort the list by. A minus sign before the field sorts in descending order. Records with the same value are sorted by id. */
  sort?: "created_at" | "-created_at" | "updated_at" | "-updated_at" | "name" | "-name" | undefined;
  /** With `true`, `pagination` also contains `total`, the number of records that match the filters, and `total_relation`. */
  include_total?: boolean | undefined;
  /** Whether the list contains archived records. `exclude` leaves out archived records. `include` lists all records. `only` lists only archived records. While a record is archived, its `archived_at` is not null. */
  archived?: "exclude" | "include" | "only" | undefined;
  /** Finds records that have all of these words. Each word may be in a different field. Word order, case, accents and punctuation make no difference. A word of one or two letters matches only at the beginning of a word. A longer word matches anywhere. Numbers with 8 to 15 digits in total also find a contact by phone number, in any format and with or without the country code. */
  q?: string | undefined;
  /** Finds records whose `id` is one of these values. */
  id?: OneOrMore<string> | undefined;
  /** Finds records whose `id` is none of these values. */
  "id[ne]"?: OneOrMore<string> | undefined;
  /** Finds records whose `external_id` is one of these values. */
  external_id?: OneOrMore<string> | undefined;
  /** Finds records whose `external_id` is none of these values. */
  "external_id[ne]"?: OneOrMore<string> | undefined;
  /** `true` finds records without a value in `external_id`; `false` finds records with a value. */
  "external_id[empty]"?: boolean | undefined;
  /** Finds records whose `name` is one of these values. */
  name?: OneOrMore<string> | undefined;
  /** Finds records whose `name` is none of these values. */
  "name[ne]"?: OneOrMore<string> | undefined;
  /** `true` finds records without a value in `name`; `false` finds records with a value. */
  "name[empty]"?: boolean | undefined;
  /** Finds records with this text in `name`; case, accents and punctuation make no difference. One or two letters match only at the beginning of a word; a longer text matches anywhere. */
  "name[contains]"?: string | undefined;
  /** Finds records by the email address of the contact or member. Case makes no difference. For members, the filter works only if an owner or admin of your company has allowed it. */
  email?: OneOrMore<string> | undefined;
  /** Finds records whose `email` is none of these values. */
  "email[ne]"?: OneOrMore<string> | undefined;
  /** `true` finds records without a value in `email`; `false` finds records with a value. */
  "email[empty]"?: boolean | undefined;
  /** Finds records with this text in `email`; case, accents and punctuation make no difference. One or two letters match only at the beginning of a word; a longer text matches anywhere. */
  "email[contains]"?: string | undefined;
  /** Finds records by their contact's phone number. Send the number with its country code, in any format. Spaces, brackets and hyphens make no difference. In a URL, write the plus sign as `%2B`, or leave it out. */
  phone?: OneOrMore<string> | undefined;
  /** Finds contacts that have none of these phone numbers. All formats of a phone number are equivalent. */
  "phone[ne]"?: OneOrMore<string> | undefined;
  /** `true` finds records without a value in `phone`; `false` finds records with a value. */
  "phone[empty]"?: boolean | undefined;
  /** Finds records whose `temperature` is one of these values. */
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
  /** Finds records whose `source` is one of these values. */
  source?: OneOrMore<string> | undefined;
  /** Finds records whose `source` is none of these values. */
  "source[ne]"?: OneOrMore<string> | undefined;
  /** `true` finds records without a value in `source`; `false` finds records with a value. */
  "source[empty]"?: boolean | undefined;
  /** Finds records whose `job_title` is one of these values. */
  job_title?: OneOrMore<string> | undefined;
  /** Finds records whose `job_title` is none of these values. */
  "job_title[ne]"?: OneOrMore<string> | undefined;
  /** `true` finds records without a value in `job_title`; `false` finds records with a value. */
  "job_title[empty]"?: boolean | undefined;
  /** Finds records with this text in `job_title`; case, accents and punctuation make no difference. One or two letters match only at the beginning of a word; a longer text matches anywhere. */
  "job_title[contains]"?: string | undefined;
  /** Finds records whose `empresa` is one of these values. */
  empresa?: OneOrMore<string> | undefined;
  /** Finds records whose `empresa` is none of these values. */
  "empresa[ne]"?: OneOrMore<string> | undefined;
  /** `true` finds records without a value in `empresa`; `false` finds records with a value. */
  "empresa[empty]"?: boolean | undefined;
  /** Finds records with this text in `empresa`; case, accents and punctuation make no difference. One or two letters match only at the beginning of a word; a longer text matches anywhere. */
  "empresa[contains]"?: string | undefined;
  /** Finds records whose `do_not_contact` is one of these values. */
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
  /** Finds records whose `is_active` is one of these values. */
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
  /** `custom_fields.<key>=<value>` finds contacts by a custom field. The key is everything after the first dot. A second dot is part of the key, or separates the key of an object from a key within that object, as in `custom_fields.opening.city=Toronto`. The value is compared as text: `5` finds 5 and "5". Separate several values with commas. */
  [field: `custom_fields.${string}`]: OneOrMore<string> | undefined;
};

/** The query parameters of `listConversationChanges`, without `fields` and `include`. */
export type ListConversationChangesQuery = {
  /** The maximum number of records on a page. A page of large records may have fewer records. */
  limit?: number | undefined;
  /** The `next_cursor` of the previous page. Send it with the same filters and the same `sort` to get the next page. */
  cursor?: string | undefined;
  /** Where to start if the request has no cursor. `beginning` starts at the first record. `now` returns no changes, only a cursor for later changes. Do not combine `start` with `cursor`. */
  start?: "beginning" | "now" | undefined;
};

/** The query parameters of `listConversations`, without `fields` and `include`. */
export type ListConversationsQuery = {
  /** The maximum number of records on a page. A page of large records may have fewer records. */
  limit?: number | undefined;
  /** The `next_cursor` of the previous page. Send it with the same filters and the same `sort` to get the next page. */
  cursor?: string | undefined;
  /** The field to sort the list by. A minus sign before the field sorts in descending order. Records with the same value are sorted by id. */
  sort?:
    | "created_at"
    | "-created_at"
    | "updated_at"
    | "-updated_at"
    | "last_message_at"
    | "-last_message_at"
    | undefined;
  /** With `true`, `pagination` also contains `total`, the number of records that match the filters, and `total_relation`. */
  include_total?: boolean | undefined;
  /** Finds records whose `id` is one of these values. */
  id?: OneOrMore<string> | undefined;
  /** Finds records whose `id` is none of these values. */
  "id[ne]"?: OneOrMore<string> | undefined;
  /** Finds records whose `contact_id` is one of these values. */
  contact_id?: OneOrMore<string> | undefined;
  /** Finds records whose `contact_id` is none of these values. */
  "contact_id[ne]"?: OneOrMore<string> | undefined;
  /** Finds conversations on one of these messaging accounts, or templates that one of these accounts can send. */
  phone_number_id?: OneOrMore<string> | undefined;
  /** Finds records whose `phone_number_id` is none of these values. */
  "phone_number_id[ne]"?: OneOrMore<string> | undefined;
  /** Finds records whose `status` is one of these values. */
  status?: OneOrMore<"open" | "pending" | "closed"> | undefined;
  /** Finds records whose `status` is none of these values. */
  "status[ne]"?: OneOrMore<"open" | "pending" | "closed"> | undefined;
  /** Finds records whose `assigned_to` is one of these values. */
  assigned_to?: OneOrMore<string> | undefined;
  /** Finds records whose `assigned_to` is none of these values. */
  "assigned_to[ne]"?: OneOrMore<string> | undefined;
  /** `true` finds records without a value in `assigned_to`; `false` finds records with a value. */
  "assigned_to[empty]"?: boolean | undefined;
  /** Finds records whose `team_id` is one of these values. */
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

/** The query parameters of `listDealChanges`, without `fields` and `include`. */
export type ListDealChangesQuery = {
  /** The maximum number of records on a page. A page of large records may have fewer records. */
  limit?: number | undefined;
  /** The `next_cursor` of the previous page. Send it with the same filters and the same `sort` to get the next page. */
  cursor?: string | undefined;
  /** Where to start if the request has no cursor. `beginning` starts at the first record. `now` returns no changes, only a cursor for later changes. Do not combine `start` with `cursor`. */
  start?: "beginning" | "now" | undefined;
};

/** The query parameters of `listDealHistory`, without `fields` and `include`. */
export type ListDealHistoryQuery = {
  /** The maximum number of records on a page. A page of large records may have fewer records. */
  limit?: number | undefined;
  /** The `next_cursor` of the previous page. Send it with the same filters and the same `sort` to get the next page. */
  cursor?: string | undefined;
  /** The field to sort the list by. A minus sign before the field sorts in descending order. Records with the same value are sorted by id. */
  sort?: "at" | "-at" | undefined;
  /** With `true`, `pagination` also contains `total`, the number of records that match the filters, and `total_relation`. */
  include_total?: boolean | undefined;
  /** Finds records whose `id` is one of these values. */
  id?: OneOrMore<string> | undefined;
  /** Finds records whose `id` is none of these values. */
  "id[ne]"?: OneOrMore<string> | undefined;
  /** Finds records whose `kind` is one of these values. */
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

/** The query parameters of `listDeals`, without `fields` and `include`. */
export type ListDealsQuery = {
  /** The maximum number of records on a page. A page of large records may have fewer records. */
  limit?: number | undefined;
  /** The `next_cursor` of the previous page. Send it with the same filters and the same `sort` to get the next page. */
  cursor?: string | undefined;
  /** The field to sort the list by. A minus sign before the field sorts in descending order. Records with the same value are sorted by id. */
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
  /** With `true`, `pagination` also contains `total`, the number of records that match the filters, and `total_relation`. */
  include_total?: boolean | undefined;
  /** Whether the list contains archived records. `exclude` leaves out archived records. `include` lists all records. `only` lists only archived records. While a record is archived, its `archived_at` is not null. */
  archived?: "exclude" | "include" | "only" | undefined;
  /** Finds records that have all of these words. Each word may be in a different field. Word order, case, accents and punctuation make no difference. A word of one or two letters matches only at the beginning of a word. A longer word matches anywhere. Numbers with 8 to 15 digits in total also find a contact by phone number, in any format and with or without the country code. */
  q?: string | undefined;
  /** Finds records whose `id` is one of these values. */
  id?: OneOrMore<string> | undefined;
  /** Finds records whose `id` is none of these values. */
  "id[ne]"?: OneOrMore<string> | undefined;
  /** Finds records whose `external_id` is one of these values. */
  external_id?: OneOrMore<string> | undefined;
  /** Finds records whose `external_id` is none of these values. */
  "external_id[ne]"?: OneOrMore<string> | undefined;
  /** `true` finds records without a value in `external_id`; `false` finds records with a value. */
  "external_id[empty]"?: boolean | undefined;
  /** Finds records whose `title` is one of these values. */
  title?: OneOrMore<string> | undefined;
  /** Finds records whose `title` is none of these values. */
  "title[ne]"?: OneOrMore<string> | undefined;
  /** `true` finds records without a value in `title`; `false` finds records with a value. */
  "title[empty]"?: boolean | undefined;
  /** Finds records with this text in `title`; case, accents and punctuation make no difference. One or two letters match only at the beginning of a word; a longer text matches anywhere. */
  "title[contains]"?: string | undefined;
  /** Finds records whose `value` is one of these values. */
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
  /** Finds records whose `status` is one of these values. */
  status?: OneOrMore<"open" | "won" | "lost"> | undefined;
  /** Finds records whose `status` is none of these values. */
  "status[ne]"?: OneOrMore<"open" | "won" | "lost"> | undefined;
  /** Finds records whose `contact_id` is one of these values. */
  contact_id?: OneOrMore<string> | undefined;
  /** Finds records whose `contact_id` is none of these values. */
  "contact_id[ne]"?: OneOrMore<string> | undefined;
  /** Finds records whose `stage_id` is one of these values. */
  stage_id?: OneOrMore<string> | undefined;
  /** Finds records whose `stage_id` is none of these values. */
  "stage_id[ne]"?: OneOrMore<string> | undefined;
  /** Finds records that belong to one of these pipelines. A deal belongs to the pipeline of its stage. In a search for deals, these pipelines together may have at most 100 stages that are not archived. */
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

/** The query parameters of `listEvents`, without `fields` and `include`. */
export type ListEventsQuery = {
  /** The maximum number of records on a page. A page of large records may have fewer records. */
  limit?: number | undefined;
  /** The `next_cursor` of the previous page. Send it with the same filters and the same `sort` to get the next page. */
  cursor?: string | undefined;
  /** Where to start if the request has no cursor. `beginning` starts at the first record. `now` returns no changes, only a cursor for later changes. Do not combine `start` with `cursor`. */
  start?: "beginning" | "now" | undefined;
  /** Finds records whose `type` is one of these values. */
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
  /** Finds the events about this record. */
  record_id?: string | undefined;
  /** Finds events at this time or later. */
  since?: string | undefined;
  /** Finds events before this time. */
  until?: string | undefined;
};

/** The query parameters of `listMembers`, without `fields` and `include`. */
export type ListMembersQuery = {
  /** The maximum number of records on a page. A page of large records may have fewer records. */
  limit?: number | undefined;
  /** The `next_cursor` of the previous page. Send it with the same filters and the same `sort` to get the next page. */
  cursor?: string | undefined;
  /** The field to sort the list by. A minus sign before the field sorts in descending order. Records with the same value are sorted by id. */
  sort?: "created_at" | "-created_at" | "updated_at" | "-updated_at" | "name" | "-name" | undefined;
  /** With `true`, `pagination` also contains `total`, the number of records that match the filters, and `total_relation`. */
  include_total?: boolean | undefined;
  /** Finds records whose `id` is one of these values. */
  id?: OneOrMore<string> | undefined;
  /** Finds records whose `id` is none of these values. */
  "id[ne]"?: OneOrMore<string> | undefined;
  /** Finds records whose `name` is one of these values. */
  name?: OneOrMore<string> | undefined;
  /** Finds records whose `name` is none of these values. */
  "name[ne]"?: OneOrMore<string> | undefined;
  /** `true` finds records without a value in `name`; `false` finds records with a value. */
  "name[empty]"?: boolean | undefined;
  /** Finds records with this text in `name`; case, accents and punctuation make no difference. One or two letters match only at the beginning of a word; a longer text matches anywhere. */
  "name[contains]"?: string | undefined;
  /** Finds records by the email address of the contact or member. Case makes no difference. For members, the filter works only if an owner or admin of your company has allowed it. */
  email?: string | undefined;
  /** Finds records whose `role` is one of these values. */
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

/** The query parameters of `listMessageChanges`, without `fields` and `include`. */
export type ListMessageChangesQuery = {
  /** The maximum number of records on a page. A page of large records may have fewer records. */
  limit?: number | undefined;
  /** The `next_cursor` of the previous page. Send it with the same filters and the same `sort` to get the next page. */
  cursor?: string | undefined;
  /** Where to start if the request has no cursor. `beginning` starts at the first record. `now` returns no changes, only a cursor for later changes. Do not combine `start` with `cursor`. */
  start?: "beginning" | "now" | undefined;
};

/** The query parameters of `listMessages`, without `fields` and `include`. */
export type ListMessagesQuery = {
  /** The maximum number of records on a page. A page of large records may have fewer records. */
  limit?: number | undefined;
  /** The `next_cursor` of the previous page. Send it with the same filters and the same `sort` to get the next page. */
  cursor?: string | undefined;
  /** The field to sort the list by. A minus sign before the field sorts in descending order. Records with the same value are sorted by id. */
  sort?: "created_at" | "-created_at" | undefined;
  /** With `true`, `pagination` also contains `total`, the number of records that match the filters, and `total_relation`. */
  include_total?: boolean | undefined;
  /** Finds records whose `id` is one of these values. */
  id?: OneOrMore<string> | undefined;
  /** Finds records whose `id` is none of these values. */
  "id[ne]"?: OneOrMore<string> | undefined;
  /** Finds records whose `direction` is one of these values. */
  direction?: OneOrMore<"inbound" | "outbound"> | undefined;
  /** Finds records whose `direction` is none of these values. */
  "direction[ne]"?: OneOrMore<"inbound" | "outbound"> | undefined;
  /** Finds records whose `type` is one of these values. */
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
  /** Finds records whose `status` is one of these values. */
  status?:
    | OneOrMore<"pending" | "accepted" | "sent" | "delivered" | "read" | "failed" | "expired">
    | undefined;
  /** Finds records whose `status` is none of these values. */
  "status[ne]"?:
    | OneOrMore<"pending" | "accepted" | "sent" | "delivered" | "read" | "failed" | "expired">
    | undefined;
  /** `true` finds records without a value in `status`; `false` finds records with a value. */
  "status[empty]"?: boolean | undefined;
  /** Finds records whose `whatsapp_message_id` is one of these values. */
  whatsapp_message_id?: OneOrMore<string> | undefined;
  /** Finds records whose `whatsapp_message_id` is none of these values. */
  "whatsapp_message_id[ne]"?: OneOrMore<string> | undefined;
  /** `true` finds records without a value in `whatsapp_message_id`; `false` finds records with a value. */
  "whatsapp_message_id[empty]"?: boolean | undefined;
  /** Finds records whose `reply_to_id` is one of these values. */
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

/** The query parameters of `listPipelines`, without `fields` and `include`. */
export type ListPipelinesQuery = {
  /** The maximum number of records on a page. A page of large records may have fewer records. */
  limit?: number | undefined;
  /** The `next_cursor` of the previous page. Send it with the same filters and the same `sort` to get the next page. */
  cursor?: string | undefined;
  /** The field to sort the list by. A minus sign before the field sorts in descending order. Records with the same value are sorted by id. */
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
  /** With `true`, `pagination` also contains `total`, the number of records that match the filters, and `total_relation`. */
  include_total?: boolean | undefined;
  /** Whether the list contains archived records. `exclude` leaves out archived records. `include` lists all records. `only` lists only archived records. While a record is archived, its `archived_at` is not null. */
  archived?: "exclude" | "include" | "only" | undefined;
  /** Finds records whose `id` is one of these values. */
  id?: OneOrMore<string> | undefined;
  /** Finds records whose `id` is none of these values. */
  "id[ne]"?: OneOrMore<string> | undefined;
  /** Finds records whose `name` is one of these values. */
  name?: OneOrMore<string> | undefined;
  /** Finds records whose `name` is none of these values. */
  "name[ne]"?: OneOrMore<string> | undefined;
  /** `true` finds records without a value in `name`; `false` finds records with a value. */
  "name[empty]"?: boolean | undefined;
  /** Finds records with this text in `name`; case, accents and punctuation make no difference. One or two letters match only at the beginning of a word; a longer text matches anywhere. */
  "name[contains]"?: string | undefined;
  /** Finds records whose `position` is one of these values. */
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
  /** Finds records whose `is_default` is one of these values. */
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

/** The query parameters of `listSends`, without `fields` and `include`. */
export type ListSendsQuery = {
  /** The maximum number of records on a page. A page of large records may have fewer records. */
  limit?: number | undefined;
  /** The `next_cursor` of the previous page. Send it with the same filters and the same `sort` to get the next page. */
  cursor?: string | undefined;
  /** The field to sort the list by. A minus sign before the field sorts in descending order. Records with the same value are sorted by id. */
  sort?: "created_at" | "-created_at" | undefined;
  /** With `true`, `pagination` also contains `total`, the number of records that match the filters, and `total_relation`. */
  include_total?: boolean | undefined;
  /** Finds records whose `message_id` is one of these values. */
  message_id?: OneOrMore<string> | undefined;
  /** Finds records whose `message_id` is none of these values. */
  "message_id[ne]"?: OneOrMore<string> | undefined;
  /** Finds records whose `conversation_id` is one of these values. */
  conversation_id?: OneOrMore<string> | undefined;
  /** Finds records whose `conversation_id` is none of these values. */
  "conversation_id[ne]"?: OneOrMore<string> | undefined;
  /** Finds records whose `contact_id` is one of these values. */
  contact_id?: OneOrMore<string> | undefined;
  /** Finds records whose `contact_id` is none of these values. */
  "contact_id[ne]"?: OneOrMore<string> | undefined;
  /** Finds records by their contact's phone number. Send the number with its country code, in any format. Spaces, brackets and hyphens make no difference. In a URL, write the plus sign as `%2B`, or leave it out. */
  phone?: OneOrMore<string> | undefined;
  /** Finds the send with this idempotency key, exactly as you sent it. A comma in the key does not separate values. */
  idempotency_key?: string | undefined;
  /** Finds records whose `api_key_id` is one of these values. */
  api_key_id?: OneOrMore<string> | undefined;
  /** Finds records whose `api_key_id` is none of these values. */
  "api_key_id[ne]"?: OneOrMore<string> | undefined;
  /** `true` finds records without a value in `api_key_id`; `false` finds records with a value. */
  "api_key_id[empty]"?: boolean | undefined;
  /** Finds records whose `template_name` is one of these values. */
  template_name?: OneOrMore<string> | undefined;
  /** Finds records whose `template_name` is none of these values. */
  "template_name[ne]"?: OneOrMore<string> | undefined;
  /** `true` finds records without a value in `template_name`; `false` finds records with a value. */
  "template_name[empty]"?: boolean | undefined;
  /** Finds records whose `state` is one of these values. */
  state?: OneOrMore<"pending" | "sent" | "failed" | "released"> | undefined;
  /** Finds records whose `state` is none of these values. */
  "state[ne]"?: OneOrMore<"pending" | "sent" | "failed" | "released"> | undefined;
  /** Finds records whose `status` is one of these values. */
  status?:
    | OneOrMore<"pending" | "accepted" | "sent" | "delivered" | "read" | "failed" | "expired">
    | undefined;
  /** Finds records whose `status` is none of these values. */
  "status[ne]"?:
    | OneOrMore<"pending" | "accepted" | "sent" | "delivered" | "read" | "failed" | "expired">
    | undefined;
  /** Finds sends whose `failure.reason` is one of these reasons. */
  reason?: OneOrMore<string> | undefined;
  /** Finds sends whose `failure.reason` is none of these reasons, and sends without a reason. */
  "reason[ne]"?: OneOrMore<string> | undefined;
  /** `true` finds sends without a `failure`; `false` finds sends with a `failure`. */
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

/** The query parameters of `listStages`, without `fields` and `include`. */
export type ListStagesQuery = {
  /** The maximum number of records on a page. A page of large records may have fewer records. */
  limit?: number | undefined;
  /** The `next_cursor` of the previous page. Send it with the same filters and the same `sort` to get the next page. */
  cursor?: string | undefined;
  /** The field to sort the list by. A minus sign before the field sorts in descending order. Records with the same value are sorted by id. */
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
  /** With `true`, `pagination` also contains `total`, the number of records that match the filters, and `total_relation`. */
  include_total?: boolean | undefined;
  /** Whether the list contains archived records. `exclude` leaves out archived records. `include` lists all records. `only` lists only archived records. While a record is archived, its `archived_at` is not null. */
  archived?: "exclude" | "include" | "only" | undefined;
  /** Finds records whose `id` is one of these values. */
  id?: OneOrMore<string> | undefined;
  /** Finds records whose `id` is none of these values. */
  "id[ne]"?: OneOrMore<string> | undefined;
  /** Finds records that belong to one of these pipelines. A deal belongs to the pipeline of its stage. In a search for deals, these pipelines together may have at most 100 stages that are not archived. */
  pipeline_id?: OneOrMore<string> | undefined;
  /** Finds records whose `pipeline_id` is none of these values. */
  "pipeline_id[ne]"?: OneOrMore<string> | undefined;
  /** Finds records whose `name` is one of these values. */
  name?: OneOrMore<string> | undefined;
  /** Finds records whose `name` is none of these values. */
  "name[ne]"?: OneOrMore<string> | undefined;
  /** `true` finds records without a value in `name`; `false` finds records with a value. */
  "name[empty]"?: boolean | undefined;
  /** Finds records with this text in `name`; case, accents and punctuation make no difference. One or two letters match only at the beginning of a word; a longer text matches anywhere. */
  "name[contains]"?: string | undefined;
  /** Finds records whose `position` is one of these values. */
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

/** The query parameters of `listTeams`, without `fields` and `include`. */
export type ListTeamsQuery = {
  /** The maximum number of records on a page. A page of large records may have fewer records. */
  limit?: number | undefined;
  /** The `next_cursor` of the previous page. Send it with the same filters and the same `sort` to get the next page. */
  cursor?: string | undefined;
  /** The field to sort the list by. A minus sign before the field sorts in descending order. Records with the same value are sorted by id. */
  sort?: "created_at" | "-created_at" | "updated_at" | "-updated_at" | "name" | "-name" | undefined;
  /** With `true`, `pagination` also contains `total`, the number of records that match the filters, and `total_relation`. */
  include_total?: boolean | undefined;
  /** Finds records whose `id` is one of these values. */
  id?: OneOrMore<string> | undefined;
  /** Finds records whose `id` is none of these values. */
  "id[ne]"?: OneOrMore<string> | undefined;
  /** Finds records whose `name` is one of these values. */
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

/** The query parameters of `listTemplates`, without `fields` and `include`. */
export type ListTemplatesQuery = {
  /** The maximum number of records on a page. A page of large records may have fewer records. */
  limit?: number | undefined;
  /** The `next_cursor` of the previous page. Send it with the same filters and the same `sort` to get the next page. */
  cursor?: string | undefined;
  /** The field to sort the list by. A minus sign before the field sorts in descending order. Records with the same value are sorted by id. */
  sort?: "name" | "-name" | "created_at" | "-created_at" | "updated_at" | "-updated_at" | undefined;
  /** With `true`, `pagination` also contains `total`, the number of records that match the filters, and `total_relation`. */
  include_total?: boolean | undefined;
  /** Finds records whose `id` is one of these values. */
  id?: OneOrMore<string> | undefined;
  /** Finds records whose `id` is none of these values. */
  "id[ne]"?: OneOrMore<string> | undefined;
  /** Finds records whose `name` is one of these values. */
  name?: OneOrMore<string> | undefined;
  /** Finds records whose `name` is none of these values. */
  "name[ne]"?: OneOrMore<string> | undefined;
  /** `true` finds records without a value in `name`; `false` finds records with a value. */
  "name[empty]"?: boolean | undefined;
  /** Finds records with this text in `name`; case, accents and punctuation make no difference. One or two letters match only at the beginning of a word; a longer text matches anywhere. */
  "name[contains]"?: string | undefined;
  /** Finds records whose `language` is one of these values. */
  language?: OneOrMore<string> | undefined;
  /** Finds records whose `language` is none of these values. */
  "language[ne]"?: OneOrMore<string> | undefined;
  /** Finds records whose `status` is one of these values. */
  status?: OneOrMore<string> | undefined;
  /** Finds records whose `status` is none of these values. */
  "status[ne]"?: OneOrMore<string> | undefined;
  /** Finds records whose `category` is one of these values. */
  category?: OneOrMore<string> | undefined;
  /** Finds records whose `category` is none of these values. */
  "category[ne]"?: OneOrMore<string> | undefined;
  /** `true` finds records without a value in `category`; `false` finds records with a value. */
  "category[empty]"?: boolean | undefined;
  /** Finds records whose `business_account_id` is one of these values. */
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

/** The query parameters of `listWebhookDeliveries`, without `fields` and `include`. */
export type ListWebhookDeliveriesQuery = {
  /** The maximum number of records on a page. A page of large records may have fewer records. */
  limit?: number | undefined;
  /** The `next_cursor` of the previous page. Send it with the same filters and the same `sort` to get the next page. */
  cursor?: string | undefined;
  /** Finds records whose `state` is one of these values. */
  state?: "waiting" | "delivered" | "failed" | "undelivered" | undefined;
  /** Finds records whose `type` is one of these values. */
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

/** The company and the API key that make the request. */
export type Me = {
  /** The API key's company. The key can access only this company's data. */
  company: OwnCompany;
  /** The API key that makes the request. */
  key: OwnKey;
  /** `local`: the service calls a WhatsApp API on its own machine, such as the sandbox of the local stack. `live`: the service calls another URL, so assume that every message reaches a person. */
  environment: "live" | "local";
  /** The limits for requests with this key. There is no hourly or daily quota. */
  limits: Limits;
};

/** A file that your company uploaded in order to send it. */
export type MediaUpload = {
  /** The id of the upload, for `media.id` of a reply and `header_media.id` of a template send. */
  id: string;
  /** The messaging account that can send the file. */
  phone_number_id: string;
  /** The type of a message that contains the file. */
  type: "image" | "video" | "audio" | "document";
  /** The content type of the file at the channel. For Ogg with Opus, it is always `audio/ogg; codecs=opus`. */
  mime_type: string;
  /** The size in bytes. */
  bytes: number;
  /** The SHA-256 digest of the file, in hexadecimal digits. */
  sha256: string;
  /** The name of the file. The recipient of a document sees this name. For any other kind of file, this is the name that you gave, or `null`. */
  filename: string | null;
  /** When the file was uploaded. */
  created_at: string;
  /** When the upload expires: 29 days after it was made. */
  expires_at: string;
};

/** A person who works in your company. */
export type Member = {
  /** The person's id. */
  readonly id: string;
  /** The company of the record, which is the company of the key. */
  readonly company_id: string;
  /** The person's name. `null` until a name is set. */
  name: string | null;
  /** The person's role in the company. */
  role: "owner" | "admin" | "agent";
  /** When the record was created. */
  readonly created_at: string;
  /** When the record was last changed. */
  readonly updated_at: string;
  /** A string of digits that is different after each change of the record. In double quotes, the version is the record's ETag. */
  readonly version: string;
};

/** The contact to merge into the contact in the path. */
export type Merging = {
  /** The id of the contact that is merged into the contact in the path. Afterwards the contact in `from` no longer exists. */
  from: string;
};

/** A message in a conversation. */
export type Message = {
  /** The id of the record. */
  readonly id: string;
  /** The company of the record, which is the company of the key. */
  readonly company_id: string;
  /** The message's conversation. */
  conversation_id: string;
  /** `inbound`: from the contact. `outbound`: from your company. */
  direction: "inbound" | "outbound";
  /** The message type, such as `text` or `image`. The record does not contain the file itself. */
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
  /** The author of the message. `null` if the platform wrote the message and named no author. */
  author: MessageAuthor | null;
  /** The content of the message: the text, a file's caption, or the label of the button that was tapped. For a template send, this is its `display_text`. An outbound message has at most 4,096 characters. */
  content: string;
  /** The text of a template send as the recipient sees it. `null` for any other message, and if the template's text was not known. */
  rendered_text: string | null;
  /** The status of an outbound message. `pending`: the channel's response is not known yet. `accepted`: the channel accepted the message. `sent`, `delivered`, `read`: the channel reported this status. `failed`: the channel did not accept or deliver the message, or never responded. `expired`: the message's lifetime ended, and the channel never reported its arrival. `null` for an inbound message. */
  status: "pending" | "accepted" | "sent" | "delivered" | "read" | "failed" | "expired" | null;
  /** The channel's id for the message. `null` until this id is known. */
  whatsapp_message_id: string | null;
  /** For an outbound message, when the channel sent the message to the contact, according to the channel. For an inbound message, when the contact sent the message. */
  readonly sent_at: string | null;
  /** When the message reached one of the contact's devices. May remain `null` for a message that was read. */
  readonly delivered_at: string | null;
  /** When the contact read or played the message. For an inbound message, when your company marked it as read. */
  readonly read_at: string | null;
  /** When the message failed, according to the channel. */
  readonly failed_at: string | null;
  /** When the message's lifetime ended, if the channel never reported its arrival. */
  readonly expired_at: string | null;
  /** Why the message failed, according to the channel. The reason remains even if the message arrives later. */
  failure: MessageFailure | null;
  /** The price category that the channel assigned to the message, such as `marketing`, `utility` or `service`. */
  price_category: string | null;
  /** How the channel charges for the message, such as `regular`, `free_customer_service` or `free_entry_point`. */
  price_type: string | null;
  /** For an inbound message, the object that the channel sent for this type of message, without the parts that are fields of this record. `{ "truncated": true }` when it is larger than 64 KiB. For a reply with buttons or a list, `interactive` has the buttons or the list in the channel's format. */
  payload: {
    [key: string]: unknown;
  } | null;
  /** The location that the contact sent. Present only for the type `location`. */
  location: MessageLocation | null;
  /** The contact cards that the contact sent. Present only for the type `contacts`. The cards do not create contacts. */
  contact_cards: ContactCard[] | null;
  /** The contact's choice. For the type `button`, this is a template's button. For the type `interactive`, this is a reply button or a list entry. `null` if the contact completed a form. */
  choice: MessageChoice | null;
  /** The details of the media file: the file that a person sent, the file of a reply, or your own file in a template's header. `null` for a template's approved sample. */
  media: MessageMedia | null;
  /** The id of the message that this message replies to, if this service has that message. */
  reply_to_id: string | null;
  /** The channel's id for the message that this message replies to. */
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
  /** A string of digits that is different after each change of the record. In double quotes, the version is the record's ETag. */
  readonly version: string;
};

/** Who wrote a message. */
export type MessageAuthor = {
  /** `person`: the contact of the conversation. `key`: an API key, with a template send or a free reply. `member`: a person who works in your company. `agent`: the platform's AI agent. `system`: the channel or the platform itself. For example, the channel reports that the contact has a new phone number. */
  type: "person" | "key" | "member" | "agent" | "system";
  /** The id of the contact, the key or the member, even after the key or the member was deleted. `null` if the author has no id. */
  id: string | null;
  /** The name of the author. For a contact, this is the current name; a new name does not change the message's `version`. For a key, a member or an agent, this is the name when the message was written. `null` if the author has no name. */
  name: string | null;
};

/** The button or the entry of a list that a person chose. */
export type MessageChoice = {
  /** `button`: a template's button. `button_reply`: a reply button. `list_reply`: a list entry. */
  type: "button" | "button_reply" | "list_reply";
  /** The id that your company gave the button or the list entry. For a template's button, this is the button's payload. */
  id: string | null;
  /** The label that the contact saw. */
  title: string | null;
  /** The description of the list entry. */
  description: string | null;
};

/** Why a message failed. */
export type MessageFailure = {
  /** The reason as a code of this API, such as `recipient_unreachable` or `window_closed`; `channel_error` for any other reason. */
  reason: string;
  /** The channel's error code. */
  code: number | null;
  /** The channel's error message. */
  message: string | null;
  /** Additional details from the channel. */
  details: string | null;
};

/** A location that a person sent. */
export type MessageLocation = {
  /** The latitude in degrees. */
  latitude: number;
  /** The longitude in degrees. */
  longitude: number;
  /** The name of the location. */
  name: string | null;
  /** The address of the location. */
  address: string | null;
  /** The web page of the location. */
  url: string | null;
};

/** The file of a message, such as an image. The channel stores the file itself. `GET /messages/{id}/media` returns a file that a person sent. */
export type MessageMedia = {
  /** For an inbound message, the channel's id for the file. For an outbound message, the id of your upload. `null` for a file that was sent from a URL. */
  id: string | null;
  /** The file's content type, such as `image/jpeg`. */
  mime_type: string | null;
  /** The SHA-256 hash of the file in hexadecimal digits. */
  sha256: string | null;
  /** The name of a document. */
  filename: string | null;
  /** Whether an audio file is a voice message. */
  voice: boolean | null;
  /** Whether a sticker is animated. */
  animated: boolean | null;
  /** The time until which the channel keeps the file. For an outbound message, the time until which you can send the upload. */
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

/** A field in which a repeat differs from the first request with the same key. */
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

/** A contact to create. A field that is left out has its default value. */
export type NewContact = {
  /** The person's phone number in E.164 format with a leading plus sign, exactly as it was sent. `null` if the channel hides the person's phone number. */
  phone: string;
  /** The contact's id in your own system. Two contacts that are not archived never have the same `external_id`. */
  external_id?: string | null;
  /** The person's name. */
  name?: string | null;
  /** The person's email address. */
  email?: string | null;
  /** How interested the person is. */
  temperature?: "cold" | "warm" | "hot";
  /** Labels for grouping contacts. */
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
  /** Whether marketing templates to this contact are blocked. Setting this field to `false` does not change `do_not_contact`. */
  marketing_opt_out?: boolean;
  /** Whether the contact is in use. */
  is_active?: boolean;
};

/** A deal to create. */
export type NewDeal = {
  /** The title of the deal. */
  title: string;
  /** The deal's contact. */
  contact_id: string;
  /** The stage that the deal is in. */
  stage_id: string;
  /** The deal's value, with at most two decimals. */
  value?: number | null;
  /** The deal's id in your own system. Two deals that are not archived never have the same `external_id`. */
  external_id?: string | null;
};

/** Deals to create or update. An invalid item does not make the other items fail. */
export type NewDealBatch = {
  /** The items to write. The service applies them in this order. */
  items: NewDeal[];
};

/** A pipeline to create. */
export type NewPipeline = {
  /** The pipeline's name. */
  name: string;
  /** The pipeline's position in the list: 0, 1, 2 and so on. A number higher than the last position means the last position. */
  position?: number;
  /** Whether the pipeline is the company's default pipeline. A company always has exactly one default pipeline. */
  is_default?: boolean;
};

/** A stage to create. */
export type NewStage = {
  /** The stage's pipeline. */
  pipeline_id: string;
  /** The stage's name. */
  name: string;
  /** The stage's position in its pipeline: 0, 1, 2 and so on. A number higher than the last position means the last position. */
  position?: number;
};

/** A webhook to create. */
export type NewWebhook = {
  /** The URL that receives the events. The URL must use `https`, port 443 or 8443, and a host name whose IP addresses are all on the public internet. */
  url: string;
  /** The event types: single types (`deal.won`), all types for a resource (`deal.*`), or all types (`*`). */
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
  /** `full`: an event contains the record's state when the event is delivered. `ids`: an event contains only the record's id. */
  payload?: "full" | "ids";
  /** The purpose of the webhook. Only your company sees this text. */
  description?: string | null;
};

/** An OpenAPI 3.1 document. */
export type OpenApi = {
  /** The OpenAPI version. */
  openapi: string;
  /** The API's name and version. */
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

/** An opt-out of a person that a member of your company lifted. */
export type OptOutLift = {
  /** The opt-out: `do_not_contact` or `marketing_opt_out`. */
  kind: string;
  /** The source of the opt-out. */
  source: string;
  /** When the person opted out. */
  asked_at: string;
  /** Why the member lifted the opt-out. `null` after the person was erased. */
  reason: string | null;
  /** When the member lifted the opt-out. */
  lifted_at: string;
};

/** The first text of a message that a person edited. */
export type OriginalContent = {
  /** The edited message. Its `content` is the newest text. */
  message_id: string;
  /** The text before the first edit. */
  content: string;
};

/** The API key's company. */
export type OwnCompany = {
  /** The company's id, which is the `company_id` of its records. */
  id: string;
  /** The company's name. */
  name: string;
};

/** The properties of the API key that makes the request. The key itself is never returned. */
export type OwnKey = {
  /** The API key's id. */
  id: string;
  /** The name that a user gave the key. */
  name: string;
  /** The key's scopes. */
  scopes: ("read" | "write" | "messaging" | "webhooks")[];
  /** The time at which the key expires. `null` if the key does not expire. */
  expires_at: string | null;
};

/** The position of this page in the list. */
export type Pagination = {
  /** The maximum number of records on a page. */
  limit: number;
  /** Whether there is another page. */
  has_more: boolean;
  /** The `cursor` of the next page. `null` on the last page. */
  next_cursor: string | null;
  /** The number of records that match the filters, up to 100,000. Present only with `include_total=true`. */
  total?: number;
  /** `eq`: the total is exact. `gte`: there are at least this many records. */
  total_relation?: "eq" | "gte";
};

/** A sales pipeline. */
export type Pipeline = {
  /** The id of the record. */
  readonly id: string;
  /** The company of the record, which is the company of the key. */
  readonly company_id: string;
  /** The pipeline's name. */
  name: string;
  /** The pipeline's position in the list: 0, 1, 2 and so on. A number higher than the last position means the last position. */
  position: number;
  /** Whether the pipeline is the company's default pipeline. A company always has exactly one default pipeline. */
  is_default: boolean;
  /** When the pipeline was archived. `null` while the pipeline is in use. */
  readonly archived_at: string | null;
  /** When the record was created. */
  readonly created_at: string;
  /** When the record was last changed. */
  readonly updated_at: string;
  /** A string of digits that is different after each change of the record. In double quotes, the version is the record's ETag. */
  readonly version: string;
};

/** Changes to a pipeline. */
export type PipelineChanges = {
  /** The pipeline's name. */
  name?: string;
  /** The pipeline's position in the list: 0, 1, 2 and so on. A number higher than the last position means the last position. */
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
  /** The pipeline's name. */
  name: string;
  /** The pipeline's position in the list: 0, 1, 2 and so on. A number higher than the last position means the last position. */
  position: number;
  /** Whether the pipeline is the company's default pipeline. A company always has exactly one default pipeline. */
  is_default: boolean;
  /** When the pipeline was archived. `null` while the pipeline is in use. */
  readonly archived_at: string | null;
  /** When the record was created. */
  readonly created_at: string;
  /** When the record was last changed. */
  readonly updated_at: string;
  /** A string of digits that is different after each change of the record. In double quotes, the version is the record's ETag. */
  readonly version: string;
  /** The pipeline's stages by position. Present only with `include=stages`. */
  stages?: Stage[];
};

/** The query parameters of `putContact`, without `fields` and `include`. */
export type PutContactQuery = {
  /** The field that identifies the contact: `phone`, in any format, or `external_id`. */
  match?: "phone" | "external_id" | undefined;
  /** What happens to a record that your company already has. `update`: the request's fields replace the record's fields. `merge`: like `update`, but `custom_fields` is merged key by key (`null` removes a key), and `tags` is added to the stored tags. `keep`: the request's fields fill only empty fields. `fail`: the record does not change, and the item gets a 409. */
  on_conflict?: "update" | "merge" | "keep" | undefined;
};

/** The event that will be delivered. */
export type QueuedEvent = {
  /** The event's id, which the receiver receives as `webhook-id`. */
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
  /** The fields that differ from the first request with this key. The response then also has the header `Idempotency-Mismatch`. The new values of these fields were not sent. Missing when nothing differs. */
  mismatch?: MismatchedField[];
};

/** The events to redeliver. */
export type Replay = {
  /** The start of the replay. Events at this time or later are replayed. The time must be within the last 30 days. */
  since: string;
  /** The end of the replay. Events before this time are replayed. The default is the time of the request. */
  until?: string;
  /** The event types to replay. The default is the webhook's types. */
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

/** The events that are being redelivered. */
export type Replaying = {
  /** The replay contains events from this time on. */
  since: string;
  /** The replay contains events before this time. */
  until: string;
  /** The replay contains events of these types. */
  types: string[];
};

/** The result of the request. */
export type ReplyAnswer = Sent | Repeat | DoNotContact | DryRun;

/** A button that the person can tap. */
export type ReplyButton = {
  /** Your own id for the choice. The person does not see it. */
  id: string;
  /** What the person sees. */
  title: string;
};

/** A list of choices, which opens when the person taps its button. */
export type ReplyList = {
  /** The button that opens the list. */
  button: string;
  /** The sections of the list. All sections together have at most ten rows, and each row has its own id. */
  sections: ReplyListSection[];
};

/** One choice of a list. */
export type ReplyListRow = {
  /** Your own id for the choice. The person does not see it. */
  id: string;
  /** What the person sees. */
  title: string;
  /** A line below the title. */
  description?: string;
};

/** A section of a list: choices that belong together. */
export type ReplyListSection = {
  /** The title of the section. Required when there are several sections. */
  title?: string;
  /** The choices in the section. */
  rows: ReplyListRow[];
};

/** The file of a reply: an upload, or a URL that the channel fetches itself. */
export type ReplyMedia = {
  /** The id of an upload of the conversation's phone number. */
  id?: string;
  /** An https URL that the channel fetches. A problem with the file is reported later: the message becomes `failed`. An upload is better. */
  link?: string;
  /** The kind of the file at `link`. */
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
    /** A key that you choose for this send. It never expires: a repeat with the same key sends nothing. A key of a template send cannot be used again for a free reply. */
    idempotency_key?: string;
    /** The file of the message. `media`, `buttons` and `list` cannot be combined. */
    media?: ReplyMedia;
    /** The id of the message that the reply refers to. It must be in the same conversation. The person sees that message above the reply. */
    reply_to_id?: string;
    /** Up to three buttons below the text. Each must have its own id and its own title. When the person taps a button, you receive a message of the type `interactive`. */
    buttons?: ReplyButton[];
    /** A list of up to ten choices. When the person selects a choice, you receive a message of the type `interactive`. */
    list?: ReplyList;
  }
  | unknown
  | unknown;

/** The query parameters of `search`, without `fields` and `include`. */
export type SearchQuery = {
  /** Finds records that have all of these words. Each word may be in a different field. Word order, case, accents and punctuation make no difference. A word of one or two letters matches only at the beginning of a word. A longer word matches anywhere. Numbers with 8 to 15 digits in total also find a contact by phone number, in any format and with or without the country code. */
  q: string;
  /** The maximum number of records on a page. A page of large records may have fewer records. */
  limit?: number | undefined;
  /** Whether the list contains archived records. `exclude` leaves out archived records. `include` lists all records. `only` lists only archived records. While a record is archived, its `archived_at` is not null. */
  archived?: "exclude" | "include" | "only" | undefined;
};

/** The options for a webhook's new secret. */
export type SecretRotation = {
  /** The number of hours during which events are also signed with the previous secret. */
  overlap_hours?: number;
};

/** The outcome of a message that your company sent. */
export type Send = {
  /** The id of the message that was sent. */
  message_id: string;
  /** The company of the record, which is the company of the key. */
  readonly company_id: string;
  /** The message's conversation. */
  conversation_id: string;
  /** The message's recipient. After a merge, this is the remaining contact. */
  contact_id: string;
  /** The idempotency key that the caller chose for the send. `null` if the caller sent no key. */
  idempotency_key: string | null;
  /** The API key that requested the send, even after the key was deleted. `null` if no API key requested the send. */
  api_key_id: string | null;
  /** `template`: a template was sent. `reply`: a free reply was sent. */
  kind: "template" | "reply";
  /** The template's name. `null` for a reply. */
  template_name: string | null;
  /** The template's language. `null` for a reply. */
  language_code: string | null;
  /** What the service knows about the call to the channel. `pending`: the call may be in progress. `sent`: the channel accepted the message. `failed`: the channel refused the message, or never responded. `released`: the channel definitely does not have the message, so a repeated request with the same idempotency key sends it again. */
  state: "pending" | "sent" | "failed" | "released";
  /** The `status` of the message, such as `delivered`. */
  status: "pending" | "accepted" | "sent" | "delivered" | "read" | "failed" | "expired";
  /** The number of times that the service sent the message to the channel. This number is greater than 1 if the send was released and repeated. */
  attempt: number;
  /** Why the send failed or was released. The reason remains even if the message arrives later. `outcome_unknown`: the channel never responded, and may have sent the message. */
  failure: MessageFailure | null;
  /** Whether the channel reported that the message was sent more than once. */
  double_sent: boolean;
  /** The channel's id for the message. `null` until this id is known. */
  whatsapp_message_id: string | null;
  /** The time after which a `pending` send counts as failed, unless its outcome is known earlier. */
  lease_ends_at: string | null;
  /** When the channel sent the message to the contact, according to the channel. */
  readonly sent_at: string | null;
  /** When the message reached one of the contact's devices. */
  readonly delivered_at: string | null;
  /** When the contact read the message. */
  readonly read_at: string | null;
  /** When the message failed, according to the channel. */
  readonly failed_at: string | null;
  /** When the message's lifetime ended, if the channel never reported its arrival. */
  readonly expired_at: string | null;
  /** When the send was first requested. */
  readonly created_at: string;
};

/** The result of the request. */
export type SendAnswer = Sent | Repeat | DoNotContact | MarketingOptOut | DryRun;

/** The query parameters of `sendExternalTemplate`, without `fields` and `include`. */
export type SendExternalTemplateQuery = {
  /** With `true`, the service checks the request like a real send, but sends and writes nothing. The response has the same errors as a real send. */
  dry_run?: boolean | undefined;
};

/** The query parameters of `sendReply`, without `fields` and `include`. */
export type SendReplyQuery = {
  /** With `true`, the service checks the request like a real send, but sends and writes nothing. The response has the same errors as a real send. */
  dry_run?: boolean | undefined;
};

/** A template to send. */
export type SendRequest = {
  /** The recipient's phone number in E.164 format with a leading plus sign. */
  phone: string;
  /** The name of the approved template. */
  template_name: string;
  /** The language of the template, such as `pt_BR` or `en`. */
  language_code: string;
  /** The text that the conversation shows and the AI agent reads, stored byte for byte. The text can differ from the rendered template. */
  display_text: string;
  /** The values of `{{1}}`, `{{2}}`, … in the body of the template. */
  body_variables?: string[];
  /** The values of the variables in a text header. */
  header_variables?: string[];
  /** The values of the buttons that need a value, in the order of the buttons: the end of a button's URL, or a code to copy. The code of an authentication template goes into `body_variables` only. */
  button_variables?: string[];
  /** The connected messaging account that sends the message. Required when the company has more than one. */
  phone_number_id?: string;
  /** The name for a new contact. An existing contact keeps its name. */
  contact_name?: string;
  /** A key that you choose for this send. It never expires: a repeat with the same key sends nothing. A good form is `<purpose>-<contact>-<date>`. */
  idempotency_key?: string;
  /** The kind of media in the header of the approved template. This kind becomes the type of the stored message. The service supplies the media, even when this field is left out. With this field, `header_variables` must be left out or empty. */
  template_header_type?: "image" | "video" | "document";
  /** Your own file for the media header, such as an invoice, in place of the approved sample. The file must be of the header's kind. */
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

/** A step in a pipeline. */
export type Stage = {
  /** The id of the record. */
  readonly id: string;
  /** The company of the record, which is the company of the key. */
  readonly company_id: string;
  /** The stage's pipeline. */
  pipeline_id: string;
  /** The stage's name. */
  name: string;
  /** The stage's position in its pipeline: 0, 1, 2 and so on. A number higher than the last position means the last position. */
  position: number;
  /** When the stage was archived. `null` while the stage is in use. */
  readonly archived_at: string | null;
  /** When the record was created. */
  readonly created_at: string;
  /** When the record was last changed. */
  readonly updated_at: string;
  /** A string of digits that is different after each change of the record. In double quotes, the version is the record's ETag. */
  readonly version: string;
};

/** Changes to a stage. */
export type StageChanges = {
  /** The stage's pipeline. */
  pipeline_id?: string;
  /** The stage's name. */
  name?: string;
  /** The stage's position in its pipeline: 0, 1, 2 and so on. A number higher than the last position means the last position. */
  position?: number;
};

/** A team in your company. */
export type Team = {
  /** The id of the record. */
  readonly id: string;
  /** The company of the record, which is the company of the key. */
  readonly company_id: string;
  /** The team's name. */
  name: string;
  /** When the record was created. */
  readonly created_at: string;
  /** When the record was last changed. */
  readonly updated_at: string;
  /** A string of digits that is different after each change of the record. In double quotes, the version is the record's ETag. */
  readonly version: string;
};

/** A message template of your company, as it was last read from the channel. */
export type Template = {
  /** The id of the record. */
  readonly id: string;
  /** The company of the record, which is the company of the key. */
  readonly company_id: string;
  /** The WhatsApp Business account that owns the template. */
  business_account_id: string;
  /** The connected messaging accounts that can send the template. */
  phone_number_ids: string[];
  /** The template's name. The same name may exist in several languages, each with its own text. */
  name: string;
  /** The template's language, such as `pt_BR` or `en`. */
  language: string;
  /** The template's state, as the channel reports it, such as `APPROVED`, `PENDING`, `REJECTED`, `PAUSED` or `DISABLED`. `DELETED`: the channel no longer lists the template. */
  status: string;
  /** The channel's category: `MARKETING`, `UTILITY` or `AUTHENTICATION`. */
  category: string | null;
  /** The new category that the channel has announced for the template. `null` if the channel has announced no change. */
  upcoming_category: string | null;
  /** The template's quality rating, which depends on recipients' feedback: `GREEN`, `YELLOW`, `RED` or `UNKNOWN`. */
  quality: string | null;
  /** The channel's code for the reason why it rejected the template. */
  rejected_reason: string | null;
  /** Whether the template's variables have numbers or names. In both cases, a send lists the values in order. */
  parameter_format: "POSITIONAL" | "NAMED";
  /** The template's components as the channel lists them, without media URLs. */
  components: {
    [key: string]: unknown;
  }[];
  /** The variables, in the order in which a send lists their values. */
  variables: TemplateVariables;
  /** The values that a send of this template must provide. */
  send: TemplateNeeds;
  /** Whether at least one of `phone_number_ids` can send the template now, as far as this service knows. */
  can_be_sent: boolean;
  /** The reasons why the template cannot be sent now, as text. An empty list if the template can be sent. A failed upload of the header's media is a reason only if none of `phone_number_ids` has the media. */
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
  /** The button's position in the template, starting at 0. */
  index: number;
  /** `url`: the value is the last part of the button's URL. `copy_code`: the value is the code to copy. */
  kind: "url" | "copy_code";
  /** The label of the button. */
  text: string;
  /** The example value that the template had when it was submitted to the channel. */
  example: string | null;
};

/** The values that a template send must provide. */
export type TemplateNeeds = {
  /** The kind of media in the header. `null` if the header has no media. The service provides the media file. A send may leave out `template_header_type`, but must not name a different kind. */
  template_header_type: "image" | "video" | "document" | null;
  /** The number of values that `header_variables` must have. */
  header_variables: number;
  /** The number of values that `body_variables` must have. */
  body_variables: number;
  /** The number of values that `button_variables` must have. */
  button_variables: number;
};

/** A template variable. */
export type TemplateVariable = {
  /** The variable's number, or its name if `parameter_format` is `NAMED`. */
  name: string;
  /** The example value that the template had when it was submitted to the channel. */
  example: string | null;
};

/** A template's variables. */
export type TemplateVariables = {
  /** The variables in a text header. A send provides their values in `header_variables`. */
  header: TemplateVariable[];
  /** The variables in the body. A send provides their values in `body_variables`. */
  body: TemplateVariable[];
  /** The buttons that need a value. A send provides these values in `button_variables`. */
  buttons: TemplateButton[];
};

/** A point in time: a `Date`, or a string in ISO 8601 format. `2026-11-22` means the beginning of that day in UTC. */
export type Time = string | Date;

/** The query parameters of `updateContacts`, without `fields` and `include`. */
export type UpdateContactsQuery = {
  /** With `true`, either all items are written or none. If no items are written, the response is the error of the first item that cannot be written. `details` names the item's invalid fields, such as `items.3.phone`. */
  atomic?: boolean | undefined;
};

/** The query parameters of `updateDeals`, without `fields` and `include`. */
export type UpdateDealsQuery = {
  /** With `true`, either all items are written or none. If no items are written, the response is the error of the first item that cannot be written. `details` names the item's invalid fields, such as `items.3.phone`. */
  atomic?: boolean | undefined;
};

/** The query parameters of `uploadMedia`, without `fields` and `include`. */
export type UploadMediaQuery = {
  /** Finds conversations on one of these messaging accounts, or templates that one of these accounts can send. */
  phone_number_id?: string | undefined;
  /** Finds records whose `filename` is one of these values. */
  filename?: string | undefined;
};

/** A URL that receives your company's events. */
export type Webhook = {
  /** The id of the record. */
  readonly id: string;
  /** The company of the record, which is the company of the key. */
  readonly company_id: string;
  /** The URL that receives the events. The URL must use `https`, port 443 or 8443, and a host name whose IP addresses are all on the public internet. */
  url: string;
  /** The event types: single types (`deal.won`), all types for a resource (`deal.*`), or all types (`*`). */
  types: string[];
  /** `full`: an event contains the record's state when the event is delivered. `ids`: an event contains only the record's id. */
  payload: "full" | "ids";
  /** The purpose of the webhook. Only your company sees this text. */
  description: string | null;
  /** `on`: events are delivered. `catching_up`: events are delivered, but the service is still reading older events from the log. `paused`: events wait. `off`: events do not wait and are not delivered. */
  state: "on" | "catching_up" | "paused" | "off";
  /** Why the webhook is paused or off. `failing`: no event arrived for three days. `gone`: the receiver returned a 410. `key_ended`: the webhook's key was switched off, expired, was deleted or was replaced without an overlap. `by_key`, `by_person`, `by_platform`: an API key, a user or the operator paused the webhook. */
  readonly why: "failing" | "gone" | "key_ended" | "by_person" | "by_key" | "by_platform" | null;
  /** The key that the webhook depends on. This is the last key that created the webhook, changed its `url`, or switched it on after it was `off`. After a rotation of that key with an overlap, this is the new key. When this key is switched off, expires or is deleted, or a rotation without an overlap ends it, the webhook is switched off. `null` for a webhook that a user created or switched on, because such a webhook depends on no key. */
  readonly created_by_key_id: string | null;
  /** The user who created the webhook on the settings page, or who last switched it on there after it was `off`. `null` if a key did this. */
  readonly created_by: string | null;
  /** The time of the first failed delivery since the last success. `null` while events arrive. If the webhook was switched off while events were waiting, or after deliveries failed, this is at the latest the time when the oldest of these events happened. */
  readonly failing_since: string | null;
  /** If several consecutive deliveries have failed, the time of the next attempt. Otherwise `null` or a time in the past. */
  readonly paused_until: string | null;
  /** When the webhook was switched off. `null` if the webhook is not off. */
  readonly switched_off_at: string | null;
  /** The time until which events are also signed with a previous secret. `null` if only one secret is in use. */
  readonly previous_secret_ends_at: string | null;
  /** When an event last arrived. `null` if no event has arrived yet. */
  readonly last_success_at: string | null;
  /** The number of events that are waiting for this webhook, counted up to 10,000. */
  readonly open_deliveries: number;
  /** When the record was created. */
  readonly created_at: string;
  /** When the webhook was last changed. */
  readonly updated_at: string;
};

/** Changes to a webhook. */
export type WebhookChanges = {
  /** The URL that receives the events. The URL must use `https`, port 443 or 8443, and a host name whose IP addresses are all on the public internet. */
  url?: string;
  /** The event types: single types (`deal.won`), all types for a resource (`deal.*`), or all types (`*`). */
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
  /** `full`: an event contains the record's state when the event is delivered. `ids`: an event contains only the record's id. */
  payload?: "full" | "ids";
  /** The purpose of the webhook. Only your company sees this text. */
  description?: string | null;
  /** `on`: events are delivered. `catching_up`: events are delivered, but the service is still reading older events from the log. `paused`: events wait. `off`: events do not wait and are not delivered. */
  state?: "on" | "paused";
};

/** A webhook with its secret. */
export type WebhookWithSecret = {
  /** The id of the record. */
  readonly id: string;
  /** The company of the record, which is the company of the key. */
  readonly company_id: string;
  /** The URL that receives the events. The URL must use `https`, port 443 or 8443, and a host name whose IP addresses are all on the public internet. */
  url: string;
  /** The event types: single types (`deal.won`), all types for a resource (`deal.*`), or all types (`*`). */
  types: string[];
  /** `full`: an event contains the record's state when the event is delivered. `ids`: an event contains only the record's id. */
  payload: "full" | "ids";
  /** The purpose of the webhook. Only your company sees this text. */
  description: string | null;
  /** `on`: events are delivered. `catching_up`: events are delivered, but the service is still reading older events from the log. `paused`: events wait. `off`: events do not wait and are not delivered. */
  state: "on" | "catching_up" | "paused" | "off";
  /** Why the webhook is paused or off. `failing`: no event arrived for three days. `gone`: the receiver returned a 410. `key_ended`: the webhook's key was switched off, expired, was deleted or was replaced without an overlap. `by_key`, `by_person`, `by_platform`: an API key, a user or the operator paused the webhook. */
  readonly why: "failing" | "gone" | "key_ended" | "by_person" | "by_key" | "by_platform" | null;
  /** The key that the webhook depends on. This is the last key that created the webhook, changed its `url`, or switched it on after it was `off`. After a rotation of that key with an overlap, this is the new key. When this key is switched off, expires or is deleted, or a rotation without an overlap ends it, the webhook is switched off. `null` for a webhook that a user created or switched on, because such a webhook depends on no key. */
  readonly created_by_key_id: string | null;
  /** The user who created the webhook on the settings page, or who last switched it on there after it was `off`. `null` if a key did this. */
  readonly created_by: string | null;
  /** The time of the first failed delivery since the last success. `null` while events arrive. If the webhook was switched off while events were waiting, or after deliveries failed, this is at the latest the time when the oldest of these events happened. */
  readonly failing_since: string | null;
  /** If several consecutive deliveries have failed, the time of the next attempt. Otherwise `null` or a time in the past. */
  readonly paused_until: string | null;
  /** When the webhook was switched off. `null` if the webhook is not off. */
  readonly switched_off_at: string | null;
  /** The time until which events are also signed with a previous secret. `null` if only one secret is in use. */
  readonly previous_secret_ends_at: string | null;
  /** When an event last arrived. `null` if no event has arrived yet. */
  readonly last_success_at: string | null;
  /** The number of events that are waiting for this webhook, counted up to 10,000. */
  readonly open_deliveries: number;
  /** When the record was created. */
  readonly created_at: string;
  /** When the webhook was last changed. */
  readonly updated_at: string;
  /** The secret that is used to sign the events: `whsec_` followed by base64. Store it where your receiver can read it. Only a repeat with the same `Idempotency-Key`, within 24 hours, returns it again. */
  readonly secret: string;
};

/** The query parameters of `writeContacts`, without `fields` and `include`. */
export type WriteContactsQuery = {
  /** With `true`, either all items are written or none. If no items are written, the response is the error of the first item that cannot be written. `details` names the item's invalid fields, such as `items.3.phone`. */
  atomic?: boolean | undefined;
  /** The field that identifies the contact: `phone`, in any format, or `external_id`. */
  match?: "phone" | "external_id" | undefined;
  /** What happens to a record that your company already has. `update`: the request's fields replace the record's fields. `merge`: like `update`, but `custom_fields` is merged key by key (`null` removes a key), and `tags` is added to the stored tags. `keep`: the request's fields fill only empty fields. `fail`: the record does not change, and the item gets a 409. */
  on_conflict?: "update" | "merge" | "keep" | "fail" | undefined;
};
