import * as z from "zod/mini";
import type { Json } from "../../../_shared/database/types.ts";
import {
  atLeastOne,
  changesById,
  described,
  Phone,
  withDefaults,
} from "../../../_shared/http/fields.ts";
import { built, lazily } from "../../../_shared/lazily.ts";
import { Contact, MAX_TAGS, Tag } from "./row.ts";

// The contact fields that callers may write.

const MAX_TAGS_SENT = 1000;

const TOO_MANY_TAGS = `must have at most ${MAX_TAGS} different tags`;

/** The error message if a contact would have too many tags, including the stored tags. */
export const TOO_MANY_TAGS_AFTERWARDS =
  `would have more than ${MAX_TAGS} different tags together with the stored ones; remove some first`;

/** Tags in a request. Duplicates are removed. */
const SentTags = lazily(() =>
  z.pipe(
    z.pipe(
      // The number of tags is checked before any tag is read.
      z.array(z.unknown()).check(z.maxLength(MAX_TAGS_SENT, TOO_MANY_TAGS)),
      z.array(Tag),
    ),
    z.transform((tags) => [...new Set(tags)]),
  ).check(z.refine((tags) => tags.length <= MAX_TAGS, TOO_MANY_TAGS)).register(z.globalRegistry, {
    type: "array",
    maxItems: MAX_TAGS_SENT,
    items: { type: "string", ...z.globalRegistry.get(built(Tag)) },
  })
);

/**
 * Creating and updating have the same input, and both require `phone` (specification, 2.1). On an
 * update, a field that is left out keeps its value, and `null` clears a field that may be null.
 */
const input = () =>
  z.extend(
    z.strictObject(
      z.partial(z.pick(built(Contact), {
        phone: true,
        external_id: true,
        name: true,
        email: true,
        temperature: true,
        tags: true,
        source: true,
        job_title: true,
        empresa: true,
        custom_fields: true,
        do_not_contact: true,
        marketing_opt_out: true,
        is_active: true,
      })).shape,
    ),
    { phone: Phone, tags: z.optional(SentTags) },
  );

/**
 * If `phone` is missing, the error message names the content type with which `phone` may be left
 * out, because most callers first send an update without `phone`.
 */
const phoneOfChanges = () =>
  z.clone(Phone, {
    ...Phone.def,
    error: ({ input }) =>
      input === undefined
        ? "is required in application/json; to change other fields only, send Content-Type: " +
          "application/merge-patch+json"
        : undefined,
  });

/** The input of an update, which may also add tags to the stored tags and remove tags. */
const changes = () =>
  z.extend(input(), { add_tags: z.optional(SentTags), remove_tags: z.optional(SentTags) });

const TAGS_TWICE =
  "cannot be combined with tags; send tags to replace all tags, or add_tags and remove_tags to keep the others";

/** Refuses a change that replaces all tags and also adds or removes tags. */
const oneKindOfTags = z.check<Partial<z.output<ReturnType<typeof changes>>>>(
  ({ value, issues }) => {
    for (const field of ["add_tags", "remove_tags"] as const) {
      if (!value.tags || !value[field]?.length) continue;
      issues.push({ code: "custom", path: [field], message: TAGS_TWICE, input: value[field] });
    }
  },
);

const NO_OTHER_TAGS = {
  dependentSchemas: {
    tags: { properties: { add_tags: { maxItems: 0 }, remove_tags: { maxItems: 0 } } },
  },
};

/**
 * Moves the changes that depend on stored values into `patch`. The database applies these changes
 * in the statement that writes the contact.
 */
function asPatch<Change extends { add_tags?: string[]; remove_tags?: string[] }>(
  { add_tags, remove_tags, ...others }: Change,
  custom_fields?: Record<string, Json>,
) {
  return add_tags || remove_tags || custom_fields
    ? { ...others, patch: { custom_fields, add_tags, remove_tags } }
    : others;
}

export const ContactChanges = lazily(() =>
  z.pipe(
    described(z.extend(changes(), { phone: phoneOfChanges() }).check(oneKindOfTags), {
      id: "ContactChanges",
      ...NO_OTHER_TAGS,
    }),
    z.transform((given) => asPatch(given)),
  )
);

/**
 * The same changes as a JSON Merge Patch. `phone` may be left out. The database merges custom
 * fields key by key, in the statement that writes the contact.
 */
export const ContactPatch = lazily(() =>
  z.pipe(
    described(atLeastOne(z.partial(changes())).check(oneKindOfTags), {
      id: "ContactPatch",
      ...NO_OTHER_TAGS,
    }),
    z.transform(({ custom_fields, ...others }) => asPatch(others, custom_fields)),
  )
);

/** The input for a new contact. A field that is left out has its default value. */
export const NewContact = lazily(() =>
  described(
    withDefaults(input(), {
      temperature: "warm",
      tags: [],
      source: "api",
      custom_fields: {},
      do_not_contact: false,
      marketing_opt_out: false,
      is_active: true,
    }),
    { id: "NewContact" },
  )
);

/**
 * The input of a PUT, for the contact with this phone number. In an existing contact, a field that
 * is left out keeps its value. In a new contact, a field that is left out has its default value.
 */
export const ContactToPut = lazily(() => described(input(), { id: "ContactToPut" }));

export const ContactPatchById = lazily(() =>
  described(changesById(z.partial(changes())).check(oneKindOfTags), {
    id: "ContactPatchById",
    ...NO_OTHER_TAGS,
  })
);
