import * as z from "zod/mini";
import { lazily } from "../../../_shared/lazily.ts";
import { MEDIA } from "../../../_shared/templates/answered_template.ts";
import { ROW_IDS, ROW_TIMES, Timestamp, verbatim } from "../../../_shared/http/fields.ts";

// Many fields share these schemas, because creating a schema takes a tenth of a millisecond when a
// function starts.
const Text = z.string();

const TextOrNull = z.nullable(Text);

const Texts = z.array(Text);

const Count = z.int().register(z.globalRegistry, { minimum: 0 });

/** A variable in a header or body. */
export const TemplateVariable = lazily(() =>
  z.object({ name: Text, example: TextOrNull }).register(
    z.globalRegistry,
    { id: "TemplateVariable" },
  )
);

/** A button that needs a value on each send. */
export const TemplateButton = lazily(() =>
  z.object({
    index: Count,
    kind: z.enum(["url", "copy_code"]),
    text: Text,
    example: TextOrNull,
  }).register(z.globalRegistry, { id: "TemplateButton" })
);

const variables = () => z.array(TemplateVariable);

/** A template's variables, in the order in which a send lists their values. */
export const TemplateVariables = lazily(() =>
  z.object({
    header: variables(),
    body: variables(),
    buttons: z.array(TemplateButton),
  }).register(z.globalRegistry, { id: "TemplateVariables" })
);

/** The values that a template send must provide. */
export const TemplateNeeds = lazily(() =>
  z.object({
    template_header_type: z.nullable(z.enum(MEDIA)),
    header_variables: Count,
    body_variables: Count,
    button_variables: Count,
  }).register(z.globalRegistry, { id: "TemplateNeeds" })
);

/** The fields that callers see unchanged. */
const asStored = () => ({
  ...ROW_IDS,
  business_account_id: Text,
  phone_number_ids: Texts,
  name: verbatim(512),
  language: verbatim(64),
  status: Text,
  category: TextOrNull,
  upcoming_category: TextOrNull,
  quality: TextOrNull,
  rejected_reason: TextOrNull,
  parameter_format: z.enum(["POSITIONAL", "NAMED"]),
  components: z.array(z.looseObject({})),
  variables: TemplateVariables,
});

const TIMES = { read_at: Timestamp, ...ROW_TIMES };

/** A template of the company, as the channel lists it (specification, 2.7). */
export const Template = lazily(() =>
  z.object({
    ...asStored(),
    send: TemplateNeeds,
    can_be_sent: z.boolean(),
    why_not: Texts,
    ...TIMES,
  }).register(z.globalRegistry, { id: "Template" })
);

export type Template = z.output<typeof Template>;

/**
 * The columns that a read request selects: the columns that callers see, and the columns from which
 * other fields are computed.
 */
export const StoredTemplate = lazily(() =>
  z.object({
    ...asStored(),
    ...TIMES,
    header_format: TextOrNull,
    status_since: Timestamp,
    unsupported: Texts,
    media_problem: TextOrNull,
  })
);

export type StoredTemplate = z.output<typeof StoredTemplate>;
