// Tests the stored description of an error. It contains only text from the service, and nothing
// that a caller wrote.
import assert from "node:assert/strict";
import { FUNCTIONS } from "../../generate/openapi/functions.ts";
import {
  ApiError,
  invalidRequest,
  preconditionFailed,
} from "../../supabase/functions/_shared/errors.ts";
import { bodiesOf } from "../../supabase/functions/_shared/http/operation.ts";
import {
  judged,
  ofUnknownField,
  readParams,
  readQuery,
} from "../../supabase/functions/_shared/http/validate.ts";
import { checkOwnMedia } from "../../supabase/functions/_shared/template_sends/own_media.ts";
import {
  noMedia,
  refusedByCatalogue,
} from "../../supabase/functions/_shared/template_sends/template_answers.ts";
import type { SenderConfig } from "../../supabase/functions/_shared/template_sends/template_send_config.ts";
import { problemOf } from "../../supabase/functions/_shared/usage/problem.ts";

const SECRETS = ["maria", "Maria Silva", "maria@example.com", "+5521912345678", "a".repeat(300)];

/** The error that this function throws, or null if it throws none. */
function errorOf(work: () => unknown): ApiError | null {
  try {
    work();
    return null;
  } catch (error) {
    if (error instanceof ApiError) return error;
    throw error;
  }
}

Deno.test("the stored description of an error contains no name and no value that the caller chose", () => {
  let errors = 0;
  for (const operation of FUNCTIONS.flatMap((api) => api.operations)) {
    const { params, query, batch } = operation;
    const [body] = Object.values(bodiesOf(operation));
    const names = Object.keys((query as unknown as { shape?: object })?.shape ?? {});
    for (const secret of SECRETS) {
      const text = encodeURIComponent(secret);
      const queries = [
        ...[...names, "fields", "sort", "include", "id", "created_at[gte]"].map((name) =>
          `${name}=${text}`
        ),
        ...[`${text}=1`, `name[${text}]=1`, `custom_fields.${text}[gte]=1`, `${text}=1&${text}=2`],
        ...[`custom_fields.${text}.b.c.d.e=1`, `${text}=%FF`, `limit=1&limit=${text}`],
      ];
      const bodies = [secret, [secret], { [secret]: secret }, null, 1].flatMap((value) => [
        ...[{ [secret]: value }, { custom_fields: { [secret]: "\ud800" } }, { items: [value] }],
        ...["phone", "title", "name", "status", "tags", "body_variables", "email", "language_code"]
          .map((field) => ({ [field]: value })),
      ]);
      const works = [
        ...queries.map((each) => () => readQuery(`http://x/?${each}`, query)),
        () => params && readParams({ id: secret }, params),
        ...bodies.map((each) => () => {
          const found = body && !batch && judged(body, each, ofUnknownField(() => []));
          if (found && "wrong" in found) throw invalidRequest(found.wrong);
        }),
      ];
      for (const work of works) {
        const error = errorOf(work);
        if (!error) continue;
        errors++;
        const stored = JSON.stringify(problemOf(error)).toLowerCase();
        const parts = secret.toLowerCase().split(/[ @]/).map((part) => part.slice(0, 20));
        for (const part of parts) {
          assert.ok(!stored.includes(part), `${operation.id}: ${error.message} → ${stored}`);
        }
      }
    }
  }
  assert.ok(errors > 1_000, `${errors}`);
});

Deno.test("equal errors have equal stored descriptions, whatever time, id or position their messages contain", () => {
  const wrong = (field: string, message: string) => problemOf(invalidRequest([{ field, message }]));
  assert.deepEqual(wrong("items.3.phone", "is required"), {
    field: "items.*.phone",
    problem: "is required",
  });
  assert.deepEqual(wrong("custom_fields.a.b", "must not be null"), {
    field: "custom_fields.*",
    problem: "must not be null",
  });
  assert.equal(wrong("name[contains]", "is empty").field, "name[contains]");
  const said = (message: string) => problemOf(new ApiError("window_closed", message)).problem;
  assert.equal(said("It closed at 2026-01-31T09:30:00+00:00; wait"), "It closed at …; wait");
  assert.equal(
    said("The fault is at line 12, column 345"),
    "The fault is at line …, column …",
  );
  assert.equal(said(`No ${crypto.randomUUID()} of 106540352242922`), "No … of …");
  assert.equal(said("must be from 1 to 200"), "must be from 1 to 200");
  assert.equal(problemOf(preconditionFailed()).field, null);
});

Deno.test("the stored description of an error contains no host of the caller's and no words of the channel", () => {
  const config = { whatsapp: { mediaHosts: [] } } as unknown as SenderConfig;
  const ending = "the variable WHATSAPP_MEDIA_HOSTS allows further hosts, with https";
  for (const origin of ["https://maria-silva.example", "ftp://maria;silva", "maria+silva://x"]) {
    const error = errorOf(() => checkOwnMedia(config, `${origin}/report.pdf`));
    assert.deepEqual(problemOf(error!), {
      field: "header_media.url",
      problem: `cannot be sent: Media are not fetched from …; ${ending}`,
    });
  }
  const reason = "(#131053) Maria's file: not found. Nothing was sent";
  assert.equal(
    problemOf(noMedia(reason)).problem,
    "The messaging channel does not have the media of the template's header: …",
  );
  assert.deepEqual(
    problemOf(refusedByCatalogue([{ field: "template_name", fault: "media", reason }], [])),
    {
      field: "template_name",
      problem: "can only be sent with your own file in header_media, because the channel does " +
        "not have the media of the template's header: …",
    },
  );
  const kept = [
    "is not a URL; give one such as https://example.com/webhooks",
    "does not begin with https://; events are only sent over TLS",
  ];
  for (const message of kept) {
    assert.equal(problemOf(invalidRequest([{ field: "url", message }])).problem, message);
  }
});

Deno.test("Postgres can store the description of an error whose long message is cut inside an emoji", () => {
  const { problem } = problemOf(new ApiError("conflict", "😀".repeat(200)));
  assert.ok(problem.isWellFormed(), problem);
  assert.ok(problem.length <= 300, `${problem.length}`);
});
