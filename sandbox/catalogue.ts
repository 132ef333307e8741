import { http, HttpResponse } from "msw";
import { type Fault, graphError } from "./graph_error.ts";
import type { MediaStore } from "./media.ts";
import type { peopleMedia } from "./people_media.ts";
import { DEMO_NUMBERS, displayPhoneNumber } from "./numbers.ts";
import { accessFault, SANDBOX_BUSINESS_ACCOUNT_ID, SANDBOX_TOKEN, tokenFault } from "./rules.ts";
import { sampleUrl } from "./samples.ts";
import { listedTemplates } from "./template_list.ts";

/**
 * At most this many phone numbers are listed, so that a sandbox that runs for days does not fill
 * the memory.
 */
const MAX_NUMBERS = 10_000;

/** The fields of a template that the channel lists by default. */
const TEMPLATE_FIELDS = [
  ...["name", "parameter_format", "components", "language", "status", "category", "id"],
];

/**
 * Handles requests about a business account, its phone numbers and a token. Every id made of digits
 * works as the id of a business account with all templates. Every id except
 * SANDBOX_BUSINESS_ACCOUNT_ID also works as the id of a phone number.
 *
 * @param now the current time in milliseconds.
 */
export function catalogueHandlers(
  media: MediaStore,
  sentByPeople: ReturnType<typeof peopleMedia>,
  now: () => number,
) {
  const numbers = new Set(Object.keys(DEMO_NUMBERS));

  return [
    http.get("*/v:version/debug_token", ({ request }) => {
      const fault = tokenFault(request);
      if (fault) return graphError(fault);
      const inputToken = new URL(request.url).searchParams.get("input_token");
      if (inputToken === null) {
        return graphError({ code: 100, details: "The parameter input_token is required" });
      }
      return HttpResponse.json({ data: inputToken === SANDBOX_TOKEN ? TOKEN : UNKNOWN_TOKEN });
    }),

    http.get(
      "*/v:version/:waba_id/message_templates",
      ({ request, params }) =>
        answerTo(request, String(params.waba_id), () => {
          const url = new URL(request.url);
          const base = url.href.slice(0, url.href.indexOf(`/${params.waba_id}/message_templates`));
          const name = url.searchParams.get("name") ?? "";
          // The channel's filter by name matches every name that contains the given string.
          const rows = listedTemplates((file) => sampleUrl(base, file, now()))
            .filter((template) => template.name.includes(name));
          return pageOf(request, rows, TEMPLATE_FIELDS, OPTIONAL_TEMPLATE_FIELDS);
        }),
    ),

    http.get(
      "*/v:version/:waba_id/phone_numbers",
      ({ request, params }) =>
        answerTo(
          request,
          String(params.waba_id),
          () => pageOf(request, Array.from(numbers, phoneNumber), NUMBER_FIELDS, [LIMIT]),
        ),
    ),

    http.get("*/v:version/:id", ({ request, params }) => {
      const id = String(params.id);
      return answerTo(request, id, () => {
        if (media.knows(id)) return media.read(id);
        if (sentByPeople.knows(id)) {
          const { href } = new URL(request.url);
          return sentByPeople.read(id, href.slice(0, href.lastIndexOf(`/${id}`)));
        }
        if (id === SANDBOX_BUSINESS_ACCOUNT_ID) {
          return HttpResponse.json(chosen(request, { id, name: "Sandbox" }, ["id", "name"]));
        }
        const number = phoneNumber(id);
        const answer = chosen(request, number, NUMBER_FIELDS, [LIMIT]);
        if (numbers.size < MAX_NUMBERS) numbers.add(id);
        return HttpResponse.json(answer);
      });
    }),

    http.delete("*/v:version/:media_id", ({ request, params }) => {
      const id = String(params.media_id);
      return answerTo(request, id, () => media.remove(id));
    }),
  ];
}

/** The response about an object, or an error if the token or the id is wrong. */
function answerTo(request: Request, id: string, answer: () => Response): Response {
  const fault = accessFault(request, id);
  if (fault) return graphError(fault);
  try {
    return answer();
  } catch (error) {
    if (error instanceof WrongParameter) return graphError(error.fault);
    throw error;
  }
}

class WrongParameter extends Error {
  override name = "WrongParameter";
  readonly fault: Fault;
  constructor(details: string) {
    super(details);
    this.fault = { code: 100, details, message: details };
  }
}

/**
 * Picks the fields of a row that the request lists in `fields`. Without `fields`, picks the default
 * fields. The id is always included.
 */
function chosen<Row extends object>(
  request: Request,
  row: Row,
  usual: string[],
  others: string[] = [],
): Partial<Row> {
  const asked = new URL(request.url).searchParams.get("fields");
  const fields = asked ? asked.split(",").map((field) => field.trim()) : usual;
  const unknown = fields.find((field) => !usual.includes(field) && !others.includes(field));
  if (unknown !== undefined) {
    throw new WrongParameter(`Tried accessing nonexisting field (${unknown})`);
  }
  const entries = Object.entries(row).filter(([name]) => name === "id" || fields.includes(name));
  return Object.fromEntries(entries) as Partial<Row>;
}

/** Returns a page of a list: the `limit` rows after the cursor `after`. The default limit is 25. */
function pageOf(request: Request, rows: object[], usual: string[], others?: string[]): Response {
  const url = new URL(request.url);
  const limit = Number(url.searchParams.get("limit") ?? 25);
  if (!Number.isInteger(limit) || limit < 1) {
    throw new WrongParameter("The parameter limit must be a positive integer");
  }
  const after = url.searchParams.get("after");
  const start = after === null ? 0 : positionOf(after) + 1;
  if (!(start <= rows.length)) throw new WrongParameter("The parameter after is not a cursor");
  const data = rows.slice(start, start + limit).map((row) => chosen(request, row, usual, others));
  if (data.length === 0) return HttpResponse.json({ data });

  const end = start + data.length;
  const cursors = { before: cursorOf(start), after: cursorOf(end - 1) };
  if (end === rows.length) return HttpResponse.json({ data, paging: { cursors } });
  // As on the real channel, this URL contains the token. So no program may follow or log this URL.
  url.searchParams.set("access_token", SANDBOX_TOKEN);
  url.searchParams.set("after", cursors.after);
  return HttpResponse.json({ data, paging: { cursors, next: url.href } });
}

function cursorOf(position: number): string {
  return btoa(`sandbox ${position}`);
}

/** NaN when the string is not a cursor. */
function positionOf(cursor: string): number {
  try {
    return Number(/^sandbox (\d+)$/.exec(atob(cursor))?.[1] ?? NaN);
  } catch {
    return NaN;
  }
}

function phoneNumber(id: string) {
  return {
    verified_name: id in DEMO_NUMBERS ? "Ondalva Coffee Equipment" : "Sandbox",
    code_verification_status: "VERIFIED",
    display_phone_number: displayPhoneNumber(id),
    quality_rating: "GREEN",
    platform_type: "CLOUD_API",
    throughput: { level: "STANDARD" },
    status: "CONNECTED",
    name_status: "APPROVED",
    account_mode: "LIVE",
    [LIMIT]: "TIER_1K",
    id,
  };
}

/** This field of a phone number is not a default field. */
const LIMIT = "whatsapp_business_manager_messaging_limit";
const NUMBER_FIELDS = Object.keys(phoneNumber("1")).filter((field) => field !== LIMIT);

const OPTIONAL_TEMPLATE_FIELDS = [
  ...["correct_category", "quality_score", "rejected_reason", "message_send_ttl_seconds"],
];

const SCOPES = ["whatsapp_business_management", "whatsapp_business_messaging"];

/** The channel's response about the sandbox's token. */
const TOKEN = {
  app_id: "900000000000021",
  type: "SYSTEM_USER",
  application: "Sandbox",
  data_access_expires_at: 0,
  expires_at: 0,
  is_valid: true,
  scopes: SCOPES,
  granular_scopes: SCOPES.map((scope) => (
    { scope, target_ids: [SANDBOX_BUSINESS_ACCOUNT_ID] }
  )),
  user_id: "900000000000031",
};

const UNKNOWN_TOKEN = {
  error: { code: 190, message: "Invalid OAuth access token" },
  is_valid: false,
  scopes: [],
};
