/**
 * A variable of a header or body: its number ("1", "2" …) or its name, and the example that was
 * sent to the channel for approval.
 */
export interface TemplateVariable {
  name: string;
  example: string | null;
}

/**
 * A button that needs a value in each send. The value is the end of the button's URL, or the code
 * to copy.
 */
export interface ButtonVariable {
  /** The button's index among the template's buttons, from 0. */
  index: number;
  kind: "url" | "copy_code";
  /** The text on the button. */
  text: string;
  example: string | null;
}

/**
 * The parts of a text: a string is literal text, and a number is the index (from 0) of a variable
 * in the same component.
 */
export type Pieces = (string | number)[];

/**
 * One template of the channel's list, as the database stores it. Every string in the entry is valid
 * in jsonb.
 */
export interface CatalogueEntry {
  channel_template_id: string | null;
  name: string;
  language: string;
  /** The channel's status, in uppercase: APPROVED, PAUSED, REJECTED … */
  status: string;
  category: string | null;
  /**
   * The category that the channel is going to give the template; null when the category does not
   * change.
   */
  upcoming_category: string | null;
  /** GREEN, YELLOW, RED or UNKNOWN. */
  quality: string | null;
  rejected_reason: string | null;
  parameter_format: "POSITIONAL" | "NAMED";
  /**
   * The components as the channel lists them, without sample URLs, which are signed.
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
  /** The index of the button that also receives the code of an authentication template. */
  otp_button: number | null;
  /** The text that the recipient sees. */
  rendering: {
    header: Pieces | null;
    body: Pieces | null;
    footer: string | null;
    buttons: string[];
  };
  /** The parts that this API cannot send, in uppercase: CAROUSEL, FLOW … */
  unsupported: string[];
  /** The signed URL of a media header's sample, which expires. */
  sample_url: string | null;
  /** How long the channel tries to deliver a message with the template; -1 means 30 days. */
  ttl_seconds: number | null;
}
