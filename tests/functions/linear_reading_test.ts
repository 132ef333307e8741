// Tests that the time to read a text from a caller, the channel or a user grows only in proportion
// to its length. `linear_regexes_long_test` checks each regular expression. This test checks whole
// functions, including their loops.
import assert from "node:assert/strict";
import { nameIn, typable } from "../../settings/page/keys/api_key.ts";
import { CustomFields } from "../../supabase/functions/gateway/custom_fields.ts";
import { splitValues } from "../../supabase/functions/gateway/records/split_values.ts";
import { patternOf, wordsOf } from "../../supabase/functions/gateway/records/searched_words.ts";
import { readConditions } from "../../supabase/functions/_shared/http/conditional.ts";
import { Email, requiredText } from "../../supabase/functions/_shared/http/fields.ts";
import { readIdempotencyKey } from "../../supabase/functions/_shared/http/idempotency.ts";
import { itemTexts } from "../../supabase/functions/_shared/http/item_texts.ts";
import { faultIn } from "../../supabase/functions/_shared/http/json_fault.ts";
import { surveyJson } from "../../supabase/functions/_shared/http/json_survey.ts";
import { parseStrictly } from "../../supabase/functions/_shared/http/strict_json.ts";
import {
  isMeantPart,
  notOneOf,
  unknownField,
  unknownParameter,
} from "../../supabase/functions/_shared/http/suggestion.ts";
import { readQuery } from "../../supabase/functions/_shared/http/validate.ts";
import { presentedKey } from "../../supabase/functions/_shared/key/presented_key.ts";
import {
  causeInWords,
  withoutQueries,
} from "../../supabase/functions/_shared/channel/channel_words.ts";
import { fileName } from "../../supabase/functions/_shared/templates/file_name.ts";
import { harmlessJson } from "../../supabase/functions/_shared/channel/harmless_json.ts";
import { templateText } from "../../supabase/functions/_shared/templates/template_text.ts";
import { readEvent } from "../../supabase/functions/whatsapp/events/reading/event.ts";
import { wordIn } from "../../supabase/functions/whatsapp/events/reading/opt_out_words.ts";
import { signatureIn } from "../../supabase/functions/whatsapp/events/signature.ts";
import { growsTooFast, type HostileKind, hostileText } from "../support/hostile_texts.ts";
import { runs } from "../support/runs.ts";

const bytesOf = (text: string) => new TextEncoder().encode(text);
const header = (name: string, value: string) => new Headers({ [name]: value });
const PATCH = { method: "PATCH", conditional: true } as const;
const ADDRESS = new URL("https://scontent.whatsapp.net/1");

/** The functions that read text from a caller, the channel or a user. */
const READERS: Record<string, (text: string) => unknown> = {
  surveyJson: (text) => surveyJson(bytesOf(text)),
  parseStrictly: (text) => parseStrictly(text, surveyJson(bytesOf(text))),
  "parseStrictly, with a long number and a duplicate key": (text) =>
    parseStrictly(text, { ...surveyJson(bytesOf(text)), hasLongNumber: true, keys: Infinity }),
  itemTexts,
  faultIn,
  readQuery: (text) => readQuery(`https://edge/?${text}`),
  unknownParameter: (text) => unknownParameter(text, ["name", "name[contains]", "limit"]),
  notOneOf: (text) => notOneOf(text, ["name", "email"]),
  unknownField: (text) => unknownField(text, ["name", "email"]),
  isMeantPart: (text) => isMeantPart(text, "contacts"),
  presentedKey: (text) => presentedKey(header("Authorization", text)),
  readConditions: (text) => readConditions(header("If-Match", text), PATCH),
  readIdempotencyKey: (text) =>
    readIdempotencyKey(header("Idempotency-Key", text), { method: "POST", idempotent: true }),
  signatureIn: (text) => signatureIn(header("X-Hub-Signature-256", text)),
  Email: (text) => Email.safeParse(text),
  requiredText: (text) => requiredText(100).safeParse(text),
  CustomFields: (text) => CustomFields.safeParse({ text }),
  splitValues,
  wordsOf,
  patternOf,
  readEvent: (text) => readEvent(bytesOf(text)),
  wordIn,
  withoutQueries,
  causeInWords: (text) => causeInWords(text, "a token of the account"),
  fileName: (disposition) =>
    fileName({ format: "IMAGE", type: "image/png", disposition, url: ADDRESS, templateName: "a" }),
  harmlessJson,
  templateText: (text) => templateText(text, "POSITIONAL"),
  "nameIn of the page": nameIn,
  "typable of the page": typable,
};

const BEGINS = ["", '{"\\u0061":0,"', '{"entry":[{"changes":[', "Bearer ", "a=", "x; filename="];
const PIECES = [
  ...[
    ...['"', '\\"', "\\", "[", "[]", "{", '{"a":', '"a":1,', '"\\u0061":1,', ",", ":", "0", "1e"],
    " ",
  ],
  ...["a", "a ", ".", "-", "@", "a.", "http://a", "?", "{{", "{{1}}", "%", "%20", "&", "&a=", "é"],
  ...["\u0301", "/", '"a",', 'W/"a"', '; filename="', "; filename*=UTF-8''", "\n"],
];
const KINDS: HostileKind[] = BEGINS.flatMap((begin) =>
  PIECES.flatMap((piece) => ["", "\u0000", '"}'].map((end) => ({ begin, piece, end })))
).filter((_, at) => at % 10 < runs(10));

/** Calls the function with a text, and ignores a refusal. */
function tried(read: (text: string) => unknown, text: string) {
  try {
    read(text);
  } catch {
    // The test measures only the time and ignores the result.
  }
}

for (const [name, read] of Object.entries(READERS)) {
  Deno.test(`the time of ${name} grows in proportion to the length of the text`, () => {
    const fault = KINDS.find((kind) => growsTooFast(kind, (text) => tried(read, text)));
    assert.equal(fault && hostileText(fault, 40), undefined);
  });
}
