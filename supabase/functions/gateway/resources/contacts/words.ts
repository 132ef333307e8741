import { type FieldsOf, ROW, type Words } from "../../../_shared/http/api_words.ts";
import { batch } from "../../records/words.ts";
import type {
  ContactExport,
  ContactFormerPhone,
  ContactIdentity,
  ContactIdentityEvent,
  ContactWindow,
  ContactWishes,
  OptOutLift,
  OriginalContent,
} from "./export_row.ts";
import type { Contact } from "./row.ts";

const contact: FieldsOf<typeof Contact> = {
  ...ROW,
  external_id:
    "The contact's id in your own system. Two contacts that are not archived never have the same " +
    "`external_id`.",
  name: "The person's name.",
  email: "The person's email address.",
  phone:
    "The person's phone number in E.164 format with a leading plus sign, exactly as it was sent. " +
    "`null` if the channel hides the person's phone number.",
  temperature: "How interested the person is.",
  tags: "Labels for grouping contacts.",
  source: "Where the contact came from.",
  job_title: "The person's job.",
  empresa: "The company that the person works for.",
  custom_fields: "Your own fields: any JSON object.",
  do_not_contact: "Whether sends to this contact are blocked.",
  do_not_contact_source:
    "Who last set `do_not_contact`. `manual`: a user or an API key of your company. `word`: the " +
    "contact, with a message such as `stop` or `start`. `null`: `do_not_contact` has never been " +
    "set.",
  do_not_contact_at:
    "When `do_not_contact` was last set. `null` if it was never set or the time is unknown.",
  marketing_opt_out:
    "Whether marketing templates to this contact are blocked. Setting this field to " +
    "`false` does not change `do_not_contact`.",
  marketing_opt_out_source:
    "How the contact opted out of marketing. `button`: the contact tapped a button. `word`: the " +
    "contact sent a message such as `stop promotions`. `preference`: the contact changed a " +
    "setting in WhatsApp. `status`: the channel reported the opt-out when it refused a message. " +
    "`manual`: a user or an API key of your company set it. `null`: the contact has not opted " +
    "out.",
  marketing_opt_out_at:
    "When the contact opted out of marketing templates. `null` if the contact never opted out, " +
    "or has allowed these templates again.",
  is_active: "Whether the contact is in use.",
  archived_at: "When the contact was archived. `null` if the contact is not archived.",
  erased_at: "When the person was erased. `null` if the person was not erased.",
};

const included = {
  deals: "The contact's newest deals. Present only with `include=deals`.",
  conversations: "The contact's newest conversations. Present only with `include=conversations`.",
};

const changes = {
  ...contact,
  add_tags:
    "Tags to add to the stored tags. The stored tags remain. Do not combine `add_tags` with " +
    "`tags`. A tag that is also in `remove_tags` is added.",
  remove_tags: "Tags to remove from the stored tags. Do not combine `remove_tags` with `tags`.",
};

/** The descriptions of contacts in the OpenAPI document. */
export const words = {
  operations: {
    listContacts: {
      tag: "Contacts",
      summary: "List contacts",
      description:
        "Lists your company's contacts, newest first unless `sort` says otherwise. `q` searches " +
        "`name`, `email`, `phone` and `empresa`.",
    },
    listContactChanges: {
      tag: "Contacts",
      summary: "List changes of contacts",
      description:
        "Lists your company's contacts that were created, changed or deleted after the cursor. A " +
        "deleted contact is returned as a `DeletedRow`. All other contacts are returned in their " +
        "current state. " +
        'The section "Keep a copy in step" says how to use this list.',
    },
    getContact: {
      tag: "Contacts",
      summary: "Get a contact",
      description: "Returns one of your company's contacts by id.",
    },
    createContact: {
      tag: "Contacts",
      summary: "Create a contact",
      description:
        "Creates a contact. If your company already has a contact with this phone number, in any " +
        "format, or with this `external_id`, the request returns a 409 with the id of that " +
        "contact.",
    },
    putContact: {
      tag: "Contacts",
      summary: "Create or update a contact",
      description:
        "Creates a contact (201). If your company already has a contact with this phone number, " +
        "in any format, the request updates that contact instead (200). An existing contact " +
        "keeps its stored phone number. With `match=external_id`, the request finds the contact " +
        "by its `external_id` instead, and writes `phone` like any other field. A field that is " +
        "left out keeps its value. In a new contact, a field that is left out has its default " +
        "value. `null` clears a field that may be null. If nothing changes, the contact keeps " +
        "its `version`. If many such requests arrive at the same time, only one of them creates " +
        "the contact.",
    },
    writeContacts: {
      tag: "Contacts",
      summary: "Create or update many contacts",
      description:
        "Creates or updates up to 500 contacts, each as `PUT /contacts` does. Each item contains " +
        "the `phone` of its contact. With `match=external_id`, each item also contains the " +
        "`external_id`. `on_conflict` says what happens to contacts that your company already " +
        "has. Each item is checked separately, and `data` has one result for each item, in the " +
        "order of the items. Two items for the same contact are applied one after the other. " +
        "With `atomic=true`, either all items are written or no items are. If the contacts are " +
        "too large for one response, they are returned without `custom_fields`.",
    },
    updateContacts: {
      tag: "Contacts",
      summary: "Update many contacts",
      description:
        "Updates up to 500 contacts. Each item contains the `id` of its contact and the fields " +
        "to change. Each item is a JSON Merge Patch with either content type, so `custom_fields` " +
        "is merged. Each item is checked separately, and `data` has one result for each item, in " +
        "the order of the items. Two items for the same contact are applied one after the other. " +
        "With `atomic=true`, either all contacts are updated or no contacts are. If the contacts " +
        "are too large for one response, they are returned without `custom_fields`.",
    },
    updateContact: {
      tag: "Contacts",
      summary: "Update a contact",
      description:
        "Updates a contact. `phone` is required. A field that is left out keeps its value. " +
        "`null` clears a field that may be null. `add_tags` and `remove_tags` change the stored " +
        "tags, so simultaneous requests lose no tag. With the content type " +
        "`application/merge-patch+json`, `phone` may also be left out, and `custom_fields` is " +
        "merged instead of replaced.",
    },
    archiveContact: {
      tag: "Contacts",
      summary: "Archive a contact",
      description:
        "Archives a contact. Lists and searches then contain it only with `archived=include` or " +
        "`archived=only`, and you can create a new contact with its phone number. The contact " +
        "keeps its deals and conversations. If the person asked not to be contacted, sends to " +
        "this phone number remain blocked. Archiving the contact again changes nothing.",
    },
    restoreContact: {
      tag: "Contacts",
      summary: "Restore a contact",
      description:
        "Restores an archived contact unchanged, and returns it. If another contact now has its " +
        "phone number or its `external_id`, or is now the same person, the request returns a " +
        "409 with the id of that contact. A contact that is not archived is returned unchanged.",
    },
    mergeContact: {
      tag: "Contacts",
      summary: "Merge two contacts",
      description:
        "Merges two contacts of the same person. The contact in the path remains, and receives " +
        "the deals, conversations, messages and sends of `from`. It has the tags of both " +
        "contacts, and its empty fields are filled with the values of `from`. A name that your " +
        "company set replaces a name that came from WhatsApp, and of two names that came from " +
        "WhatsApp, the earlier one stays. If `do_not_contact` is `true` for one of the contacts, " +
        "it is `true` for the remaining contact, unless the person wrote START after STOP. The " +
        "remaining contact keeps the phone number of `from` as an additional phone number. From " +
        "then on, a `GET` with the id of `from` returns the remaining contact, with " +
        "`merged_into`. " +
        "A write with the id of `from` returns a 409 with the id of the remaining contact. " +
        "Merging again returns the same response.",
    },
    exportContact: {
      tag: "Contacts",
      summary: "Export the data that is stored about a person",
      description:
        "Returns the data that the service stores about the person, as one JSON document. It " +
        "contains the contact, the person's message preferences, ids and former phone numbers, " +
        "the windows for free replies, and the deals, conversations, messages and sends. The " +
        "service streams the document. If the final brace is missing, the document is " +
        "incomplete: send the request again.",
    },
    eraseContact: {
      tag: "Contacts",
      summary: "Erase a person",
      description:
        "Permanently erases the data that identifies a contact's person: name, phone number, " +
        "email address, custom fields, the content of all messages, the channel's ids for the " +
        "person, and the channel's stored events about the person. The records remain, with " +
        "their ids, times, states, amounts and counts. `confirm` must be the id in the path. " +
        "Erasing cannot be undone. Erasing again returns the same response.",
    },
  },
  schemas: {
    Contact: "A person that the company talks to.",
    NewContact: "A contact to create. A field that is left out has its default value.",
    ContactChanges: "Changes to a contact.",
    ContactWithIncluded:
      "A person that the company talks to, with the records that `include` adds.",
    IncludedDeals: "A contact's newest deals, newest first.",
    IncludedConversations: "A contact's newest conversations, newest first.",
    ContactById: "A contact. The id in the path is its own id, or the id of a contact that was " +
      "merged into it.",
    ContactToPut:
      "A contact to create or update. In an existing contact, a field that is left out keeps its " +
      "value. In a new contact, a field that is left out has its default value.",
    ContactPatchById:
      "Changes to the contact with this id, as a JSON Merge Patch: `custom_fields` is merged, " +
      "and `null` removes a value.",
    ContactWithoutCustomFields:
      "A contact in a response that would be too large with `custom_fields`.",
    ContactBatch: "Contacts to write. An invalid item does not make the other items fail.",
    ContactPatchBatch: "Changes to contacts. An invalid item does not make the other items fail.",
    ContactPatch:
      "A JSON Merge Patch (RFC 7396) of a contact: a field that is left out keeps its value, " +
      "`null` removes a value, and `custom_fields` is merged key by key, at every level.",
    ContactExport: "The data that the service stores about a person.",
    ContactWishes: "Which kinds of messages a person allows.",
    ContactIdentity: "An id that the channel assigned to a person.",
    ContactFormerPhone:
      "A phone number that a person used earlier, or that came from a merged contact.",
    ContactIdentityEvent: "A change to a person's phone number or id, as the channel reported it.",
    ContactWindow:
      "The time until which your company may send free replies to a person, for one account.",
    OptOutLift: "An opt-out of a person that a member of your company lifted.",
    OriginalContent: "The first text of a message that a person edited.",
    Merging: "The contact to merge into the contact in the path.",
    Erasing: "Confirms that the person should be erased.",
  },
  fields: {
    Contact: contact,
    NewContact: contact,
    ContactChanges: changes,
    ContactPatch: changes,
    ContactPatchById: changes,
    ContactWithIncluded: { ...contact, ...included },
    IncludedDeals: {
      data: "Up to 10 deals.",
      has_more: "Whether the contact has more deals. `GET /deals?contact_id=` lists all of them.",
    },
    IncludedConversations: {
      data: "Up to 10 conversations.",
      has_more:
        "Whether the contact has more conversations. `GET /conversations?contact_id=` lists " +
        "all of them.",
    },
    ContactById: {
      ...contact,
      ...included,
      merged_into:
        "If you requested a contact that was merged into this contact, the id of this contact. " +
        "Otherwise left out.",
    },
    ContactToPut: contact,
    ContactWithoutCustomFields: contact,
    ContactBatch: batch,
    ContactPatchBatch: batch,
    ContactExport: {
      contact: "The contact.",
      wishes:
        "Which kinds of messages the person allows, and when the person allowed or refused them.",
      opt_out_lifts: "The person's opt-outs that members of your company lifted.",
      identities: "The ids that the channel assigned to the person.",
      former_phones:
        "Phone numbers that the person used earlier, or that came from merged contacts.",
      identity_events:
        "The changes to the person's phone numbers and ids, as the channel reported them.",
      windows:
        "The times until which your company may send free replies to the person, one for each account.",
      deals: "The person's deals.",
      conversations: "The conversations with the person.",
      messages: "The messages of these conversations, one conversation after the other.",
      original_contents: "The first texts of the messages that the person edited.",
      sends: "The outcome of each message that your company sent to the person with this API.",
    } satisfies FieldsOf<typeof ContactExport>,
    Merging: {
      from: "The id of the contact that is merged into the contact in the path. Afterwards the " +
        "contact in `from` no longer exists.",
    },
    Erasing: { confirm: "The id of the contact again, because erasing cannot be undone." },
    ContactWishes: {
      do_not_contact: contact.do_not_contact,
      do_not_contact_source: contact.do_not_contact_source,
      do_not_contact_at: contact.do_not_contact_at,
      stop_word_at: "When the person last sent a word such as `stop`.",
      start_word_at: "When the person last sent a word such as `start`.",
      marketing_stopped_at: "When the person last opted out of marketing messages.",
      marketing_stop_source:
        "How the person last opted out of marketing messages. The possible values are the same " +
        "as for the contact's `marketing_opt_out_source`.",
      marketing_resumed_at: "When the person most recently allowed marketing messages again.",
      marketing_opt_out_at: contact.marketing_opt_out_at,
    } satisfies FieldsOf<typeof ContactWishes>,
    ContactIdentity: {
      user_id: "The id that the channel assigned to the person for your company.",
      business_account_id:
        "The WhatsApp Business account for which the channel first reported the id.",
      seen_at: "When the id was first seen.",
    } satisfies FieldsOf<typeof ContactIdentity>,
    ContactFormerPhone: {
      phone: "The phone number.",
      until:
        "When the person stopped using the phone number. `null` for an additional phone number " +
        "that the person still uses.",
    } satisfies FieldsOf<typeof ContactFormerPhone>,
    ContactIdentityEvent: {
      kind: "What the channel reported. `phone_changed`: the person has a new phone number. " +
        "`user_id_changed`: the person has a new id. `phone_taken`: the new phone number belongs " +
        "to another contact. `merged`: another contact was the same person, and `was` contains " +
        "that contact's id.",
      was: "The previous phone number or id.",
      becomes: "The new phone number or id.",
      happened_at: "When the change happened.",
    } satisfies FieldsOf<typeof ContactIdentityEvent>,
    ContactWindow: {
      account_id: "Your company's messaging account.",
      last_inbound_at: "When the person last wrote a message that opened the window.",
      closed_at: "When the channel last reported that the window is closed.",
      expires_at: "The time until which your company may send free replies.",
    } satisfies FieldsOf<typeof ContactWindow>,
    OptOutLift: {
      kind: "The opt-out: `do_not_contact` or `marketing_opt_out`.",
      source: "The source of the opt-out.",
      asked_at: "When the person opted out.",
      reason: "Why the member lifted the opt-out. `null` after the person was erased.",
      lifted_at: "When the member lifted the opt-out.",
    } satisfies FieldsOf<typeof OptOutLift>,
    OriginalContent: {
      message_id: "The edited message. Its `content` is the newest text.",
      content: "The text before the first edit.",
    } satisfies FieldsOf<typeof OriginalContent>,
  },
} satisfies Words;
