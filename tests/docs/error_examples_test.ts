// Tests that docs/errors.md shows the error bodies that the service returns.
import { Hono } from "hono";
import { DatabaseError } from "../../supabase/functions/_shared/database/rows.ts";
import {
  type ErrorCode,
  idempotencyInProgress,
  idempotencyKeyReused,
  invalidApiKey,
  preconditionFailed,
  tooManyRequests,
} from "../../supabase/functions/_shared/errors.ts";
import { MAX_VALUES, readJsonText } from "../../supabase/functions/_shared/http/body.ts";
import { readConditions } from "../../supabase/functions/_shared/http/conditional.ts";
import type { ApiEnv } from "../../supabase/functions/_shared/http/env.ts";
import { respondToError } from "../../supabase/functions/_shared/http/error_response.ts";
import {
  methodNotAllowed,
  refusedRoute,
} from "../../supabase/functions/_shared/http/refused_route.ts";
import { requestId } from "../../supabase/functions/_shared/http/request_id.ts";
import { presentedKey } from "../../supabase/functions/_shared/key/presented_key.ts";
import {
  failedSend,
  refusedAccount,
  repeatOfUnknown,
} from "../../supabase/functions/_shared/sending/send_errors.ts";
import { FUNCTIONS } from "../../generate/openapi/functions.ts";
import recorded from "../../generate/examples/examples.json" with { type: "json" };
import { rowsInTime } from "../../supabase/functions/gateway/records/too_expensive.ts";
import { noAccount } from "../../supabase/functions/_shared/sending/no_account.ts";
import { refusedByCatalogue } from "../../supabase/functions/_shared/template_sends/template_answers.ts";
import { mediaExpired } from "../../supabase/functions/gateway/resources/messages/found_medium.ts";
import { call } from "../support/calls.ts";
import { newCompany } from "../support/company.ts";
import { logged } from "../support/log_lines.ts";
import { errorSections } from "./error_sections.ts";
import { assertShown } from "./shown_answers.ts";

/**
 * The response body that the functions return for an error.
 * @param always the members that the function adds to every error body.
 */
async function bodyOf(error: () => unknown, always: Record<string, unknown> = {}) {
  const app = new Hono<ApiEnv>()
    .use(requestId)
    .use(async (c, next) => {
      c.set("isRepeatable", true);
      await next();
    })
    .onError(respondToError({ docsUrl: null }, { always }))
    .post("/", async () => {
      throw await error();
    });
  return await (await app.request("/", { method: "POST" })).json();
}

/** The error that is thrown when the service reads this body. */
async function reading(body: BodyInit, timeoutMs = 60_000): Promise<unknown> {
  const request = new Request("http://localhost/", { method: "POST", body });
  const judge = () => Promise.resolve();
  return await readJsonText(request, { maxValues: MAX_VALUES, timeoutMs, judge }).catch((e) => e);
}

/** Runs the function and returns the error that it throws. */
function thrown(work: () => unknown): unknown {
  try {
    work();
  } catch (error) {
    return error;
  }
}

const send = {
  ...{ company_id: "", account_id: "", phone_number_id: "900000000000011", encrypted_token: "" },
  ...{ business_account_id: null, send_id: "", attempt: 1, conversation_id: "", message_id: "" },
  created_conversation: false,
};
const away = { message: "", details: "", hint: "", code: "", name: "", toJSON: () => ({}) };
const [gateway] = FUNCTIONS;

/** The errors that need no database, created by the service's own code. */
const MADE: Partial<Record<ErrorCode, () => unknown>> = {
  malformed_request: () =>
    reading(new ReadableStream({ start: (c) => c.error(new Error("broken off")) })),
  header_not_accepted: () =>
    thrown(() =>
      readConditions(new Headers({ "If-Unmodified-Since": "" }), {
        method: "PATCH",
        conditional: true,
      })
    ),
  request_timeout: () => reading(new ReadableStream({}), 1),
  payload_too_large: () => reading(" ".repeat(1024 * 1024 + 1)),
  missing_api_key: () => thrown(() => presentedKey(new Headers())),
  invalid_api_key: () => invalidApiKey(),
  route_not_found: () =>
    refusedRoute("gateway", gateway.operations, { method: "GET", path: "/gateway/leads" }),
  method_not_allowed: () =>
    methodNotAllowed("DELETE", gateway.operations.filter(({ path }) => path === "/teams")),
  idempotency_in_progress: idempotencyInProgress,
  idempotency_key_reused: idempotencyKeyReused,
  media_expired: () => mediaExpired("2026-11-20T10:15:00.000Z"),
  precondition_failed: () => preconditionFailed('"374810"'),
  query_too_expensive: () =>
    thrown(() =>
      rowsInTime(
        {
          ...{ success: false, data: null, count: null, status: 500, statusText: "" },
          error: { ...away, code: "57014" },
        } as Parameters<typeof rowsInTime>[0],
        "add a filter that matches few records, such as a range of created_at, or leave out sort",
      )
    ),
  too_many_requests: tooManyRequests,
  internal: () => new Error("Anything else"),
  database_unavailable: () => new DatabaseError(0, away as never),
};

/** The errors that a send can return. */
const OF_SENDS: Partial<Record<ErrorCode, () => unknown>> = {
  account_not_connected: () => noAccount([], undefined),
  phone_number_id_required: () =>
    noAccount([{ phone_number_id: "106540352242922", display_phone: "+5511987654321" }], undefined),
  template_rejected: () =>
    refusedByCatalogue([{ field: "body_variables", fault: "count", takes: 2, got: 1 }], []),
  media_rejected: () =>
    failedSend({
      kind: "refused",
      error: "media_rejected",
      channel: {
        code: 131053,
        message: "(#131053) Media upload error",
        details: "The file is damaged",
      },
    }, { send, rejected: "", ifUnknown: repeatOfUnknown(true) }),
  channel_account_error: () => refusedAccount("900000000000011", 190),
  channel_unavailable: () =>
    failedSend({ kind: "unknown", cause: "" }, {
      send,
      rejected: "",
      ifUnknown: repeatOfUnknown(true),
    }),
};

/** The errors that need a real request. The recorded examples contain their bodies. */
const RECORDED: ErrorCode[] = [
  "conflict",
  "window_closed",
  "recipient_unreachable",
  "recipient_opted_out",
];

/** The bodies of the errors for which the page's request differs from the recorded examples. */
async function asked(): Promise<Partial<Record<ErrorCode, unknown>>> {
  const { keys: { read, all } } = await newCompany();
  const cursor = btoa(
    `["contact_changes",1700000000,1,"ffffffff-ffff-ffff-ffff-ffffffffffff"]`,
  ).replaceAll("=", "");
  const json = { phone: "4155550101", temprature: "hot", tags: ["a", ""] };
  const [insufficient_scope, not_found, cursor_expired, invalid_request] = await Promise.all([
    call(read, "POST", "/contacts", { json }),
    call(all, "GET", `/deals/${crypto.randomUUID()}`),
    call(all, "GET", `/contacts/changes?cursor=${cursor}`),
    call(all, "POST", "/contacts", { json }),
  ]);
  const answers = { insufficient_scope, not_found, cursor_expired, invalid_request };
  return Object.fromEntries(Object.entries(answers).map(([code, { body }]) => [code, body]));
}

/** The body of an error as the service returns it. @param shown the body on the page. */
async function actualOf(code: ErrorCode, shown: unknown, answers: Record<string, unknown>) {
  if (RECORDED.includes(code)) {
    return recordedAnswers.find((answer) =>
      answer?.code === code && answer.error === (shown as { error: string }).error
    );
  }
  if (code in answers) return answers[code];
  return code in OF_SENDS
    ? await bodyOf(OF_SENDS[code]!, { success: false })
    : await bodyOf(MADE[code]!);
}

const recordedAnswers = Object.values(recorded.examples).flat()
  .map(({ answer }) => answer as { code?: string; error?: string } | null);

Deno.test("each section of the page on errors shows an error that the service really returns", async () => {
  const answers = await asked();
  const { sections } = await errorSections();
  let bodies: unknown[] = [];
  await logged(async () => {
    const asShown = sections.map(({ code, example }) =>
      actualOf(code as ErrorCode, example, answers)
    );
    bodies = await Promise.all(asShown);
  });
  sections.forEach(({ code, example }, at) => assertShown(example, bodies[at], code));
});
