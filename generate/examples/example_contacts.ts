import type { OperationId } from "../openapi/functions.ts";
import { contact } from "./demo_ids.ts";
import type { ExampleRequest } from "./example_request.ts";

// The example requests that change contacts.

/** The requests that create, update, archive and restore contacts. */
export const CONTACT_WRITES = {
  createContact: [
    {
      name: "created",
      summary: "A new contact",
      body: { phone: "+14155550123", name: "Ada Lovelace", tags: ["newsletter"] },
    },
    {
      name: "exists",
      summary: "The phone number already belongs to a contact",
      body: { phone: "+552190000001", name: "João Gonçalves" },
    },
  ],
  putContact: [
    {
      name: "put",
      summary: "No contact has this phone number, so the request creates a contact",
      body: { phone: "+14155550124", name: "Charles Babbage" },
    },
    {
      name: "putAgain",
      summary: "The phone number already belongs to a contact: the given fields are updated",
      body: { phone: "+14155550124", temperature: "hot" },
    },
    {
      name: "putMerged",
      summary: "Custom fields are merged, and the new tags are added",
      query: { on_conflict: "merge" },
      body: { phone: "+14155550124", tags: ["vip"], custom_fields: { plan: "gold" } },
    },
    {
      name: "kept",
      summary: "Only empty fields are filled",
      query: { on_conflict: "keep" },
      body: { phone: "+14155550124", name: "Mr Babbage", empresa: "Royal Society" },
    },
    {
      name: "putByOwnId",
      summary: "The contact with this `external_id` is updated, or created if there is none",
      query: { match: "external_id" },
      body: { external_id: "shop-1815", phone: "+14155550128", name: "Annabella Byron" },
    },
    {
      name: "putSince",
      summary: "The contact has changed since it was read",
      ifMatch: '"1"',
      body: { phone: "+14155550124", temperature: "cold" },
    },
  ],
  writeContacts: [
    {
      name: "written",
      summary: "One contact is created, and one is updated",
      query: { on_conflict: "update" },
      body: {
        items: [
          { phone: "+14155550125", name: "Mary Somerville" },
          { phone: "+14155550124", job_title: "Engineer" },
        ],
      },
    },
    {
      name: "writtenInPart",
      summary: "One contact is created, and one item fails because the contact already exists",
      body: {
        items: [
          { phone: "+14155550126", name: "Sophie Germain" },
          { phone: "+14155550124", job_title: "Engineer" },
        ],
      },
    },
    {
      name: "noneWritten",
      summary: "All or none: one contact already exists",
      query: { atomic: "true" },
      body: { items: [{ phone: "+14155550127" }, { phone: "+14155550124" }] },
    },
  ],
  updateContacts: [
    {
      name: "patched",
      summary: "One contact is updated; the other contact does not exist",
      contentType: "application/merge-patch+json",
      body: {
        items: [
          { id: contact(4), custom_fields: { plan: "platinum" } },
          { id: contact(9999), temperature: "cold" },
        ],
      },
    },
    {
      name: "tagged",
      summary: "Add a tag to one contact, and remove the tag from another contact",
      body: {
        items: [
          { id: contact(4), add_tags: ["vip"] },
          { id: contact(5), remove_tags: ["vip"] },
        ],
      },
    },
    {
      name: "nonePatched",
      summary: "All or none: another contact has one of the phone numbers",
      query: { atomic: "true" },
      body: {
        items: [
          { id: contact(4), temperature: "cold" },
          { id: contact(5), phone: "+14155550124" },
        ],
      },
    },
  ],
  updateContact: [
    {
      name: "updated",
      summary: "Set the temperature and clear the job title",
      params: { id: contact(4) },
      body: { phone: "+12025550101", temperature: "hot", job_title: null },
    },
    {
      name: "merged",
      summary: "Set one custom field and remove another",
      params: { id: contact(4) },
      contentType: "application/merge-patch+json",
      body: { custom_fields: { plan: "gold", trial_ends: null } },
    },
    {
      name: "tagged",
      summary: "Add one tag and remove another",
      params: { id: contact(4) },
      contentType: "application/merge-patch+json",
      body: { add_tags: ["vip"], remove_tags: ["trial"] },
    },
    {
      name: "changedSince",
      summary: "The contact has changed since it was read",
      params: { id: contact(4) },
      ifMatch: '"1"',
      body: { phone: "+12025550101", temperature: "cold" },
    },
    {
      name: "unknown",
      summary: "Your company does not have this contact",
      params: { id: contact(9999) },
      body: { phone: "+12025550101" },
    },
  ],
  archiveContact: [
    { name: "archived", summary: "Archive a contact", params: { id: contact(31) } },
    {
      name: "changedSince",
      summary: "The contact has changed since it was read",
      params: { id: contact(32) },
      ifMatch: '"1"',
    },
    {
      name: "unknown",
      summary: "Your company does not have this contact",
      params: { id: contact(9999) },
    },
  ],
  restoreContact: [
    { name: "restored", summary: "Restore the contact", params: { id: contact(31) } },
    {
      name: "unknown",
      summary: "Your company does not have this contact",
      params: { id: contact(9999) },
    },
  ],
} satisfies Partial<Record<OperationId, [ExampleRequest, ...ExampleRequest[]]>>;

/** The requests that merge two contacts. */
export const CONTACT_MERGES = {
  mergeContact: [
    {
      name: "itself",
      summary: "A contact cannot be merged with itself",
      params: { id: contact(37) },
      body: { from: contact(37) },
    },
    {
      name: "merged",
      summary: "Two contacts become one",
      params: { id: contact(37) },
      body: { from: contact(36) },
    },
    {
      name: "mergedAway",
      summary: "The contact in the path was merged into another contact",
      params: { id: contact(36) },
      body: { from: contact(35) },
    },
    {
      name: "unknown",
      summary: "Your company does not have this contact",
      params: { id: contact(9999) },
      body: { from: contact(37) },
    },
  ],
} satisfies Partial<Record<OperationId, [ExampleRequest, ...ExampleRequest[]]>>;

/** The requests that erase a contact. */
export const CONTACT_ERASURES = {
  eraseContact: [
    {
      name: "unconfirmed",
      summary: "The id in `confirm` is not the id in the path",
      params: { id: contact(39) },
      body: { confirm: contact(38) },
    },
    {
      name: "erased",
      summary: "A contact is erased",
      params: { id: contact(39) },
      body: { confirm: contact(39) },
    },
  ],
} satisfies Partial<Record<OperationId, [ExampleRequest, ...ExampleRequest[]]>>;
