/** A variable of a header or body: its number ("1", "2" …) or its name, and the example given for approval. */
export interface TemplateVariable {
  name: string;
  example: string | null;
}

/** A button that needs a value on each send: the end of its address, or the code to copy. */
export interface ButtonVariable {
  /** The button's place among the template's buttons, from 0. */
  index: number;
  kind: "url" | "copy_code";
  /** The text on the button. */
  text: string;
  example: string | null;
}

/**
 * A text in pieces: a string is literal text, a number is the index (from 0) of a variable in the
 * same component.
 */
export type Pieces = (string | number)[];

/**
 * One template of the channel's list, as the database stores it. Every text in the entry is valid
 * in jsonb.
 */
export interface CatalogueEntry {
  channel_template_id: string | null;
  name: string;
  language: string;
  /** The channel's word, in upper case: APPROVED, PAUSED, REJECTED … */
  status: string;
  category: string | null;
  /** The category that the channel will give the template; null when the category stays. */
  upcoming_category: string | null;
  /** GREEN, YELLOW, RED or UNKNOWN. */
  quality: string | null;
  rejected_reason: string | null;
  parameter_format: "POSITIONAL" | "NAMED";
  /**
   * The components as the channel lists them, without the addresses of samples, which are signed.
   */
  components: unknown[];
  /** TEXT, IMAGE, VIDEO, DOCUMENT, LOCATION …; null without a header. */
  header_format: string | null;
  /** The variables, in the order in which a send lists their values. */
  variables: {
    header: TemplateVariable[];
    body: TemplateVariable[];
    buttons: ButtonVariable[];
  };
  /** The index of the button that repeats the code of an authentication template. */
  otp_button: number | null;
  /** What the recipient sees. */
  rendering: {
    header: Pieces | null;
    body: Pieces | null;
    footer: string | null;
    buttons: string[];
  };
  /** The parts that need additional parameters, in upper case: CAROUSEL, FLOW … */
  unsupported: string[];
  /** The signed address of a media header's sample. It expires. */
  sample_url: string | null;
  /** How long the channel tries to deliver a message with the template. */
  ttl_seconds: number | null;
}
