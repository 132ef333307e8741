import * as z from "zod";

// The schema of a template message, and the parts that all messages share.

const Text = z.strictObject({
  type: z.literal("text"),
  text: z.string(),
  /** Present in a template with named variables. */
  parameter_name: z.string().optional(),
});

/**
 * A file is identified by an upload's id, or by the URL from which the channel fetches the file.
 */
export const medium = (parts: z.ZodRawShape = {}) =>
  z.strictObject({
    id: z.string().optional(),
    link: z.url({ protocol: /^https?$/ }).optional(),
    ...parts,
  }).refine(({ id, link }) => (id === undefined) !== (link === undefined), {
    error: "must have either id or link",
  });

const Degrees = z.union([z.number(), z.string().regex(/^-?\d+(\.\d+)?$/)]);

const Parameter = z.discriminatedUnion("type", [
  Text,
  z.strictObject({ type: z.literal("image"), image: medium() }),
  z.strictObject({ type: z.literal("video"), video: medium() }),
  z.strictObject({
    type: z.literal("document"),
    document: medium({ filename: z.string().optional() }),
  }),
  z.strictObject({
    type: z.literal("location"),
    location: z.strictObject({
      latitude: Degrees,
      longitude: Degrees,
      name: z.string().optional(),
      address: z.string().optional(),
    }),
  }),
  z.strictObject({ type: z.literal("payload"), payload: z.string().max(128) }),
  z.strictObject({ type: z.literal("coupon_code"), coupon_code: z.string() }),
]);

const TextComponent = z.strictObject({
  type: z.enum(["header", "body"]),
  parameters: z.array(Parameter).min(1),
});

const ButtonComponent = z.strictObject({
  type: z.literal("button"),
  sub_type: z.enum(["url", "copy_code", "quick_reply"]),
  index: z.union([z.string().regex(/^\d$/), z.int().min(0).max(9)]),
  parameters: z.array(Parameter).length(1),
});

/** Whether each component occurs only once. Two buttons differ if they have different indexes. */
const isUnlike = (components: { type: string; index?: string | number }[]) =>
  new Set(components.map(({ type, index = "" }) => `${type} ${index}`)).size === components.length;

const CarouselComponent = z.strictObject({
  type: z.literal("carousel"),
  cards: z.array(z.strictObject({
    card_index: z.int().min(0),
    components: z.array(z.discriminatedUnion("type", [TextComponent, ButtonComponent]))
      .refine(isUnlike),
  })).min(1),
});

const Component = z.discriminatedUnion("type", [
  TextComponent,
  ButtonComponent,
  CarouselComponent,
]);

/** A phone number with its country code, with or without a plus sign. */
export const PHONE = /^\+?[1-9]\d{6,14}$/;
/** The business-scoped user id: the id by which the channel identifies a person to one business. */
export const BSUID = /^[A-Z]{2}\.(ENT\.)?[A-Za-z0-9]{1,128}$/;

/** The properties that every message has. */
export const ANY_MESSAGE = {
  messaging_product: z.literal("whatsapp"),
  recipient_type: z.literal("individual").optional(),
  to: z.string().regex(PHONE).optional(),
  /** The person's business-scoped user id, instead of a phone number in `to`. */
  recipient: z.string().regex(BSUID).optional(),
  biz_opaque_callback_data: z.string().max(512).optional(),
};

export const TemplateMessage = z.object({
  ...ANY_MESSAGE,
  type: z.literal("template"),
  template: z.strictObject({
    name: z.string(),
    language: z.strictObject({ code: z.string() }),
    components: z.array(Component).refine(isUnlike),
  }),
});

export type TemplateMessage = z.output<typeof TemplateMessage>;
export type SentComponent = z.output<typeof Component>;
export type SentParameter = z.output<typeof Parameter>;
