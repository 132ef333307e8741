/** Why a template cannot be sent as a request asks, as the database answers it. */
export type Fault =
  | { field: "template_name"; fault: "unknown" }
  | { field: "language_code"; fault: "language"; languages: string[] }
  | { field: "template_name"; fault: "status"; status: string; since: string | null }
  | { field: "template_name"; fault: "unsupported"; parts: string[] }
  | { field: string; fault: "count"; takes: number; got: number }
  | { field: string; fault: "empty" | "characters" }
  | { field: "template_header_type"; fault: "header"; header: string | null };

/** What decides whether a template can be sent. */
export interface SendableTemplate {
  status: string;
  /** When we first read this status. */
  status_since: string | null;
  unsupported: string[];
  /** Why the media of its header could not be uploaded. */
  media_problem: string | null;
  /** The connected accounts of its business account. */
  phone_number_ids: string[];
}

export function faultDetail(fault: Fault): { field: string; message: string } {
  return { field: fault.field, message: "" };
}

export function whyNotSendable(_template: SendableTemplate): string[] {
  return [];
}
